"""Holds the version of the package; no other file does."""

__version__ = "0.1.0"
