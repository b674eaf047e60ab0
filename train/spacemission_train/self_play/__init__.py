"""Many games as one SB3 environment, and who sits in the other seats."""
