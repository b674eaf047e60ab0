"""What the agents of an AEC environment are paid, turn by turn and at the end of a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.shaping import Shaping
from spacemission_env.frontends.spaces import AfterReset, truncates


class SeatRewards:
    """Rewards, endings and infos of agents that sit in seat order; PettingZoo's names."""

    # What only a game has; `_start` lays the environment's own over these.
    agent_selection = rewards = terminations = truncations = infos = _cumulative_rewards = AfterReset()
    game: Game
    game_spec: GameSpec
    possible_agents: list[str]

    def _choose_rewards(self, reward: Any, at_round_limit: Any, shaping: Shaping) -> None:
        self.reward_mode = self.game_spec.reward_mode(reward)
        self.truncates = truncates(at_round_limit)
        self.shaping = shaping
        self._margins: dict[str, np.float32] = {}  # of each agent, at its last decision

    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._margins.clear()
        self._turn_of(int(self.game.states[0].player), None)

    def _turn_of(self, seat: int, moved: str | None) -> None:
        # Where rewards are shaped, a seat is paid at each decision for all that went on since its last one.
        agent = self.agent_selection = self.possible_agents[seat]
        if self.shaping:
            self._pay(dict.fromkeys(self.agents, 0.0), moved)
            self._shape(agent, self.game.margins()[seat], False)

    def _finish(self, moved: str) -> None:
        game = self.game
        rewards = dict(zip(self.agents, map(float, game.rewards(self.reward_mode)), strict=True))
        self._end(rewards, moved, self.truncates and game.reason == "truncated")
        winners = game.winners()
        for seat, scores in enumerate(game.scores_json()):
            self.infos[self.agents[seat]].update(scores=scores, winner=seat in winners, reason=game.reason)

    def _end(self, rewards: dict[str, float], moved: str, truncated: bool = False) -> None:
        self._pay(rewards, moved)
        if self.shaping:
            for agent, margin in zip(self.agents, self.game.margins(), strict=True):
                self._shape(agent, margin, not truncated)
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self.agents[0]

    def _pay(self, rewards: dict[str, float], moved: str | None) -> None:
        # The rewards of a step; who moved has seen what had gathered until then.
        self.rewards = rewards
        if moved is not None:
            self._cumulative_rewards[moved] = 0.0
        for agent, reward in rewards.items():
            self._cumulative_rewards[agent] += reward

    def _shape(self, agent: str, margin: np.float32, terminated: bool) -> None:
        before = self._margins.get(agent)
        if before is not None:  # else it has made no move that could be paid
            paid = float(self.shaping.paid(before, margin, terminated))
            self.rewards[agent] += paid
            self._cumulative_rewards[agent] += paid
        self._margins[agent] = margin
        self.infos[agent]["margin"] = float(margin)
