"""Declares Planet Hexx to the agents package."""

from spacemission_agents.game_agents import GameAgents

AGENTS = GameAgents(
    name="planet_hexx",
    probes_module="spacemission_agents.games.planet_hexx.probes",
    afterstates="spacemission_agents.games.planet_hexx.value:AFTERSTATES",
    network_input="spacemission_agents.games.planet_hexx.network_input:PlanetHexxNetworkInput",
)
