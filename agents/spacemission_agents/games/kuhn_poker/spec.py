"""Declares Kuhn poker to the agents package."""

from __future__ import annotations

from spacemission_agents.game_agents import GameAgents

AGENTS = GameAgents(name="kuhn_poker")
