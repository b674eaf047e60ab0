"""Plays uniformly random legal moves: the baseline."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.decisions import check_decisions
from spacemission_env.core.masks import choose_uniform


class RandomAgent(Agent):
    """Plays any legal move, each with the same probability."""

    for_players = "Plays anything that is allowed. For trying out the rules."
    needs = frozenset[str]()
    in_parts = True

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, int64 (n,); AgentError if the decisions are invalid."""
        decisions = check_decisions(decisions, "random", reads=False)
        actions = np.zeros(len(decisions), np.int64)
        choose_uniform(decisions.masks, decisions.keys, actions)
        return actions

    def action_probabilities(self, decisions: Decisions) -> np.ndarray:
        """The probability with which `act` plays each action, float64 (n, actions); equal for legal ones."""
        return np.asarray(decisions.masks / decisions.masks.sum(1, keepdims=True))
