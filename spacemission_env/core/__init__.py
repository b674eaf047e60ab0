"""Holds what every game uses: game descriptions, batches of games, agents, checks, compiled code."""
