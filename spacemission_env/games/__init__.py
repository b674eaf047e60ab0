"""Holds the games, one folder per game; other code finds a game by its entry point."""
