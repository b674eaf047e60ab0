"""Holds the version of the package, which all other code imports."""

__version__ = "0.1.0"
