"""Training for Space Mission: what the learner reads, tuning of the heuristic, fitted judges of a search."""
