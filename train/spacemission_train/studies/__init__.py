"""Comparisons of settings and trainers, and speed of training."""
