"""Declares Kuhn poker to the agents package."""

from __future__ import annotations

from spacemission_agents.game_agents import GameAgents

AGENTS = GameAgents(
    name="kuhn_poker",
    correction="spacemission_agents.games.kuhn_poker.chance_correction:KuhnChanceCorrection",
)
