"""Registers probes, bot template, network input and afterstates of Space Mission."""

from __future__ import annotations

from spacemission_agents.game_agents import GameAgents

AGENTS = GameAgents(
    name="space_mission",
    probes="spacemission_agents.games.space_mission:data/probes.toml",
    bot_module="spacemission_agents.games.space_mission.bot_template",
    network_input="spacemission_agents.games.space_mission.network_input:SpaceMissionNetworkInput",
    afterstates="spacemission_agents.games.space_mission.value.afterstates:AFTERSTATES",
)
