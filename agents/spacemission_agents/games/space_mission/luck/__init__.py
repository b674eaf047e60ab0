"""What luck was worth in a game of Space Mission: a value of positions, and the odds of each card drawn."""
