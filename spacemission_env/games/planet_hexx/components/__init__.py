"""Cards and Mission Files of Planet Hexx as data: the language, decks, and the files they are read from."""
