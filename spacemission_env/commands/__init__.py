"""Implements the commands that need only the environment."""
