"""Defines model folders, and the agent that plays by a network."""
