"""The agent `heuristic`."""

from spacemission_agents.heuristic.agent import HeuristicAgent

__all__ = ["HeuristicAgent"]
