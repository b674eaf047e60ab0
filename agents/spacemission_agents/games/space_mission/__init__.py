"""Holds Space Mission's agents: greedy, heuristic, policies, values, searches, probes."""
