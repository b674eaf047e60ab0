"""Holds what training knows of Planet Hexx."""
