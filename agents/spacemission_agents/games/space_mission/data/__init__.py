"""Holds weights and probe files of the agents."""
