"""Holds the agents of each game, one folder per game."""
