"""The agent `greedy`."""

from spacemission_agents.games.space_mission.greedy.agent import GreedyAgent

__all__ = ["GreedyAgent"]
