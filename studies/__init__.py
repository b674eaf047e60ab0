"""Measures things once: each module is a script, run as `python -m studies.NAME`."""
