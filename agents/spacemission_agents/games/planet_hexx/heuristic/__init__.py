"""Holds the agent `heuristic`."""

from spacemission_agents.games.planet_hexx.heuristic.agent import HeuristicAgent

__all__ = ["HeuristicAgent"]
