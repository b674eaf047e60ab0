"""What training knows of each game, one folder a game."""
