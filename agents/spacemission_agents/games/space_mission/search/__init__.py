"""The agents that search: `ismcts` and `ismcts-policy`."""
