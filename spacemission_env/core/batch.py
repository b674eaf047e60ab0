"""Compiles the batch functions of a game: its rules over many games at once.

The functions below are a template. `bind_batch` makes a copy of each whose globals have the game's own
functions, and compiles the copy, so numba binds them statically.

`s` is a game (a record), `t` the parameters, `recall` whether a seat remembers what it can no longer look at,
`scores` are as `score` has just written them. The batch functions look first whether games, seats and moves
are there; they answer which row is wrong, or -1, and no game has changed then. Callers see to the kinds and
shapes of arrays, numbers of players, seeds, and for `deal_one`, `apply_one` and `apply_batch` to all of it.

They take the parameters as an array of one: numba looks up its type faster than that of a record.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (Compiled functions take what numba hands them.)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from spacemission_env.core.compiling import Njit
from spacemission_env.core.constants import FINISHED, GAME_OVER, ILLEGAL_MOVE, RUNNING, WORLD_STREAM
from spacemission_env.core.errors import SetupError
from spacemission_env.core.layout import mask_record
from spacemission_env.core.rng import hash63, next_seed


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


# Functions that every game has; `bind_batch` puts them in the place of these names.
deal = _unbound  # (s, t, num_players, seed): a new game
is_legal = _unbound  # (s, t, action): whether the player to act may make this move; any integer
apply = _unbound  # (s, t, action): carry out a legal move
observe = _unbound  # (s, t, seat, recall, o): all that the seat may know, into one OBSERVATION record
write_key = _unbound  # (s, t, seat, key): the same as int32 numbers, equal where the possible states are
decision_key = _unbound  # (s): random 63 bits of the decision at hand, from what the seat to act knows
determinize = _unbound  # (s, t, seat, recall, seed, out): into out[0] a state the seat cannot tell from s
score = _unbound  # (s, t, scores): int64 (seats, categories) as the table stands
REQUIRED = ("deal", "is_legal", "apply", "observe", "write_key", "decision_key", "determinize", "score")
# And these: records (OBSERVATION, COMPACT, MASK; SEEN and SCRATCH of a view, which calls `look`) and sizes.
OBSERVATION = COMPACT = MASK = SEEN = SCRATCH = np.dtype(np.void)
look = _unbound
MAX_PLAYERS = SCORES = WIN = RANK = MARGIN = 0
ONLY_FINISHED_WINS = False

# ---------------------------------------------------------------- what a game may leave out


def write_mask(s, t, seat, mask):
    """Write int8, 1 legal, 0 not; all zero where the seat is not to move. Here: each move is looked at."""
    for action in range(len(mask)):
        mask[action] = s.player == seat and is_legal(s, t, action)


def apply_recorded(s, t, action, order):
    """Carry out a legal move with a recorded shuffle; here: nothing is shuffled in the middle of a game."""
    apply(s, t, action)


def observe_floats(s, t, seat, recall, o, scratch):
    """As `observe`; `scratch`: an array of one COMPACT record, which may be written."""
    observe(s, t, seat, recall, o)


def observe_compact(s, t, seat, recall, o, scratch):
    """Write the whole numbers, before the division by units, into one COMPACT record.

    `scratch`: see `bind_batch`. Here the observation is written into it and multiplied back: the box has one
    over the unit of each number in its field `scale`.
    """
    seen = scratch[0]
    observe(s, t, seat, recall, seen)
    for i in range(len(seen.numbers)):
        o.numbers[i] = np.uint8(np.int32(seen.numbers[i] / t.scale[i] + np.float32(0.5)))


def rank_number(scores, seat):
    """What ranks a seat: larger is better, equal is a tie. Here: the last category, its total."""
    return scores[seat, SCORES - 1]


def margin(scores, num_players, seat):
    """How far a seat is ahead as the table stands; here: nobody is before the end."""
    return 0.0


def other_rewards(scores, num_players, mode, out):
    """Write each seat's final reward beside win and rank; here: its total, or how far it is ahead."""
    for seat in range(num_players):
        out[seat] = margin(scores, num_players, seat) if mode == MARGIN else scores[seat, SCORES - 1]


DEFAULTS = (write_mask, apply_recorded, observe_floats, observe_compact, rank_number, margin, other_rewards)

# ---------------------------------------------------------------- looking first


def dealt(states, i):
    """Whether there is such a game and it has been dealt."""
    return 0 <= i < len(states) and states[i].num_players > 0


def has_seat(s, seat):
    """Whether a game has been dealt and has this seat."""
    return 0 <= seat < s.num_players


def second_time(states, index):
    """Row of the first place that stands there a second time, or -1; all of them are there."""
    seen = np.zeros(len(states), np.bool_)
    for n in range(len(index)):
        if seen[index[n]]:
            return n
        seen[index[n]] = True
    return -1


def first_refused(states, parameters, index, actions):
    """Row of the first game that is not dealt or whose move is illegal; else of the first place that stands
    there a second time; else -1.
    """
    t = parameters[0]
    rising = True
    last = -1
    for n in range(len(index)):
        i = index[n]
        if not dealt(states, i) or not is_legal(states[i], t, actions[n]):
            return n
        rising = rising and i > last
        last = i
    return -1 if rising else second_time(states, index)


# ---------------------------------------------------------------- dealing and moves


def deal_one(states, i, parameters, num_players, seed):
    """Deal a new game into `states[i]`."""
    t = parameters[0]
    deal(states[i], t, num_players, seed)


def deal_next(states, parameters, index):
    """Deal the following game (rng.next_seed) into each of the given places; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
    again = second_time(states, index)
    if again >= 0:
        return again
    t = parameters[0]
    for n in range(len(index)):
        s = states[index[n]]
        deal(s, t, s.num_players, next_seed(s.seed))
    return -1


def apply_one(states, i, parameters, action, order):
    """Apply a legal move to `states[i]`; `order`: a recorded shuffle, or NO_ORDER."""
    t = parameters[0]
    apply_recorded(states[i], t, action, order)


def apply_batch(states, parameters, index, actions):
    """Make a legal move in each game of `index`, all of which `first_refused` has found right.

    Returns how many of them are over now.
    """
    t = parameters[0]
    over = 0
    for n in range(len(index)):
        s = states[index[n]]
        apply(s, t, actions[n])
        over += s.over != RUNNING
    return over


def step_batch(states, parameters, index, actions):
    """Make a move in each game of `index`.

    Returns how many of them are over, or, where a place or a move is refused, -1 - its row (no game has
    moved then).
    """
    refused = first_refused(states, parameters, index, actions)
    if refused >= 0:
        return -1 - refused
    return apply_batch(states, parameters, index, actions)


def step_checked(states, parameters, action):
    """One game: make the move if it is legal.

    Returns the seat to act next, GAME_OVER, or ILLEGAL_MOVE (nothing has changed then).
    """
    t = parameters[0]
    if not dealt(states, 0) or not is_legal(states[0], t, action):
        return ILLEGAL_MOVE
    s = states[0]
    apply(s, t, action)
    return np.int64(s.player) if s.over == RUNNING else GAME_OVER


# ---------------------------------------------------------------- what seats see


def view_one(states, i, parameters, seat, recall, observation, mask):
    """Observation and mask of one seat of `states[i]`; False where there is no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = parameters[0]
    observe(states[i], t, seat, recall, observation.view(OBSERVATION)[0])
    write_mask(states[i], t, seat, mask.view(MASK)[0].legal)
    return True


def view_batch(states, parameters, index, recall, observations, masks):
    """Observation and mask of the player to act, row n for game `index[n]`; the wrong row, or -1."""
    t = parameters[0]
    seen = observations.view(SEEN)
    moves = masks.view(MASK)
    scratch = np.zeros(1, SCRATCH)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        look(s, t, s.player, recall, seen[n, 0], scratch)
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


def seats_view_batch(states, parameters, seats, recall, observations, masks):
    """Observation and mask of seat `seats[i]` in every game i, whoever is to act; the wrong row, or -1."""
    for i in range(len(states)):
        if not has_seat(states[i], seats[i]):
            return i
    t = parameters[0]
    seen = observations.view(SEEN)
    moves = masks.view(MASK)
    scratch = np.zeros(1, SCRATCH)
    for i in range(len(states)):
        look(states[i], t, seats[i], recall, seen[i, 0], scratch)
        write_mask(states[i], t, seats[i], moves[i, 0].legal)
    return -1


def mask_batch(states, parameters, index, masks):
    """Mask of the player to act, row n for game `index[n]`; the wrong row, or -1."""
    t = parameters[0]
    moves = masks.view(MASK)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


def keys_batch(states, index, keys):
    """The random key of each decision, row n for game `index[n]`; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        keys[n] = decision_key(states[index[n]])
    return -1


def key_one(states, i, parameters, seat, key):
    """What a seat of `states[i]` knows with a perfect memory, int32 (key size,); False: no such seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = parameters[0]
    write_key(states[i], t, seat, key)
    return True


def worlds_batch(states, parameters, index, recall, keys, worlds):
    """A world that the player to act cannot tell from game `index[n]`, drawn by the decision's key; the
    wrong row, or -1.
    """
    t = parameters[0]
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        determinize(s, t, s.player, recall, hash63(keys[n], WORLD_STREAM, 0), worlds[n : n + 1])
    return -1


def determinize_one(states, i, parameters, seat, recall, seed, out):
    """Write into `out[0]` a world that a seat cannot tell from `states[i]`; False: no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = parameters[0]
    determinize(states[i], t, seat, recall, seed, out[:1])
    return True


# ---------------------------------------------------------------- results


def rewards(scores, num_players, mode, out):
    """Write each seat's final reward; `mode` is an index of the game's `reward_names`.

    win: +1 split among the winners, -1 split among the others. rank: from +1 (first) to -1 (last) in equal
    steps, ties share the mean.
    """
    if mode != WIN and mode != RANK:
        other_rewards(scores, num_players, mode, out)
        return
    winners = 0
    for i in range(num_players):
        before = 0
        behind = 0
        for j in range(num_players):
            before += rank_number(scores, j) > rank_number(scores, i)
            behind += rank_number(scores, j) < rank_number(scores, i)
        winners += before == 0
        if mode == WIN:
            out[i] = 1.0 if before == 0 else -1.0
        else:
            out[i] = (behind - before) / (num_players - 1)
    if mode == WIN:
        for i in range(num_players):
            out[i] /= winners if out[i] > 0 else num_players - winners


def rewards_batch(states, parameters, index, mode, out):
    """Each seat's final reward, float64 (n, seats), row n for game `index[n]`; the wrong row, or -1.

    Where only a finished game is won, all win and rank alike in one that is not.
    """
    t = parameters[0]
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        score(s, t, scores)
        if ONLY_FINISHED_WINS and s.over != FINISHED and (mode == WIN or mode == RANK):
            for j in range(s.num_players):
                out[n, j] = 0.0
        else:
            rewards(scores, int(s.num_players), mode, out[n])
    return -1


def margin_batch(states, parameters, index, seats, out):
    """How far seat `seats[n]` of game `index[n]` is ahead as the table stands; the wrong row, or -1."""
    t = parameters[0]
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        if not dealt(states, index[n]) or not has_seat(states[index[n]], seats[n]):
            return n
        s = states[index[n]]
        score(s, t, scores)
        out[n] = margin(scores, int(s.num_players), seats[n])
    return -1


def scores_batch(states, parameters, index, out):
    """Scores as the tables stand, int64 (n, seats, categories), seats at least as many as the games have;
    nothing is written for others. The wrong row, or -1.
    """
    t = parameters[0]
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        score(states[index[n]], t, out[n])
    return -1


def ranks_batch(states, parameters, index, out):
    """What ranks each seat, int64 (n, seats): larger is better, equal is a tie; the wrong row, or -1."""
    t = parameters[0]
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        score(s, t, scores)
        for j in range(s.num_players):
            out[n, j] = rank_number(scores, j)
    return -1


# ---------------------------------------------------------------- binding

HELPERS = ("dealt", "has_seat", "second_time")
COMPACT_VIEWS = {  # the same functions over bytes instead of floats
    "compact_view_batch": "view_batch",
    "compact_seats_view_batch": "seats_view_batch",
}


@dataclass(eq=False)
class Batch:
    """The batch functions of one game; what each takes and returns stands above."""

    deal_one: Callable[..., None]
    deal_next: Callable[..., int]
    apply_one: Callable[..., None]
    apply_batch: Callable[..., int]
    first_refused: Callable[..., int]
    step_batch: Callable[..., int]
    step_checked: Callable[..., int]
    view_one: Callable[..., bool]
    view_batch: Callable[..., int]
    seats_view_batch: Callable[..., int]
    compact_view_batch: Callable[..., int]  # as `view_batch` with the compact observation, uint8 (n, size)
    compact_seats_view_batch: Callable[..., int]
    mask_batch: Callable[..., int]
    keys_batch: Callable[..., int]
    worlds_batch: Callable[..., int]
    determinize_one: Callable[..., bool]
    key_one: Callable[..., bool]
    rewards_batch: Callable[..., int]
    margin_batch: Callable[..., int]
    scores_batch: Callable[..., int]
    ranks_batch: Callable[..., int]
    rewards: Callable[..., None]  # (scores, num_players, mode, out): for compiled code of the game's own


def bind_batch(
    module: str,  # `__name__` of the game's: numba names compiled code by it, so it has to differ from others
    njit: Njit,  # the game's decorator; its cache follows all sources of the game
    *,
    observation: np.dtype[np.void],  # record of an observation (`layout.as_record`)
    action_count: int,
    max_players: int,
    score_names: tuple[str, ...],
    reward_names: tuple[str, ...],
    compact: np.dtype[np.void] | None = None,  # record of a compact observation; None: the numbers as bytes
    scratch: np.dtype[np.generic] | None = None,  # of `observe_compact`, an array of one; None: `observation`
    only_finished_wins: bool = False,  # "win" and "rank" pay nothing in a game that is not finished
    once: tuple[str, ...] = (),  # batch functions that are optimised in one round (`Njit.once`)
    **functions: Callable[..., Any],
) -> Batch:
    """The batch functions over a game's own: those of `REQUIRED`, and its better ones of `DEFAULTS`.

    Raises:
        SetupError: a function is missing, or none of these.
    """
    template = globals()
    optional = [function.__name__ for function in DEFAULTS]
    for name in (*REQUIRED, *functions):
        if name not in functions or name not in (*REQUIRED, *optional):
            expected = "a" if name in REQUIRED else "no"
            raise SetupError(f"{module}: batch: expected {expected} function {name!r}")
    if compact is None:
        compact = np.dtype((np.record, [("numbers", "u1", observation["numbers"].shape)]))
    names: dict[str, Any] = {
        **template,
        **functions,
        "OBSERVATION": observation,
        "COMPACT": compact,
        "MASK": mask_record(action_count),
        "MAX_PLAYERS": max_players,
        "SCORES": len(score_names),
        "WIN": reward_names.index("win"),
        "RANK": reward_names.index("rank") if "rank" in reward_names else -1,
        "MARGIN": reward_names.index("score_margin") if "score_margin" in reward_names else -1,
        "ONLY_FINISHED_WINS": only_finished_wins,
    }

    def bind(name: str, code: CodeType, names_there: dict[str, object]) -> None:
        copy = FunctionType(code, names_there, name)
        copy.__module__, copy.__qualname__, copy.__doc__ = module, name, template[code.co_name].__doc__
        names[name] = njit.once(copy) if name in once else njit(copy)

    bound = [field.name for field in fields(Batch)]
    for name in (*optional, *HELPERS, *bound):
        if name not in functions and name not in COMPACT_VIEWS and name not in COMPACT_VIEWS.values():
            bind(name, template[name].__code__, names)
    floats = {"SEEN": observation, "SCRATCH": compact, "look": names["observe_floats"]}
    whole = {"SEEN": compact, "SCRATCH": observation if scratch is None else scratch}
    whole["look"] = names["observe_compact"]
    for name, view in COMPACT_VIEWS.items():
        bind(view, template[view].__code__, {**names, **floats})
        bind(name, template[view].__code__, {**names, **whole})
    return Batch(**{name: names[name] for name in bound})
