"""The agents of an AEC environment, one a seat, and their spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from spacemission_env.core.errors import SetupError, shown
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.frontends.spaces import observation_space


class SeatSpaces:
    """Agents `player_0` … in seat order.

    Attributes:
        possible_agents: their names.
        seats: seat by name.
        state_space: of `state()`.
    """

    def _make_spaces(self, spec: GameSpec, num_players: int) -> None:
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: observation_space(spec) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(spec.action_count) for agent in self.possible_agents}
        self.state_space = spaces.Box(0.0, 1.0, (num_players * spec.observation_size,), np.float32)

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of the agent's observations (the same object at every call)."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Space:
        """The space of the agent's actions (the same object at every call)."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def _seat_of(self, agent: Any) -> int:
        try:
            return self.seats[agent]
        except (KeyError, TypeError):
            expected = ", ".join(self.possible_agents)
            raise SetupError(f"agent: expected one of {expected}, not {shown(agent)}") from None
