"""Provides environments over any game: PettingZoo AEC, Gymnasium, Gymnasium vector."""
