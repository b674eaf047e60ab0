"""Formats the reports of `arena` and `play` as HTML and text."""
