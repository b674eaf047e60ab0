"""The agent `greedy`."""

from spacemission_agents.games.planet_hexx.greedy.agent import GreedyAgent

__all__ = ["GreedyAgent"]
