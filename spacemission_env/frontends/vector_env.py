"""Provides any game as a Gymnasium vector environment over `BatchedGames`, without subprocesses.

Game i after `reset(seed=s)` is the one that `LearnerEnv` deals from seed s + i; so are the games after it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spacemission_env.core.arguments import (
    check_number,
    check_options,
    check_reset,
    known_options,
    listed_numbers,
)
from spacemission_env.core.batched import MOST_GAMES, BatchedGames
from spacemission_env.core.constants import REASON_NAMES
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.core.failed import GiveUpOnError
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, check_choice, find_game
from spacemission_env.core.reading import Json
from spacemission_env.frontends.rendering import FRAMES, Rendering, modes_here
from spacemission_env.frontends.shaping import Shaping
from spacemission_env.frontends.spaces import (
    IF_ILLEGAL,
    illegal_rows,
    legal_in,
    observation_box,
    seeds_for,
    truncates,
)
from spacemission_env.frontends.turns import LearnerTurns
from spacemission_env.pictures.raster import SIZE

RENDER_MODES = ("ansi", "rgb_array")  # not "human": a window shows only one game
AUTORESET = ("same_step", "next_step")
MOST_THREADS = 256
PART_GAMES = 64  # minimum number of games per thread


class LearnerVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many games, each with one learner against named agents.

    Args:
        num_envs: number of games.
        autoreset_mode: as Gymnasium defines it. "same_step": the step that ends a game returns the next
            game's first observation; the last one is in `infos["final_obs"]`, and its info is in
            `infos["final_info"]`. "next_step": the step after the end ignores its action and returns the
            first observation of the next game.
        threads: number of threads, 1 to 256, each for a part of the games; it does not change the games.
            Games that are recorded, and opponents that do not allow it (`Agent.in_parts`), get one thread.
        dtype: type of observations: "float32", or "uint8" (compact, docs/observation.md). Compact
            observations times `units` are the float observations.
        num_players, opponents, seat, rules, components, observation, reward, illegal, at_round_limit,
            shaping, shaping_discount, record, learner_name, game, render_size, render_theme: as for
            `LearnerEnv`.
        render_mode: None, "ansi" or "rgb_array": `render` returns a tuple with one text or picture per game.

    Attributes:
        units: float32 (observation_size,), factors that turn observations into floats in [0, 1].

    Masks, (num_envs, actions), are in `infos["action_mask"]` as int8; `action_masks()` gives them as bool.
    """

    @known_options
    def __init__(
        self,
        num_envs: int = 1,
        num_players: int | None = None,
        opponents: object = "random",
        seat: int | None = None,
        rules: object = None,
        components: object = None,
        observation: str = "perfect_recall",
        reward: str = "win",
        illegal: str = "raise",
        at_round_limit: str = "terminate",
        shaping: float = 0.0,
        shaping_discount: float = 1.0,
        autoreset_mode: str | AutoresetMode = "same_step",
        record: object = None,
        learner_name: str = "learner",
        render_mode: str | None = None,
        game: str | GameSpec = DEFAULT_GAME,
        threads: int = 1,
        dtype: str = "float32",
        render_size: object = SIZE,
        render_theme: str = "light",
    ) -> None:
        if type(num_envs) is not int or not 1 <= num_envs <= MOST_GAMES:
            raise SetupError(f"num_envs: expected 1 to {MOST_GAMES:,}, not {shown(num_envs)}")
        spec = find_game(game)
        num_players = spec.learner_players(num_players)
        self.games = BatchedGames(num_envs, num_players, rules, components, observation, spec, dtype)
        self.num_envs, self.threads = num_envs, check_number("threads", threads, 1, MOST_THREADS)
        self.units = self.games.units
        self.illegal = IF_ILLEGAL[check_choice("illegal", illegal, IF_ILLEGAL)]
        if isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = autoreset_mode.name.lower()
        self.same_step = check_choice("autoreset_mode", autoreset_mode, AUTORESET) == 0
        mode = AutoresetMode.SAME_STEP if self.same_step else AutoresetMode.NEXT_STEP
        self._rendering = Rendering(render_mode, render_size, render_theme, RENDER_MODES)
        self.metadata = {
            "render_modes": [m for m in modes_here() if m in RENDER_MODES],
            "render_fps": FRAMES,
            "autoreset_mode": mode,
        }
        self.render_mode = render_mode
        self.single_observation_space = observation_box(spec, self.games.dtype)
        self.single_action_space = spaces.Discrete(spec.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masks = np.zeros((num_envs, spec.action_count), np.int8)
        self._no_words = np.full(num_envs, "", object)
        limit, shaped = truncates(at_round_limit), Shaping(shaping, shaping_discount)
        self._turns = LearnerTurns(self.games, opponents, seat, reward, limit, shaped, learner_name, record)
        self._parts = self._make_parts()
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    def __getstate__(self) -> Json:
        return {**self.__dict__, "_parts": None, "_pool": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Make parts that share the copy's own memory."""
        self.__dict__.update(state)
        self._parts = self._make_parts()

    def _make_parts(self) -> list[LearnerTurns]:
        # Make as many parts as threads, if each part gets enough games and the turn loop can be parted.
        parts = min(self.threads, self.num_envs // PART_GAMES) if self._turns.can_be_parted else 1
        return self._turns.parted(parts)

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int64 (num_envs,); a view."""
        return self._turns.seats

    def reset(
        self, *, seed: int | Sequence[int] | np.ndarray | None = None, options: Json | None = None
    ) -> tuple[np.ndarray, Json]:
        """Deal all games: from `seed` + i, from a list or array of seeds, or the next games."""
        if check_options(options) is not None:
            raise SetupError("options: setup: a vector environment takes no set-up; use a single environment")
        seeds = seeds_for(self.games, seed)
        observations = self._new_observations()

        def start(part: LearnerTurns) -> None:
            part.start(part.games.everyone)
            self._look(part, observations)

        with GiveUpOnError(self.games.states):
            for i, one in enumerate(seeds):
                self.games.deal(i, one)
            self._each(start)
            return observations, self._infos(self._no_results())

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Json]:
        """Make the learner's move in every game, then the opponents' until the learner's next turn or the
        end.

        Raises:
            IllegalActionError: names the game and the move; no game has moved (`illegal="raise"`).
        """
        check_reset(self.games.states)
        actions, turns = listed_numbers("actions", actions, self.num_envs), self._turns
        results = self._no_results()
        if self.illegal == "lose":
            turns.lost[:] = False
            for i in illegal_rows(np.flatnonzero(~turns.ended), actions, self._masks):
                results["illegal"][i] = self.games.game(i).why_illegal(int(actions[i]))
                turns.lost[i] = True
        try:
            if len(self._parts) == 1:
                turns.move(actions)
            else:  # no part moves unless all moves are legal
                moving = np.flatnonzero(~(turns.ended | turns.lost))
                self.games.check_moves(moving, actions[moving])
        except IllegalActionError as error:
            raise IllegalActionError(f"{error}{legal_in('infos')}") from None
        observations, last = self._new_observations(), np.full(self.num_envs, None, object)
        final = {"seat": np.zeros(self.num_envs, np.int64), "margin": np.zeros(self.num_envs)}

        def dealing(part: LearnerTurns, index: np.ndarray) -> None:
            self._note_results(part, index, results)
            rows = index + part.rows.start
            seen = np.empty((len(index), observations.shape[1]), observations.dtype)
            part.games.seats_view(part.seats[index], seen, np.empty_like(self._masks[: len(index)]), index)
            last[rows] = list(seen)
            final["seat"][rows], final["margin"][rows] = part.seats[index], part.margins[index]

        def go_on(part: LearnerTurns) -> None:
            if len(self._parts) > 1:
                part.move(actions[part.rows])
            part.go_on(dealing if self.same_step else None)
            self._look(part, observations)

        with GiveUpOnError(self.games.states):
            self._each(go_on)
            ended, infos = turns.terminated | turns.truncated, {}
            if ended.any() and not self.same_step:
                self._note_results(turns, np.flatnonzero(ended), results)
            elif ended.any():
                infos, results = self._final_infos(last, final | results, ended), self._no_results()
            infos = infos | self._infos(results)
        given = turns.rewards.copy(), turns.terminated.copy(), turns.truncated.copy()
        return observations, *given, infos

    def _new_observations(self) -> np.ndarray:
        # A new array: a caller may hold the last one.
        return np.empty((self.num_envs, self.games.spec.observation_size), self.games.dtype)

    def _look(self, part: LearnerTurns, observations: np.ndarray) -> None:
        # Write the rows of a part from the learner's seat, also for finished games.
        masks = self._masks[part.rows]
        part.games.seats_view(part.seats, observations[part.rows], masks)
        masks[part.ended] = 0

    def _no_results(self) -> dict[str, np.ndarray]:
        # The results of games that have not ended, in new arrays.
        n, players = self.num_envs, self.games.num_players
        return {
            "scores": np.zeros((n, players, len(self.games.spec.score_names)), np.int64),
            "winners": np.zeros((n, players), bool),
            "reason": self._no_words.copy(),
            "illegal": self._no_words.copy(),
        }

    def _note_results(self, part: LearnerTurns, ended: np.ndarray, results: dict[str, np.ndarray]) -> None:
        # `results` has a row for every game.
        scores, winners, reasons = (results[name][part.rows] for name in ("scores", "winners", "reason"))
        over = ended[part.games.over[ended]]
        if len(over):
            scores[over], _, winners[over] = part.games.outcome(over)
            reasons[over] = [REASON_NAMES[how] for how in part.games.states["over"][over]]
        reasons[part.lost] = "illegal"

    def _final_infos(self, last: np.ndarray, final: Json, ended: np.ndarray) -> Json:
        final = {"action_mask": np.zeros_like(self._masks), **final}
        if not self._turns.shaping:
            del final["margin"]
        for name in ("reason", "illegal"):
            final[name][~ended] = None
        return marked({"final_obs": last, "final_info": marked(final, ended)}, ended)

    def _infos(self, results: dict[str, np.ndarray]) -> Json:
        # Join infos as Gymnasium's `SyncVectorEnv` does: the mask `_name` marks the games that have `name`.
        now = {"action_mask": self._masks.copy(), "seat": self._turns.seats.copy()}
        if self._turns.shaping:
            now["margin"] = self._turns.margins.astype(float)
        return marked(now | results, np.ones(self.num_envs, bool))

    def replace_opponents(self, opponents: object) -> None:
        """From now on draw the opponents of new games from these, not from the constructor's `opponents`."""
        self._turns.replace_opponents(opponents)
        self._parts = self._make_parts()

    def action_masks(self) -> np.ndarray:
        """Legal moves of the learner in each game: bool (num_envs, actions)."""
        check_reset(self.games.states)
        return self._masks.astype(bool)

    def render(self) -> tuple[str | np.ndarray, ...] | None:
        """Each game from its learner's view, text or pixels; None without `render_mode`."""
        if self.render_mode is None:
            return None
        drawn = (self._rendering.show(self.games.game(i), int(seat)) for i, seat in enumerate(self.seats))
        return tuple(one for one in drawn if one is not None)

    def close_extras(self, **kwargs: object) -> None:
        """Close the record file."""
        self._turns.recording.close()

    def _each(self, do: Callable[[LearnerTurns], None]) -> None:
        # Call `do` on every part, each in its own thread, the first in this one. An error, also Ctrl-C, is
        # raised when no thread writes any more.
        own, *others = self._parts
        if not others:
            do(own)
            return
        if self._pool is None or self._pool_process != os.getpid():  # a forked process has no threads
            self._pool, self._pool_process = ThreadPoolExecutor(len(others)), os.getpid()
        tasks = [self._pool.submit(do, part) for part in others]
        failed: BaseException | None = None
        try:
            do(own)
        except BaseException as error:
            failed = error
        while not all(task.done() for task in tasks):
            try:
                wait(tasks)
            except BaseException as error:
                failed = error
        if failed:
            raise failed
        for task in tasks:
            task.result()


def marked(arrays: Json, present: np.ndarray) -> Json:
    """Add for each array `name` the mask `_name`: which games have this entry."""
    return arrays | {f"_{name}": present.copy() for name in arrays}
