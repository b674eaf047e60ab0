"""Training of agents by self-play."""
