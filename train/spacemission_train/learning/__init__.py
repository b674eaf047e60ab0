"""PPO, networks, imitation, evaluation: what learns."""
