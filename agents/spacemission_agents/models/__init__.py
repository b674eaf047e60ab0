"""Model folders, and the agent that plays the network in one."""
