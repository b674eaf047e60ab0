"""Holds the searching agent `ismcts`."""
