"""Defines the training of Planet Hexx."""
