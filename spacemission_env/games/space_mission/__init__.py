"""Holds Space Mission, a game of set collection for 2 to 5 players."""
