"""Holds data files of the agents of Planet Hexx."""
