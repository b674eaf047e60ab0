"""Draws games as SVG and as pixels."""
