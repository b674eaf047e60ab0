"""Implements the commands of `spacemission` that train or measure."""
