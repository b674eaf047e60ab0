"""Holds the searching agents `ismcts` and `ismcts-policy`."""
