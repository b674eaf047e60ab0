"""Probes of Planet Hexx: hand-made positions, and whether an agent finds the right move."""
