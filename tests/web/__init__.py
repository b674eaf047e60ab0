"""The server of `spacemission web` and its page."""
