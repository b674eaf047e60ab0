"""Probes of any game: hand-made positions with the moves that are right, and how often an agent finds them."""
