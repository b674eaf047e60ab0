"""Provides information-set tree search: nodes of a tree, and an agent that searches in threads."""
