"""Trains agents by self-play."""
