"""Tests of the environment over any game: core, front ends, records, commands."""
