"""The agents of each game, one folder a game."""
