"""Compiles a game's rules into functions over many games at once.

The functions below are a template. `bind_batch` copies each with the game's own functions as globals and
compiles the copy, so numba binds the game's functions statically.

Arguments: `s` is the record of one game, and `t` its parameters. `recall` says whether a seat remembers what
it can no longer see. `scores` is the output of `score`. The batch functions take the parameters as an array
(1,), because numba finds the type of an array faster than that of a record.

The batch functions check games, seats and moves before they change a game; most return the index of the
first invalid row, or -1. But `deal_one`, `apply_one` and `apply_batch` check nothing: their callers do. For
all batch functions, callers check dtypes and shapes of arrays, numbers of players, and seeds.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import FunctionType
from typing import Any

import numpy as np

from spacemission_env.core.compiling import Njit
from spacemission_env.core.constants import (
    FINISHED,
    GAME_OVER,
    ILLEGAL_MOVE,
    LEARNER,
    RUNNING,
    WORLD_STREAM,
)
from spacemission_env.core.errors import SetupError
from spacemission_env.core.layout import mask_record
from spacemission_env.core.rng import hash63, next_seed


def _unbound(*_: object) -> Any:
    raise NotImplementedError("each game provides this function")


# Functions that every game provides; `bind_batch` replaces these names.
deal = _unbound  # (s, t, num_players, seed): deal a new game into `s`
is_legal = _unbound  # (s, t, action): whether the seat to act may make this move; action may be any integer
apply = _unbound  # (s, t, action): make a legal move
observe = _unbound  # (s, t, seat, recall, o): write all that the seat may know into one OBSERVATION record
write_key = (
    _unbound  # (s, t, seat, key): write the information state as int32 (see `Game.information_state_key`)
)
decision_key = _unbound  # (s): 63 random bits for this decision, derived from what the seat to act knows
determinize = _unbound  # (s, t, seat, seed, out): draw into out[0] a state that the seat cannot tell from `s`
score = _unbound  # (s, t, scores): write current scores, int64 (seats, categories)
REQUIRED = ("deal", "is_legal", "apply", "observe", "write_key", "decision_key", "determinize", "score")
# `bind_batch` replaces these too: record types, sizes, and `look`, with which the view functions observe.
OBSERVATION = COMPACT = MASK = SEEN = SCRATCH = np.dtype(np.void)
look = _unbound
MAX_PLAYERS = SCORES = WIN = RANK = MARGIN = 0
ONLY_FINISHED_WINS = False

# ---------------------------------------------------------------- defaults that a game may replace


def write_mask(s, t, seat, mask):
    """Write an action mask, int8; zeros if the seat is not to act. Default: test each action."""
    for action in range(len(mask)):
        mask[action] = s.player == seat and is_legal(s, t, action)


def apply_recorded(s, t, action, order):
    """Make a legal move with a recorded shuffle. Default: ignore `order`, for games without shuffles."""
    apply(s, t, action)


def observe_floats(s, t, seat, recall, o, scratch):
    """Do the same as `observe`; `scratch`: an array of one COMPACT record that may be overwritten."""
    observe(s, t, seat, recall, o)


def observe_compact(s, t, seat, recall, o, scratch):
    """Write the observation as whole numbers, which are not scaled, into one COMPACT record.

    `scratch`: see `bind_batch`. Default: observe into `scratch`, then divide by the parameters' field
    `scale`.
    """
    seen = scratch[0]
    observe(s, t, seat, recall, seen)
    for i in range(len(seen.numbers)):
        o.numbers[i] = np.uint8(np.int32(seen.numbers[i] / t.scale[i] + np.float32(0.5)))


def rank_number(scores, seat):
    """Return the number that ranks a seat: larger is better, equal is a tie. Default: the last score."""
    return scores[seat, SCORES - 1]


def margin(scores, num_players, seat):
    """Return how far a seat is ahead now. Default: 0."""
    return 0.0


def other_rewards(scores, num_players, mode, out):
    """Write each seat's final reward for modes other than WIN and RANK. Default: its margin or its total."""
    for seat in range(num_players):
        out[seat] = margin(scores, num_players, seat) if mode == MARGIN else scores[seat, SCORES - 1]


DEFAULTS = (write_mask, apply_recorded, observe_floats, observe_compact, rank_number, margin, other_rewards)

# ---------------------------------------------------------------- checks


def dealt(states, i):
    """Whether game i exists and has been dealt."""
    return 0 <= i < len(states) and states[i].num_players > 0


def has_seat(s, seat):
    """Whether a game has been dealt and has this seat."""
    return 0 <= seat < s.num_players


def second_time(states, index):
    """The first row whose index occurs in an earlier row too, or -1; all indices must be valid."""
    seen = np.zeros(len(states), np.bool_)
    for n in range(len(index)):
        if seen[index[n]]:
            return n
        seen[index[n]] = True
    return -1


def first_refused(states, parameters, index, actions):
    """Return the first row whose game is not dealt or whose move is illegal; if there is none, the first row
    that repeats a game; else -1.
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
    """Deal the next game (rng.next_seed) into each place; return the first invalid row, or -1."""
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
    """Make a legal move in `states[i]`; `order`: a recorded shuffle, or NO_ORDER."""
    t = parameters[0]
    apply_recorded(states[i], t, action, order)


def apply_batch(states, parameters, index, actions):
    """Make a legal move in each game of `index`; return how many games are over."""
    t = parameters[0]
    over = 0
    for n in range(len(index)):
        s = states[index[n]]
        apply(s, t, actions[n])
        over += s.over != RUNNING
    return over


def step_batch(states, parameters, index, actions):
    """Make a move in each game of `index`; return how many games are over.

    If row n is refused, return -1 - n and change no game.
    """
    refused = first_refused(states, parameters, index, actions)
    if refused >= 0:
        return -1 - refused
    return apply_batch(states, parameters, index, actions)


def step_checked(states, parameters, action):
    """Make a move in game 0 if it is legal; return the seat to act next, GAME_OVER, or ILLEGAL_MOVE."""
    t = parameters[0]
    if not dealt(states, 0) or not is_legal(states[0], t, action):
        return ILLEGAL_MOVE
    s = states[0]
    apply(s, t, action)
    return np.int64(s.player) if s.over == RUNNING else GAME_OVER


# ---------------------------------------------------------------- what seats see


def view_one(states, i, parameters, seat, recall, observation, mask):
    """Write observation and mask of a seat of `states[i]`; return False if there is no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = parameters[0]
    observe(states[i], t, seat, recall, observation.view(OBSERVATION)[0])
    write_mask(states[i], t, seat, mask.view(MASK)[0].legal)
    return True


def view_batch(states, parameters, index, recall, observations, masks):
    """Write observation and mask of the seat to act, row n for game `index[n]`.

    Return the first invalid row, or -1.
    """
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
    """Write observation and mask of seat `seats[i]` in every game i; return the first invalid row, or -1."""
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
    """Write the mask of the seat to act, row n for game `index[n]`; return the first invalid row, or -1."""
    t = parameters[0]
    moves = masks.view(MASK)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


def waiting_batch(states, parameters, index, who, waiting, movers, masks, keys):
    """Find the running games of `index` in which an agent is to act; return their number.

    `who[i, seat]` is the number of a seat's agent in game i, or LEARNER. The games found are written into
    `waiting`, which may be the array `index`; for game `waiting[n]`, row n of `movers` gets the agent's
    number, and row n of `masks` and `keys` the mask and the random key of its decision.
    """
    t = parameters[0]
    moves = masks.view(MASK)
    count = 0
    for n in range(len(index)):
        i = index[n]
        if not dealt(states, i):
            continue
        s = states[i]
        if s.over == RUNNING and who[i, s.player] != LEARNER:
            waiting[count], movers[count] = i, who[i, s.player]
            write_mask(s, t, s.player, moves[count, 0].legal)
            keys[count] = decision_key(s)
            count += 1
    return count


def keys_batch(states, index, keys):
    """Write each decision's random key, row n for game `index[n]`; return the first invalid row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        keys[n] = decision_key(states[index[n]])
    return -1


def key_one(states, i, parameters, seat, key):
    """Write a seat's information state, int32 (key size,); return False if there is no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = parameters[0]
    write_key(states[i], t, seat, key)
    return True


def worlds_batch(states, parameters, index, keys, worlds):
    """Draw into `worlds[n]`, with `keys[n]`, a world that the seat to act cannot tell from game `index[n]`;
    return the first invalid row, or -1.
    """
    t = parameters[0]
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        determinize(s, t, s.player, hash63(keys[n], WORLD_STREAM, 0), worlds[n : n + 1])
    return -1


def determinize_one(states, i, parameters, seat, seed, out):
    """Draw into `out[0]` a world that a seat cannot tell from `states[i]`; return False if there is no such
    game or seat.
    """
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = parameters[0]
    determinize(states[i], t, seat, seed, out[:1])
    return True


# ---------------------------------------------------------------- results


def rewards(scores, num_players, mode, out):
    """Write each seat's final reward; `mode` is an index of the game's `reward_names`.

    win: +1 split among the winners, -1 split among the losers. rank: from +1 (first) to -1 (last) in equal
    steps; tied seats share the mean.
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
    """Write final rewards, float64 (n, seats), row n for game `index[n]`.

    With ONLY_FINISHED_WINS, win and rank are 0 for all seats in a game that is not finished. Return the first
    invalid row, or -1.
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
    """Write how far seat `seats[n]` of game `index[n]` is ahead now; return the first invalid row, or -1."""
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
    """Write current scores, int64 (n, number of seats or more, categories).

    Return the first invalid row, or -1.
    """
    t = parameters[0]
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        score(states[index[n]], t, out[n])
    return -1


def ranks_batch(scores, out):
    """Write each seat's `rank_number`, int64 (n, seats), from scores int64 (n, seats, categories)."""
    for n in range(len(scores)):
        for j in range(scores.shape[1]):
            out[n, j] = rank_number(scores[n], j)


# ---------------------------------------------------------------- binding

HELPERS = ("dealt", "has_seat", "second_time")
BOUND_TYPES = ("OBSERVATION", "COMPACT", "MASK", "MAX_PLAYERS", "SCORES", "ONLY_FINISHED_WINS")
COMPACT_VIEWS = {  # uint8 function: its template, which is bound under its own name to write float32
    "compact_view_batch": "view_batch",
    "compact_seats_view_batch": "seats_view_batch",
}


@dataclass(eq=False)
class Batch:
    """The batch functions of one game; see the template functions above."""

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
    compact_view_batch: Callable[..., int]  # as `view_batch`, observations uint8 (n, size)
    compact_seats_view_batch: Callable[..., int]
    mask_batch: Callable[..., int]
    waiting_batch: Callable[..., int]
    keys_batch: Callable[..., int]
    worlds_batch: Callable[..., int]
    determinize_one: Callable[..., bool]
    key_one: Callable[..., bool]
    rewards_batch: Callable[..., int]
    margin_batch: Callable[..., int]
    scores_batch: Callable[..., int]
    ranks_batch: Callable[..., None]
    rewards: Callable[..., None]  # (scores, num_players, mode, out): for the game's own compiled code
    functions: Mapping[str, Any]  # the game's own functions by name, and `BOUND_TYPES`, for other templates
    njit: Njit  # the game's decorator


def with_globals(function: FunctionType, module: str, names: dict[str, Any], name: str) -> FunctionType:
    """A copy of a template function with these names as its globals, to be compiled for one game.

    Numba imports `module` when it loads the compiled code from the cache. `name` must be unique in `module`,
    because numba names the code by both.
    """
    copy = FunctionType(function.__code__, names, name)
    copy.__module__, copy.__qualname__, copy.__doc__ = module, name, function.__doc__
    return copy


def bind_batch(
    module: str,  # the game's `__name__`; it must be unique, because numba names compiled code by it
    njit: Njit,  # the game's decorator, whose cache depends on all sources of the game
    *,
    observation: np.dtype[np.void],  # record of an observation (`layout.as_record`)
    action_count: int,
    max_players: int,
    score_names: tuple[str, ...],
    reward_names: tuple[str, ...],
    compact: np.dtype[np.void] | None = None,  # record of a compact observation; None: one byte per number
    scratch: np.dtype[np.generic] | None = None,  # record of the `scratch` argument; None: `observation`
    only_finished_wins: bool = False,  # "win" and "rank" are 0 in an unfinished game
    once: tuple[str, ...] = (),  # batch functions to optimise in one round (`Njit.once`)
    **functions: Callable[..., object],
) -> Batch:
    """Bind and compile the batch functions of a game from its own functions.

    `functions` has all names of `REQUIRED`, and may replace some of `DEFAULTS`.

    Raises:
        SetupError: a function is missing or unknown.
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

    def bind(name: str, function: FunctionType, names_there: dict[str, Any]) -> None:
        copy = with_globals(function, module, names_there, name)
        names[name] = njit.once(copy) if name in once else njit(copy)

    bound = [field.name for field in fields(Batch) if field.name not in ("functions", "njit")]
    for name in (*optional, *HELPERS, *bound):
        if name not in functions and name not in COMPACT_VIEWS and name not in COMPACT_VIEWS.values():
            bind(name, template[name], names)
    floats = {"SEEN": observation, "SCRATCH": compact, "look": names["observe_floats"]}
    whole = {"SEEN": compact, "SCRATCH": observation if scratch is None else scratch}
    whole["look"] = names["observe_compact"]
    for name, view in COMPACT_VIEWS.items():
        bind(view, template[view], {**names, **floats})
        bind(name, template[view], {**names, **whole})
    own = {name: names[name] for name in (*REQUIRED, *optional, *BOUND_TYPES)}
    own["SCRATCH"] = whole["SCRATCH"]
    return Batch(functions=own, njit=njit, **{name: names[name] for name in bound})
