"""Holds data files: the default components and an empty form."""
