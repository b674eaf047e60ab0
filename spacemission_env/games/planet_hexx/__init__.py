"""Mission to Planet Hexx!: 2 to 4 players, a board of hexes laid as one plays, cards with effects."""
