"""Temporal-difference learning: what positions behind moves are worth."""
