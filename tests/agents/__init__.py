"""Tests of agents, models, the arena and its reports."""
