"""Space Mission as the agents' storey sees it."""

from __future__ import annotations

from spacemission_agents.game_agents import GameAgents
from spacemission_agents.games.space_mission.reading import SpaceMissionReading

AGENTS = GameAgents("space_mission", reading=SpaceMissionReading)
