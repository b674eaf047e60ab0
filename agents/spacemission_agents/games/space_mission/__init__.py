"""Agents of Space Mission: greedy, heuristic, searches, what networks read, probes."""
