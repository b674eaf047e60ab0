"""The searching agents `ismcts` and `ismcts-policy`."""
