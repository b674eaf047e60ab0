"""Values of positions, the agents that play by them, and chance correction."""
