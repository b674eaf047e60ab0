"""The agent `heuristic`."""
