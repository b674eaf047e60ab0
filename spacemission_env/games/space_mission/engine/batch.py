"""The same rules over many games at once: what the vector front ends, the arena and the bench call.

These functions take the box as an array of one (`Game.boxes`): numba looks up the type of an array in a
fraction of a microsecond, that of a record in several.

Compiled code does not look where its indices point, so these are the doors to it. Each looks first whether
the games are there and dealt, the seats theirs and the moves legal, and answers which row is not so; no game
has changed then. What their callers see to (core/arguments.py) are kinds and shapes of arrays.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import GAME_OVER, ILLEGAL_MOVE, NO_ORDER, WORLD_STREAM
from spacemission_env.core.rng import hash63, next_seed
from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, OVER, SCORES, TOTAL
from spacemission_env.games.space_mission.engine.decision_key import decision_key
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.knowledge import write_key
from spacemission_env.games.space_mission.engine.layout import COMPACT, MASK, OBSERVATION
from spacemission_env.games.space_mission.engine.legal import is_legal, write_mask
from spacemission_env.games.space_mission.engine.observe import observe, observe_compact, observe_floats
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.scoring import best_other, rank_number, rewards, score


@njit
def deal_one(states, i, boxes, num_players, seed):
    """Deal a new game into `states[i]`."""
    t = boxes[0]
    deal(states[i], t, num_players, seed)


@njit
def dealt(states, i):
    """Whether there is such a game and it has been dealt."""
    return 0 <= i < len(states) and states[i].num_players > 0


@njit
def second_time(states, index):
    """Row of the first place that stands there a second time, or -1; all of them are there."""
    seen = np.zeros(len(states), np.bool_)
    for n in range(len(index)):
        if seen[index[n]]:
            return n
        seen[index[n]] = True
    return -1


@njit
def has_seat(s, seat):
    """Whether a game has been dealt and has this seat."""
    return 0 <= seat < s.num_players


@njit
def deal_next(states, boxes, index):
    """Deal the following game (rng.next_seed) into each of the given places; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
    again = second_time(states, index)
    if again >= 0:
        return again
    t = boxes[0]
    for n in range(len(index)):
        s = states[index[n]]
        deal(s, t, s.num_players, next_seed(s.seed))
    return -1


@njit
def apply_one(states, i, boxes, action, order):
    """Apply a legal move to `states[i]`."""
    t = boxes[0]
    apply(states[i], t, action, order)


@njit
def first_refused(states, boxes, index, actions):
    """Row of the first game that is not dealt, whose move is illegal, or that stands twice; or -1."""
    t = boxes[0]
    last = -1
    rising = True
    for n in range(len(index)):
        i = index[n]
        if not dealt(states, i) or not is_legal(states[i], t, actions[n]):
            return n
        rising = rising and i > last
        last = i
    return -1 if rising else second_time(states, index)


@njit
def apply_batch(states, boxes, index, actions):
    """Make a move in each of the games of `index`, all of which `first_refused` has found right.

    Returns how many of them are over.
    """
    t = boxes[0]
    over = 0
    for n in range(len(index)):
        s = states[index[n]]
        apply(s, t, actions[n], NO_ORDER)
        over += s.phase == OVER
    return over


@njit
def step_batch(states, boxes, index, actions):
    """Make a move in each of the games in `index`.

    Returns how many of them are over, or, where a place or a move is refused, -1 - its row (no game has
    moved then).
    """
    refused = first_refused(states, boxes, index, actions)
    return -1 - refused if refused >= 0 else apply_batch(states, boxes, index, actions)


@njit
def view_one(states, i, boxes, seat, recall, observation, mask):
    """Observation and mask of one seat of `states[i]`; False where there is no such game or seat."""
    if i < 0 or i >= len(states) or not has_seat(states[i], seat):
        return False
    t = boxes[0]
    observe(states[i], t, seat, recall, observation.view(OBSERVATION)[0])
    write_mask(states[i], t, seat, mask.view(MASK)[0].legal)
    return True


@njit
def step_checked(states, boxes, action):
    """One game: make the move if it is legal.

    Returns the seat to act next, GAME_OVER, or ILLEGAL_MOVE (nothing has changed then).
    """
    t = boxes[0]
    s = states[0]
    if not is_legal(s, t, action):
        return ILLEGAL_MOVE
    apply(s, t, action, NO_ORDER)
    return GAME_OVER if s.phase == OVER else np.int64(s.player)


@njit
def view_batch(states, boxes, index, recall, observations, masks):
    """Observation and mask of the player to act, row n for game `index[n]`; the wrong row, or -1."""
    t = boxes[0]
    seen = observations.view(OBSERVATION)
    moves = masks.view(MASK)
    scratch = np.empty(1, COMPACT)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        observe_floats(s, t, s.player, recall, seen[n, 0], scratch)
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


@njit
def compact_view_batch(states, boxes, index, recall, observations, masks):
    """The same with the compact observation, uint8 (n, size)."""
    t = boxes[0]
    seen = observations.view(COMPACT)
    moves = masks.view(MASK)
    scratch = np.zeros(1, OBSERVATION)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        observe_compact(s, t, s.player, recall, seen[n, 0], scratch)
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


@njit
def seats_view_batch(states, boxes, seats, recall, observations, masks):
    """Observation and mask of seat `seats[i]` in every game i, whoever is to act; the wrong row, or -1."""
    for i in range(len(states)):
        if not has_seat(states[i], seats[i]):
            return i
    t = boxes[0]
    seen = observations.view(OBSERVATION)
    moves = masks.view(MASK)
    scratch = np.empty(1, COMPACT)
    for i in range(len(states)):
        observe_floats(states[i], t, seats[i], recall, seen[i, 0], scratch)
        write_mask(states[i], t, seats[i], moves[i, 0].legal)
    return -1


@njit
def compact_seats_view_batch(states, boxes, seats, recall, observations, masks):
    """The same with the compact observation, uint8 (games, size)."""
    for i in range(len(states)):
        if not has_seat(states[i], seats[i]):
            return i
    t = boxes[0]
    seen = observations.view(COMPACT)
    moves = masks.view(MASK)
    scratch = np.zeros(1, OBSERVATION)
    for i in range(len(states)):
        observe_compact(states[i], t, seats[i], recall, seen[i, 0], scratch)
        write_mask(states[i], t, seats[i], moves[i, 0].legal)
    return -1


@njit
def mask_batch(states, boxes, index, masks):
    """Mask of the player to act, row n for game `index[n]`; the wrong row, or -1."""
    t = boxes[0]
    moves = masks.view(MASK)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


@njit
def keys_batch(states, index, keys):
    """The random key of each decision (decision_key.py), row n for game `index[n]`; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        keys[n] = decision_key(states[index[n]])
    return -1


@njit.once
def worlds_batch(states, boxes, index, recall, keys, worlds):
    """A world that the player to act cannot tell from game `index[n]`, drawn by the decision's key; the
    wrong row, or -1.
    """
    t = boxes[0]
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        determinize(s, t, s.player, recall, hash63(keys[n], WORLD_STREAM, 0), worlds[n : n + 1])
    return -1


@njit
def key_one(states, i, boxes, seat, key):
    """What a seat of `states[i]` knows with a perfect memory, int32 (KEY_SIZE,); False: no such seat."""
    if i < 0 or i >= len(states) or not has_seat(states[i], seat):
        return False
    t = boxes[0]
    write_key(states[i], t, seat, key)
    return True


@njit
def determinize_one(states, i, boxes, seat, recall, seed, out):
    """Write a world that a seat cannot tell from `states[i]` into `out[0]`; False: no such game or seat."""
    if i < 0 or i >= len(states) or not has_seat(states[i], seat):
        return False
    t = boxes[0]
    determinize(states[i], t, seat, recall, seed, out[:1])
    return True


@njit
def scores_batch(states, boxes, index, out):
    """Scores as the tables stand, int64 (n, seats, 9), row n for game `index[n]`; the wrong row, or -1."""
    t = boxes[0]
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        score(states[index[n]], t, out[n])
    return -1


@njit
def ranks_batch(states, boxes, index, out):
    """A number for each seat that ranks it as SM-67 does, int64 (n, seats): larger is better, equal a tie;
    the wrong row, or -1.
    """
    t = boxes[0]
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        score(s, t, scores)
        for j in range(s.num_players):
            out[n, j] = rank_number(scores, j)
    return -1


@njit
def rewards_batch(states, boxes, index, mode, out):
    """Each seat's final reward (scoring.rewards) in the games of `index`: float (n, seats); the wrong row,
    or -1.
    """
    t = boxes[0]
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        score(s, t, scores)
        rewards(scores, s.num_players, mode, out[n])
    return -1


@njit
def lead_batch(states, boxes, index, seats, out):
    """Own total less the best other total, / 100, as the table stands; seat `seats[n]` of game `index[n]`;
    the wrong row, or -1.
    """
    t = boxes[0]
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        if not has_seat(s, seats[n]):
            return n
        score(s, t, scores)
        out[n] = (scores[seats[n], TOTAL] - best_other(scores, s.num_players, seats[n])) / 100.0
    return -1
