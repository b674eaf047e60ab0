"""PPO: networks, learner, imitation, runs."""
