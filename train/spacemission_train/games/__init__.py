"""Holds what training knows of each game, one folder per game."""
