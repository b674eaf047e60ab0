"""Data files: the default components table."""
