"""The agent `heuristic`."""

from spacemission_agents.games.space_mission.heuristic.agent import HeuristicAgent

__all__ = ["HeuristicAgent"]
