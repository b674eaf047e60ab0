"""Declares Kuhn poker to the agents package."""
