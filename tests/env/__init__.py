"""Tests of everything that is the same for all games: core, front ends, records, commands."""
