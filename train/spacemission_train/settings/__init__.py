"""Defines the settings of a run, presets, and experiment files."""
