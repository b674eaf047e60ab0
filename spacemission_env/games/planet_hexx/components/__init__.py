"""Holds decks of Planet Hexx: card language, cards, Mission Files, deck files."""
