"""Probes of any game: hand-made positions with their right moves, and how often an agent finds them."""
