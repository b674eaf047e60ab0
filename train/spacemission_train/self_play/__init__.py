"""Presents many games as one SB3 environment, and draws the opponents."""
