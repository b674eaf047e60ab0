"""The environments over a game: PettingZoo AEC, Gymnasium, Gymnasium vector."""
