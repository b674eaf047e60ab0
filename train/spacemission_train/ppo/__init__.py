"""Provides PPO: networks, learner, runs."""
