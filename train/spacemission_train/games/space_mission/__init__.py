"""Training for Space Mission: what learners read, networks, TD self-play, tuning of the heuristic."""
