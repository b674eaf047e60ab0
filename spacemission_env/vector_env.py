"""`SpaceMission-v0` as a native Gymnasium vector environment: many games over the batched engine.

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

from spacemission_env.agents_api import Decisions
from spacemission_env.batched import BatchedGames
from spacemission_env.engine import batch
from spacemission_env.engine.constants import ACTION_COUNT, REWARD_NAMES, TRUNCATED
from spacemission_env.engine.layout import OBSERVATION_SIZE
from spacemission_env.errors import SetupError
from spacemission_env.game import check_choice, check_seed
from spacemission_env.gym_env import agent_names, check_seat, learner_seat, make_opponents
from spacemission_env.recording import Recording
from spacemission_env.space_mission_v0 import ILLEGAL

AUTORESET = ("same_step", "next_step")


class SpaceMissionVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many games, one learner in each, against named agents.

    Args:
        num_envs: number of games.
        autoreset_mode: "same_step" (the step that ends a game returns the next game's first observation;
            the last one is in `infos["final_obs"]`, its info in `infos["final_info"]`) or "next_step" (the
            following step, whose action is ignored, returns it), as Gymnasium defines them.
        num_players, opponents, seat, rules, components, observation, reward, illegal, record,
            learner_name: as for `SpaceMissionEnv`.

    Masks: `action_masks()` and `infos["action_mask"]`, (num_envs, 101).
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        opponents: Any = "random",
        seat: int | None = None,
        rules: Any = "printed",
        components: Any = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        illegal: str = "raise",
        autoreset_mode: str = "same_step",
        record: Any = None,
        learner_name: str = "learner",
        render_mode: str | None = None,
    ) -> None:
        if type(num_envs) is not int or num_envs < 1:
            raise SetupError(f"num_envs: expected a whole number from 1, not {num_envs!r}")
        if render_mode is not None:
            raise SetupError("render_mode: a vector environment draws nothing; render a single SpaceMission-v0")
        self.games = BatchedGames(num_envs, num_players, rules, components, observation)
        self.num_envs = num_envs
        self.opponents = make_opponents(opponents, num_players)
        self.names = agent_names(learner_name, opponents, num_players)
        self.fixed_seat = check_seat(seat, num_players)
        self.reward_mode = check_choice("reward", reward, REWARD_NAMES)
        self.illegal = ILLEGAL[check_choice("illegal", illegal, ILLEGAL)]
        self.same_step = check_choice("autoreset_mode", autoreset_mode, AUTORESET) == 0
        mode = AutoresetMode.SAME_STEP if self.same_step else AutoresetMode.NEXT_STEP
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.render_mode = None
        self.single_observation_space = spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32)
        self.single_action_space = spaces.Discrete(ACTION_COUNT)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.seats = np.zeros(num_envs, np.int64)
        self.ended = np.zeros(num_envs, bool)  # over and not yet dealt anew
        self._masks = np.zeros((num_envs, ACTION_COUNT), np.int8)
        self._recording = Recording(record)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal all games: from `seed` + i, from a list of seeds, or the games that follow."""
        if seed is None and not self.games.states[0].num_players:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise SetupError(f"seed: expected {self.num_envs} seeds, got {len(seed)}")
            seeds = [check_seed(one) for one in seed]
        elif seed is not None:
            seeds = [check_seed(seed) + i for i in range(self.num_envs)]
        else:
            seeds = [self.games.next_seed(i) for i in range(self.num_envs)]
        for i, one in enumerate(seeds):
            self.games.deal(i, one)
        self._start(self.games.everyone)
        self._opponents_play(self.games.everyone)
        return self._view(), {"action_mask": self._masks.copy(), "seat": self.seats.copy()}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learner's move in every game, then the opponents' until the learner is to move or it is over.

        Raises:
            IllegalActionError: naming the game and the move; no game has moved (`illegal="raise"`).
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise SetupError(f"actions: expected {self.num_envs} integers, got {actions.dtype} {actions.shape}")
        rewards = np.zeros(self.num_envs)
        infos: dict[str, Any] = {}
        stale = np.flatnonzero(self.ended)  # next_step: these are dealt now, their actions ignored
        moving = np.flatnonzero(~self.ended)
        lost = self._illegal(moving, actions) if self.illegal == "lose" else moving[:0]
        moving = np.setdiff1d(moving, lost, assume_unique=True)
        self._move(moving, actions[moving], self._masks[moving])
        self._deal_next(stale)
        self._opponents_play(np.concatenate([moving, stale]))
        over = self.games.over
        over[stale] = False
        terminations = over & (self.games.states["over"] != TRUNCATED)
        truncations = over & ~terminations
        terminations[lost] = True
        rewards[lost] = -1.0
        ended = np.flatnonzero(over)
        for i in ended:
            rewards[i] = self.games.game(i).rewards(self.reward_mode)[self.seats[i]]
        self.ended[:] = terminations | truncations
        observations = self._view()
        if self.ended.any():
            final = {"scores": [self.games.game(i).scores_json() if over[i] else None for i in range(self.num_envs)],
                     "seat": self.seats.copy()}
            if self.same_step:
                infos.update(final_obs=self._object_rows(observations), final_info=final)
                infos.update(_final_obs=self.ended.copy(), _final_info=self.ended.copy())
                again = np.flatnonzero(self.ended)
                self._deal_next(again)
                self._opponents_play(again)
                observations = self._view()
            else:
                infos.update(final)
        infos.update(action_mask=self._masks.copy(), seat=self.seats.copy())
        return observations, rewards, terminations, truncations, infos

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner in each game: bool (num_envs, 101)."""
        return self._masks.astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the record file."""
        self._recording.close()

    # ------------------------------------------------------------ turns

    def _start(self, index: np.ndarray) -> None:
        n = self.games.num_players
        for i in index:
            self.seats[i] = learner_seat(self.fixed_seat, int(self.games.states[i].seed), n)
            self.ended[i] = False
            if self._recording:
                names = [self.names[(seat - self.seats[i]) % n] for seat in range(n)]
                self._recording.start(self.games.game(i), names, int(i))

    def _deal_next(self, index: np.ndarray) -> None:
        if len(index):
            self.games.deal_next(index)
            self._start(index)

    def _move(self, index: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> None:
        if self._recording and batch.first_illegal(masks, actions) < 0:
            for i, action in zip(index, actions, strict=True):
                self._recording.before(int(action), int(i))
        self.games.step(index, actions, masks)
        if self._recording:
            for i in index[self.games.over[index]]:
                self._recording.finish(int(i))

    def _illegal(self, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        inside = (actions >= 0) & (actions < ACTION_COUNT)
        legal = self._masks[np.arange(self.num_envs), np.where(inside, actions, 0)] == 1
        return index[~(inside & legal)[index]]

    def _opponents_play(self, waiting: np.ndarray) -> None:
        n = self.games.num_players
        while True:
            players = self.games.players[waiting]
            waiting = waiting[(players != self.seats[waiting]) & ~self.games.over[waiting]]
            if not len(waiting):
                return
            observations, masks = self.games.view(waiting)
            keys = self.games.keys(waiting)
            offsets = (self.games.players[waiting] - self.seats[waiting]) % n - 1
            actions = np.zeros(len(waiting), np.int64)
            for agent in dict.fromkeys(self.opponents):  # each agent answers all its decisions in one batch
                rows = np.flatnonzero([self.opponents[k] is agent for k in offsets])
                if len(rows):
                    actions[rows] = agent.act(Decisions(observations[rows], masks[rows], keys[rows]))
            self._move(waiting, actions, masks)

    def _view(self) -> np.ndarray:
        # From the learner's seat, also where the game is over.
        observations = np.empty((self.num_envs, OBSERVATION_SIZE), np.float32)
        template = self.games.template
        batch.seats_view_batch(
            self.games.states, template.box, self.seats, template.recall, observations, self._masks
        )
        self._masks[self.ended] = 0
        return observations

    def _object_rows(self, observations: np.ndarray) -> np.ndarray:
        rows = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(self.ended):
            rows[i] = observations[i]
        return rows
