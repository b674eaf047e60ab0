"""Provides PPO: networks, learner, imitation, runs."""
