"""Implements the commands that need agents: play, arena, agents, probe, new-bot, warmup, web."""
