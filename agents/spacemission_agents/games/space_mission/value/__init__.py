"""Holds values of positions and agents that play by them."""
