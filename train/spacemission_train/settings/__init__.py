"""Settings of a run, presets, experiment files."""
