"""Holds one folder per game. Only a game's own folder imports it; others find it by its entry point."""
