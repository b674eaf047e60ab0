"""Defines what agents get: `GameInfo` before a game, `Decisions` during play.

Decisions from front ends are correct. Others (made by hand, or changed by a bot that wraps an agent) may hold
wrong numbers, which compiled code would use as indices; `check_decisions` refuses such decisions.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from spacemission_env.core.compiling import make_njit
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game

FLOAT, WHOLE = np.dtype(np.float32), np.dtype(np.uint8)
BYTE, KEY = np.dtype(np.int8), np.dtype(np.int64)
WRONG_OBSERVATION, WRONG_MASK, NO_MOVE, WRONG_KEY = range(4)  # faults of a row
WRONGS = 4

njit = make_njit(Path(__file__))


@dataclass(frozen=True)
class GameInfo:
    """Public facts about a game, the same for all seats.

    Attributes:
        num_players: number of players; the maximum if games of different sizes are played together.
        rules: every option, resolved for `num_players`.
        components: what the game is played with, such as cards and tiles.
        observation: "perfect_recall" or "table".
        parameters: components and options for compiled code: one record (1,), read-only.
        game: name of the game.
    """

    num_players: int
    rules: Rules
    components: Components
    observation: str
    parameters: np.ndarray
    game: str = DEFAULT_GAME

    @classmethod
    def of(
        cls, num_players: int, rules: Rules, components: Components, game: str | GameSpec = DEFAULT_GAME
    ) -> GameInfo:
        """Describe games with perfect recall before any is made; otherwise use `Game.info`."""
        spec = find_game(game)
        parameters = spec.make_parameters(components, rules)
        return cls(
            num_players, rules.for_players(num_players), components, "perfect_recall", parameters, spec.name
        )


class Asked(Protocol):
    """Has the `needs` that determine what an agent gets to see."""

    @property
    def needs(self) -> Set[str]:
        """As `Agent.needs`."""


@dataclass(frozen=True)
class Decisions:
    """A batch of decisions, one per row: all that an agent may see.

    Attributes:
        observations: float32 (n, observation_size), from the acting seat; (n, 0) for agents that do not read
            them; uint8 for those that need "whole_numbers" (`Agent.needs`).
        masks: int8 (n, actions), 1 for a legal action.
        keys: int64 (n,), one random number per decision. An agent draws all its randomness from the key, so
            it plays the same in every front end, alone or in a batch.
        worlds: records of the game's state (n,), for agents that need "worlds". Each is a full state that
            the acting seat cannot tell from the true state, drawn by `determinize`.
        parameters: the public components and options, one record (1,), read-only; None: the default ones.
        game: name of the game.
    """

    observations: np.ndarray
    masks: np.ndarray
    keys: np.ndarray
    worlds: np.ndarray | None = None
    parameters: np.ndarray | None = None
    game: str = DEFAULT_GAME
    # Front ends set these functions; `part` keeps only the last two, for agents that need games. `draw`
    # samples worlds for rows, `look` returns compact observations of rows, `games` the `Game` of a row. Only
    # the arena sets `history`: the moves so far of a row, as the acting seat saw them (`Game.history_line`).
    draw: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)
    look: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)
    games: Callable[[int], Any] | None = field(default=None, repr=False)
    history: Callable[[int], list[str]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.parameters is None:
            object.__setattr__(self, "parameters", find_game(self.game).default_parameters())

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, agent: Asked, rows: np.ndarray) -> Decisions:
        """The rows that this agent decides, with the kind of observations, worlds and games that it needs.

        Raises:
            AgentError: the agent needs worlds, and these decisions have none.
        """
        look = self.look if "whole_numbers" in agent.needs else None
        seen = self.observations[rows] if look is None else look(rows)
        worlds = self._worlds(agent, rows) if "worlds" in agent.needs else None
        own = Decisions(seen, self.masks[rows], self.keys[rows], worlds, self.parameters, self.game)
        if "games" in agent.needs and self.games is not None:
            games, history = self.games, self.history
            own = replace(own, games=lambda row: games(int(rows[row])))
            if history is not None:
                own = replace(own, history=lambda row: history(int(rows[row])))
        return own

    def _worlds(self, agent: Asked, rows: np.ndarray) -> np.ndarray:
        if self.worlds is not None:
            given: np.ndarray = self.worlds[rows]
            return given
        if self.draw is None:
            raise AgentError(
                f"agent {type(agent).__name__}: wants sampled worlds, which are not offered here"
            )
        return self.draw(rows)


def check_decisions(
    decisions: Decisions, who: str, worlds: bool = False, reads: bool = True, whole: bool = False
) -> Decisions:
    """Check decisions; return them with contiguous arrays of the right dtype, copied if necessary.

    Args:
        decisions: to check.
        who: name of the agent, for the message.
        worlds: whether worlds are required.
        reads: whether the agent reads observations, so that their values are checked too.
        whole: whether the agent reads whole numbers. If a caller has only floats, such as an environment's
            observations, this function, and no other, converts them.

    Raises:
        AgentError: names the array, the row and what was expected.
    """
    spec = find_game(decisions.game)
    size, actions = spec.observation_size, spec.action_count
    observations, masks, keys = decisions.observations, decisions.masks, decisions.keys
    if whole and getattr(observations, "dtype", None) != WHOLE:
        floats = check_decisions(decisions, who, worlds)
        assert floats.parameters is not None
        return replace(floats, observations=whole_numbers_of(spec, floats.parameters, floats.observations))
    kind, dtype = ("u", WHOLE) if whole else ("f", FLOAT)
    if not reads and getattr(observations, "shape", ())[1:] == (0,):  # the agent got no observations
        size = 0
    as_given = _fits(keys, KEY, 1) and _fits(observations, dtype, 2) and _fits(masks, BYTE, 2)
    if as_given:
        n = len(keys)
        as_given = observations.shape == (n, size) and masks.shape == (n, actions)
    if not as_given:
        keys = _array(who, "keys", keys, "iu", KEY, None)
        n = len(keys)
        observations = _array(who, "observations", observations, kind, dtype, (n, size))
        masks = _array(who, "masks", masks, "iub", BYTE, (n, actions))
    checked = observations if reads and not whole else np.empty((n, 0), FLOAT)  # any byte is valid
    wrong = first_wrong_row(checked, masks, keys)
    if wrong >= 0:
        raise AgentError(f"agent {who!r}: {_what(wrong, observations, masks, keys)}")
    _records(who, "parameters", decisions.parameters, spec.default_parameters().dtype, 1)
    if worlds:
        if decisions.worlds is None:
            raise AgentError(f"agent {who!r}: wants sampled worlds, which these decisions do not have")
        _records(who, "worlds", decisions.worlds, spec.state, n)
    if as_given:
        return decisions
    return replace(decisions, observations=observations, masks=masks, keys=keys)


def whole_numbers_of(spec: GameSpec, parameters: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """Convert float observations to compact observations, uint8 of the same shape."""
    whole: np.ndarray = np.rint(observations / spec.compact_units(parameters)).astype(np.uint8)
    return whole


def _fits(given: object, dtype: np.dtype[np.generic], axes: int) -> bool:
    # Whether compiled code takes the array without a copy. A read-only array would need a new compilation.
    return type(given) is np.ndarray and given.dtype is dtype and given.ndim == axes and given.flags.carray


def _array(
    who: str, name: str, given: object, kinds: str, dtype: np.dtype[np.generic], shape: tuple[int, ...] | None
) -> np.ndarray:
    try:
        array = np.asarray(given)
    except Exception:
        raise AgentError(f"agent {who!r}: {name}: expected an array, not {type(given).__name__}") from None
    if array.dtype.kind not in kinds:
        raise AgentError(f"agent {who!r}: {name}: expected numbers of type {dtype}, not {array.dtype}")
    if shape is None and array.ndim != 1:
        raise AgentError(f"agent {who!r}: {name}: expected shape (n,), not {array.shape}")
    if shape is not None and array.shape != shape:
        raise AgentError(f"agent {who!r}: {name}: expected shape {shape}, not {array.shape}")
    if _fits(array, dtype, array.ndim):
        return array
    with np.errstate(over="ignore", invalid="ignore"):
        copy = array.astype(dtype, order="C")
    if dtype.kind == "i" and not (copy == array).all():
        raise AgentError(f"agent {who!r}: {name}: expected numbers of type {dtype}, some are too large")
    return copy


def _records(who: str, name: str, given: object, dtype: np.dtype[np.generic], count: int) -> None:
    right = type(given) is np.ndarray and given.dtype == dtype and given.flags.c_contiguous
    if not isinstance(given, np.ndarray) or not right or given.shape != (count,):
        raise AgentError(
            f"agent {who!r}: {name}: expected an array of {count} records as front ends give them"
        )


def _what(wrong: int, observations: np.ndarray, masks: np.ndarray, keys: np.ndarray) -> str:
    n, kind = divmod(wrong, WRONGS)
    if kind == WRONG_OBSERVATION:
        row = observations[n]
        place = int(np.flatnonzero(~((row >= 0) & (row <= 1)))[0])
        return f"observations: row {n}: expected numbers from 0 to 1, not {row[place]} (at {place})"
    if kind == WRONG_MASK:
        place = int(np.flatnonzero(masks[n] & ~1)[0])
        return f"masks: row {n}: expected 0 or 1, not {masks[n, place]} (action {place})"
    if kind == NO_MOVE:
        return f"masks: row {n}: no action is legal"
    return f"keys: row {n}: expected 0 or more, not {keys[n]}"


@njit
def first_wrong_row(observations, masks, keys):
    """Find the first invalid row; return `WRONGS` times its index plus the kind of fault, or -1.

    In a valid row the observation, float32 (n, size), is in [0, 1]; the mask, int8 (n, actions), has only 0
    and 1, and at least one 1; the key, int64 (n,), is not negative.
    """
    for n in range(len(keys)):
        numbers = observations[n]
        right = True
        for i in range(len(numbers)):  # without a break, so that the compiler can vectorise
            right &= (numbers[i] >= 0) & (numbers[i] <= 1)
        if not right:
            return n * WRONGS + WRONG_OBSERVATION
        moves = masks[n]
        bits = np.int8(0)
        for a in range(len(moves)):
            bits |= moves[a]
        if bits != 1:
            return n * WRONGS + (NO_MOVE if bits == 0 else WRONG_MASK)
        if keys[n] < 0:
            return n * WRONGS + WRONG_KEY
    return -1
