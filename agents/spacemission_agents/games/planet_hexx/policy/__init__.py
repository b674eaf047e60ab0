"""Holds the inputs and networks of trained policies."""
