"""Plays games and shows records in a terminal."""
