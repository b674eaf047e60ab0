"""Data files of the agents of Planet Hexx."""
