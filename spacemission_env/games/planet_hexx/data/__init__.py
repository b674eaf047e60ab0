"""Data files: the deck that ships."""
