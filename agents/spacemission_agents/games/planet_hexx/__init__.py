"""Holds the agents of Planet Hexx."""
