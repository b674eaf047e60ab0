"""Holds values of positions, agents that play by them, and chance correction."""
