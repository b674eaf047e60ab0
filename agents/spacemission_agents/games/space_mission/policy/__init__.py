"""Holds networks that play from observations."""
