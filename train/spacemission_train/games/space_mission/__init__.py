"""Defines the training of Space Mission: inputs, networks, TD self-play."""
