"""Serves the environment."""
