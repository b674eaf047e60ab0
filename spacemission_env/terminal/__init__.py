"""Plays any game in a terminal, and shows records."""
