"""Presents many games as one Stable-Baselines3 vector environment, with one learner each.

A step is the learner's action in each game, followed by the opponents' moves up to the learner's next turn or
the end of the game. So the learner's last step gets the final reward, even if an opponent's move ends the
game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from spacemission_env.core.arguments import MAX_SEED, check_reset
from spacemission_env.core.failed import GiveUpOnError
from spacemission_env.core.shaping import Shaping
from spacemission_train.self_play.league import Pool
from spacemission_train.self_play.table import GameTable
from spacemission_train.settings.settings import Settings

Indices = int | Iterable[int] | None


@dataclass
class Seating:
    """Seats, opponents and sums of each game: arrays (num_envs,), except `players`.

    Attributes:
        turn: number of games played in this place so far; with each game the learner moves to the next seat.
        seat: the learner's seat.
        players: (num_envs, num_players), the opponent's number at each seat; unused at the learner's seat.
        acted: whether the learner has acted in this game, so that a reward can go to its last step.
        margin: `GameTable.margins` at the learner's last decision, if rewards are shaped.
        total: reward of this game so far.
        length: learner steps of this game so far.
    """

    turn: np.ndarray
    seat: np.ndarray
    players: np.ndarray
    acted: np.ndarray
    margin: np.ndarray
    total: np.ndarray
    length: np.ndarray


class SelfPlayVecEnv(VecEnv):
    """A `VecEnv` of `table.count` games, stepped together in this process.

    The learner takes each seat in turn. `rng` draws game seeds and opponents: the same seed and the same
    actions give the same games.

    Attributes:
        seating: seats, opponents and running sums of each game.
        rng: the generator of game seeds and opponents.
        seconds: wall-clock seconds so far in "rules" and in "opponents".
        games_played: finished games.
    """

    def __init__(
        self,
        table: GameTable,
        opponents: Pool,
        seed: int = 0,
        shaping: float = 0.0,
        bootstrap_truncated: bool = False,
        final_lead: bool = True,
        gamma: float = 1.0,
    ) -> None:
        """Make the environment.

        Args:
            table: the games.
            opponents: the players of the other seats.
            seed: seed of `rng`; `seed()` replaces it at the next `reset`.
            shaping: factor of the shaping reward, the change of `table.margins` since the last step.
            final_lead: True: the shaping reward includes the final margin, so a large win pays more than a
                small one. False: potential-based shaping, which ends at 0 and does not change optimal play
                (docs/shaping.md).
            gamma: the learner's discount, for potential-based shaping.
            bootstrap_truncated: report games that ended by the round limit as "TimeLimit.truncated", so that
                SB3 adds the discounted value of the last observation to the reward. Off by default: the final
                reward of such a game (SM-53) would then count twice.
        """
        self.render_mode = None
        self.table = table
        self.opponents = opponents
        self.shaping = Shaping(shaping, 1.0 if final_lead else gamma, final_lead)
        self.bootstrap_truncated = bootstrap_truncated
        self.seconds = {"rules": 0.0, "opponents": 0.0}
        self.games_played = 0
        count = table.count
        self._everyone = np.arange(count)
        high, dtype = (255, np.uint8) if table.dtype == "uint8" else (1, np.float32)
        space = spaces.Box(0, high, (table.observation_size,), dtype)
        super().__init__(count, space, spaces.Discrete(table.action_count))
        turn, seat, length = (np.zeros(count, np.int64) for _ in range(3))
        margin, total = (np.zeros(count, np.float32) for _ in range(2))
        players, acted = np.zeros((count, table.num_players), np.int64), np.zeros(count, bool)
        self.seating = Seating(turn, seat, players, acted, margin, total, length)
        self.rng = np.random.default_rng(seed)
        self._masks = np.zeros((count, table.action_count), np.int8)
        self._next_rng: np.random.Generator | None = None
        self._actions = np.zeros(count, np.int64)
        self._rewards = np.zeros(count, np.float32)
        self._dones = np.zeros(count, bool)
        self._infos: list[dict[str, Any]] = [{} for _ in range(count)]

    # ------------------------------------------------------------ the VecEnv interface

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next `reset`; None changes nothing."""
        self._next_rng = None if seed is None else np.random.default_rng(seed)
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Deal all games anew; return the learner's observations, float32 (num_envs, size)."""
        self.rng, self._next_rng = self._next_rng or self.rng, None
        self.seating.turn[:] = self._everyone
        with GiveUpOnError(self.table.states):
            for i in range(self.num_envs):
                self._deal(i)
            self._play_to_learner()
            return self._learner_view()

    def step_async(self, actions: np.ndarray) -> None:
        """Store the learner's actions, integers (num_envs,)."""
        self._actions[:] = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play up to the learner's next decisions; return observations, rewards, dones and infos.

        The arrays and infos are new. The infos of finished games hold
        "terminal_observation", "TimeLimit.truncated", "truncated", "rewards" (final, of each seat), "seat",
        and "episode" with the return "r" and the number of learner steps "l".

        Raises:
            IllegalActionError: one line naming the game and the move; no game has moved.
        """
        self._infos = [{} for _ in range(self.num_envs)]
        self._dones = np.zeros(self.num_envs, bool)
        self._rewards = np.zeros(self.num_envs, np.float32)
        start = perf_counter()
        self.table.step(self._everyone, self._actions)
        with GiveUpOnError(self.table.states):
            self.seating.acted[:] = True
            self.seating.length += 1
            self.seconds["rules"] += perf_counter() - start
            self._play_to_learner()
            return self._learner_view(), self._rewards, self._dones, self._infos

    def action_masks(self) -> np.ndarray:
        """Legal actions of the learner in each game, int8 (num_envs, actions), in a new array."""
        check_reset(self.table.states)
        return self._masks.copy()

    def close(self) -> None:
        """Do nothing."""

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> Any:
        """Call a method that returns one array for all games; return the rows of `indices`."""
        return getattr(self, method_name)(*args, **kwargs)[self._rows(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute, which all games share, repeated for each index."""
        return [getattr(self, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute for all games; `indices` is ignored."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """False for each index."""
        return [False] * len(self._rows(indices))

    def _rows(self, indices: Indices) -> np.ndarray:
        return self._everyone if indices is None else np.atleast_1d(self._everyone[np.asarray(indices)])

    # ------------------------------------------------------------ turns

    def _play_to_learner(self) -> None:
        # A game leaves `waiting` at the learner's turn. Finished games are paid and dealt anew in the loop.
        table, seating = self.table, self.seating
        waiting = self._everyone
        while True:
            start = perf_counter()
            self._end(waiting[table.over[waiting]])
            players = table.players[waiting]
            others = players != seating.seat[waiting]
            waiting, players = waiting[others], players[others]
            if not len(waiting):
                self.seconds["rules"] += perf_counter() - start
                return
            decisions = table.ask(waiting)
            asked = perf_counter()
            actions = self.opponents.act(seating.players[waiting, players], decisions)
            answered = perf_counter()
            table.step(waiting, actions)
            self.seconds["opponents"] += answered - asked
            self.seconds["rules"] += asked - start + perf_counter() - answered

    def _end(self, ended: np.ndarray) -> None:
        # If a game ended before the learner's first turn, there is no step to reward.
        paid = ended[self.seating.acted[ended]]
        results = self._pay(paid) if len(paid) else {}
        self.seating.turn[paid] += 1
        for i in ended.tolist():
            if i in results:
                self.opponents.note(*results[i])
            self._deal(i)

    def _pay(self, paid: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        # For each game: the opponents, and the learner's result against each of them.
        table, seating = self.table, self.seating
        seats = seating.seat[paid]
        finals = table.final_rewards(paid)
        own = finals[np.arange(len(paid)), seats]
        against = 0.5 + 0.5 * np.sign(own[:, None] - finals)
        if self.shaping:
            own = own + self.shaping.paid(seating.margin[paid], table.margins(paid, seats), True)
        self._rewards[paid] = own
        self._dones[paid] = True
        self.games_played += len(paid)
        truncated, last = table.truncated(paid), table.seen_by(seats, paid)
        places, there = np.arange(table.num_players), table.seats[paid]
        others = (places < there[:, None]) & (places != seats[:, None])
        results = {}
        for n, i in enumerate(paid.tolist()):
            results[i] = seating.players[i, others[n]], against[n, others[n]]
            self._infos[i] = {
                "terminal_observation": last[n],
                "TimeLimit.truncated": bool(truncated[n]) and self.bootstrap_truncated,
                "truncated": bool(truncated[n]),
                "rewards": finals[n, : there[n]],
                "seat": int(seats[n]),
                "episode": {"r": float(seating.total[i] + own[n]), "l": int(seating.length[i])},
            }
        return results

    def _deal(self, i: int) -> None:
        self.table.deal(i, int(self.rng.integers(MAX_SEED)))
        self.seating.players[i] = self.opponents.draw(self.rng, self.table.num_players)
        self.seating.seat[i] = self.seating.turn[i] % self.table.seats[i]
        self.seating.acted[i] = False
        self.seating.total[i] = 0.0
        self.seating.length[i] = 0

    def observe_again(self) -> np.ndarray:
        """A new array of the learner's present observations, float32 (num_envs, size)."""
        observations, self._masks[:] = self.table.view(self._everyone)
        return observations.copy()

    def _learner_view(self) -> np.ndarray:
        start = perf_counter()
        observations = self.observe_again()
        if self.shaping:
            margin = self.table.margins(self._everyone, self.seating.seat)
            paid = self.shaping.paid(self.seating.margin, margin)
            self._rewards += np.where(self.seating.acted, paid, 0)  # new games have no step to reward
            self.seating.margin[:] = margin
        self.seating.total += np.where(self.seating.acted, self._rewards, 0)
        self.seconds["rules"] += perf_counter() - start
        return observations


def make_env(settings: Settings, opponents: Pool) -> SelfPlayVecEnv:
    """The environment that a run trains in."""
    of = settings
    table = GameTable(of.envs, of.players, of.rules, of.components, reward=of.reward, game=of.game)
    return SelfPlayVecEnv(
        table, opponents, of.seed, shaping=of.shaping, final_lead=of.final_lead, gamma=of.gamma
    )
