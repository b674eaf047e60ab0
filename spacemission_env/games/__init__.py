"""One folder a game. Nothing outside a game's folder imports it: it is found by its entry point."""
