"""Measurements and fits that are run by hand: `python -m studies.NAME`."""
