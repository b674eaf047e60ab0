"""Defines the training of Kuhn poker."""
