"""Plays games in a terminal."""
