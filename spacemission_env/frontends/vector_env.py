"""Any game as a native Gymnasium vector environment: many games over the batched engine.

No subprocesses; observations and masks come in one array each; opponents answer in batches. Game i of
`reset(seed=s)` is the game that the single environment deals from seed s + i, and goes on like it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spacemission_env.core.arguments import check_options, check_reset, listed_numbers
from spacemission_env.core.batched import MOST_GAMES, BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.errors import SetupError, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, check_choice, find_game
from spacemission_env.frontends.fresh_arrays import FreshArrays
from spacemission_env.frontends.learner_games import LearnerGames
from spacemission_env.frontends.spaces import IF_ILLEGAL, illegal_rows, observation_box, seeds_for

AUTORESET = ("same_step", "next_step")


class LearnerVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many games, one learner in each, against named agents.

    Args:
        num_envs: number of games.
        autoreset_mode: "same_step" (the step that ends a game returns the next game's first observation;
            the last one is in `infos["final_obs"]`, its info in `infos["final_info"]`) or "next_step" (the
            following step, whose action is ignored, returns it), as Gymnasium defines them.
        threads: how many share the work, 1 to 256; the games are the same with any number.
        dtype: of observations: "float32", or "uint8", the compact ones (docs/observation.md); times `units`
            they are the others.
        num_players, opponents, seat, rules, components, observation, reward, illegal, record,
            learner_name, game: as for `LearnerEnv`.

    Attributes:
        units: float32 (observation_size,), by which observations are to be multiplied for floats in [0, 1].

    Masks: `action_masks()` and `infos["action_mask"]`, (num_envs, actions).
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int | None = None,
        opponents: Any = "random",
        seat: int | None = None,
        rules: Any = None,
        components: Any = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        illegal: str = "raise",
        autoreset_mode: str = "same_step",
        record: Any = None,
        learner_name: str = "learner",
        render_mode: str | None = None,
        game: str | GameSpec = DEFAULT_GAME,
        threads: int = 1,
        dtype: str = "float32",
    ) -> None:
        if type(num_envs) is not int or not 1 <= num_envs <= MOST_GAMES:
            raise SetupError(f"num_envs: expected 1 to {MOST_GAMES:,}, not {shown(num_envs)}")
        if render_mode is not None:
            raise SetupError("render_mode: a vector environment draws nothing; render a single one")
        spec = find_game(game)
        num_players = spec.learner_players(num_players)
        self.games = BatchedGames(num_envs, num_players, rules, components, observation, spec, threads, dtype)
        self.num_envs = num_envs
        self.units = self.games.units
        self.reward_mode = spec.reward_mode(reward)
        self.illegal = IF_ILLEGAL[check_choice("illegal", illegal, IF_ILLEGAL)]
        self.same_step = check_choice("autoreset_mode", autoreset_mode, AUTORESET) == 0
        mode = AutoresetMode.SAME_STEP if self.same_step else AutoresetMode.NEXT_STEP
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.render_mode = None
        self.single_observation_space = observation_box(spec, self.games.dtype)
        self.single_action_space = spaces.Discrete(spec.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.ended = np.zeros(num_envs, bool)  # over and not yet dealt anew
        self._masks = np.zeros((num_envs, spec.action_count), np.int8)
        self._arrays = FreshArrays((num_envs, spec.observation_size), self.games.dtype)
        self._played = LearnerGames(self.games, opponents, seat, learner_name, record)
        self.opponents, self.names = self._played.opponents, self._played.names
        self.seats = self._played.seats

    def reset(
        self, *, seed: int | Sequence[int] | np.ndarray | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal all games: from `seed` + i, from a list or array of seeds, or the games that follow."""
        if check_options(options) is not None:
            raise SetupError("options: setup: many games are not laid at once; use a single environment")
        for i, one in enumerate(seeds_for(self.games, seed)):
            self.games.deal(i, one)
        self._start(self.games.everyone)
        self._played.others_play(self.games.everyone)
        return self._view(), {"action_mask": self._masks.copy(), "seat": self.seats.copy()}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learner's move in every game, then the opponents' until the learner is to move or it is over.

        Raises:
            IllegalActionError: naming the game and the move; no game has moved (`illegal="raise"`).
        """
        check_reset(self.games.states)
        actions = listed_numbers("actions", actions, self.num_envs)
        rewards = np.zeros(self.num_envs)
        infos: dict[str, Any] = {}
        stale = np.flatnonzero(self.ended)  # next_step: these are dealt now, their actions ignored
        moving = np.flatnonzero(~self.ended)
        lost = illegal_rows(moving, actions, self._masks) if self.illegal == "lose" else moving[:0]
        if len(lost):
            moving = np.setdiff1d(moving, lost, assume_unique=True)
        if len(moving) == self.num_envs:
            moving = self.games.everyone
        self._played.move(moving, actions[moving])
        self._deal_next(stale)
        self._played.others_play(np.concatenate([moving, stale]) if len(stale) else moving)
        over = self.games.over
        over[stale] = False
        terminations = over & (self.games.states["over"] != TRUNCATED)
        truncations = over & ~terminations
        terminations[lost] = True
        rewards[lost] = -1.0
        rewards[over] = self._played.rewards(np.flatnonzero(over), self.reward_mode)
        self.ended[:] = terminations | truncations
        observations = self._view()
        if self.ended.any():
            games = [self.games.game(i) if self.games.over[i] else None for i in range(self.num_envs)]
            scores = [None if game is None else game.scores_json() for game in games]
            final = {"scores": scores, "seat": self.seats.copy()}
            if self.same_step:
                again = np.flatnonzero(self.ended)
                infos["final_obs"] = np.full(self.num_envs, None, object)
                for i in again:
                    infos["final_obs"][i] = observations[i].copy()
                infos.update(final_info=final, _final_obs=self.ended.copy(), _final_info=self.ended.copy())
                self._deal_next(again)
                self._played.others_play(again)
                self._view_again(again, observations)
            else:
                infos.update(final)
        infos.update(action_mask=self._masks.copy(), seat=self.seats.copy())
        return observations, rewards, terminations, truncations, infos

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner in each game: bool (num_envs, actions)."""
        check_reset(self.games.states)
        return self._masks.astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the record file."""
        self._played.recording.close()

    def _start(self, index: np.ndarray) -> None:
        self._played.start(index)
        self.ended[index] = False

    def _deal_next(self, index: np.ndarray) -> None:
        if len(index):
            self.games.deal_next(index)
            self._start(index)

    def _view(self) -> np.ndarray:
        # From the learner's seat, also where the game is over.
        observations = self._arrays.take()
        self.games.seats_view(self.seats, observations, self._masks)
        self._masks[self.ended] = 0
        return observations

    def _view_again(self, index: np.ndarray, observations: np.ndarray) -> None:
        # Of those games that have been dealt since.
        seen = np.empty((len(index), observations.shape[1]), observations.dtype)
        masks = np.empty((len(index), self._masks.shape[1]), np.int8)
        self.games.seats_view(self.seats[index], seen, masks, index)
        observations[index], self._masks[index] = seen, masks


SpaceMissionVectorEnv = LearnerVectorEnv  # its name while there was one game
