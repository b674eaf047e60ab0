"""Implements Mission to Planet Hexx!, a game for 2 to 4 players."""
