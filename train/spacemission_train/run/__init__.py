"""Runs training: loop, checkpoints, run folder, report."""
