"""Helpers for several test modules: positions, toy games, boxes, bots. No tests."""
