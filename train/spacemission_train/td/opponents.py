"""Agents that have seats in the games that a value learns from, beside the value itself."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.agents import Decisions, answered, make_agent, prepare_agents
from spacemission_train.settings.settings import LATEST, Settings


class Opponents:
    """The agents of a mixture (`Settings.mixture`) other than `latest`. For one thread.

    Attributes:
        names: what they are called.
        agents: who they are.
        edges: sums of their shares up to each; what is left of 1 is the learner's own. float64 (agents,).
    """

    def __init__(self, settings: Settings) -> None:
        """Make them, and tell them what will be played.

        Raises:
            AgentError: naming an agent that cannot be made, or cannot play these games.
        """
        shares = {name: share for name, share in settings.mixture.items() if name != LATEST}
        self.names = list(shares)
        self.agents = [make_agent(name, settings.game) for name in shares]
        self.edges = np.cumsum(np.array(list(shares.values()), np.float64))
        prepare_agents(self.agents, settings.info)

    def act(self, who: np.ndarray, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, decided by agent `who[row]`: int64 (n,).

        Raises:
            AgentError: an agent fails, or its answer is no integers.
        """
        actions = np.zeros(len(who), np.int64)
        for number in np.flatnonzero(np.bincount(who)):
            rows, agent = np.flatnonzero(who == number), self.agents[number]
            actions[rows] = answered(agent, decisions.part(agent, rows), self.names[number])
        return actions
