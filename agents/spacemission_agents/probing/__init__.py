"""Probes: hand-made positions with their right moves, and how often an agent finds them."""
