"""Temporal-difference learning of afterstate values."""
