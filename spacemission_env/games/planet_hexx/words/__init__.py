"""Describes cards, moves, refusals and the table in words."""
