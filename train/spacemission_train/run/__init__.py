"""Training runs: loop, checkpoints, run folder, report."""
