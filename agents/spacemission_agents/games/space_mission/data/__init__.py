"""Tuned values that the agents read."""
