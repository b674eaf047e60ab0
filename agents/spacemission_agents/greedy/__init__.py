"""The agent `greedy`."""

from spacemission_agents.greedy.agent import GreedyAgent

__all__ = ["GreedyAgent"]
