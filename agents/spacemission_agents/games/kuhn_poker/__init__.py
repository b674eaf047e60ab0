"""Holds the chance correction of Kuhn poker."""
