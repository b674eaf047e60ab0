"""Judges the moves of any game by networks that read the moves' afterstates."""
