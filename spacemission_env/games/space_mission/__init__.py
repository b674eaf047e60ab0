"""Space Mission: 2 to 5 players, cards, set collection, hidden piles."""
