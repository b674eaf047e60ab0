"""Draws games: SVG parts, colours, pixels."""
