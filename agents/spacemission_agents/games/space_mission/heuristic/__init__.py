"""Holds the agent `heuristic`."""
