"""The commands that need agents: play, arena, probe, new-bot."""
