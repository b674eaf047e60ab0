"""Declares Planet Hexx to the agents package."""

from spacemission_agents.game_agents import GameAgents

AGENTS = GameAgents(
    name="planet_hexx",
    probes="spacemission_agents.games.planet_hexx:data/probes.toml",
    afterstates="spacemission_agents.games.planet_hexx.value:AFTERSTATES",
    network_input="spacemission_agents.games.planet_hexx.value:PlanetHexxNetworkInput",
)
