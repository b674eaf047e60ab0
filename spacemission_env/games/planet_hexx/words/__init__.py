"""Planet Hexx in words: cards, icons, moves, refusals and the table."""
