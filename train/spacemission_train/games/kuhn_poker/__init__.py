"""Training for Kuhn poker: the settings that bring self-play to its equilibrium."""
