"""Holds the version of the package, and nothing else does."""

__version__ = "0.1.0"
