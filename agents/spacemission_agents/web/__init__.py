"""Serves `spacemission web`: people and agents play in the browser."""
