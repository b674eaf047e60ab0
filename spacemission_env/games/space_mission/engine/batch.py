"""The same rules over many games at once: what the vector front ends, the arena and the bench call.

These functions take the box as an array of one (`Game.boxes`): numba looks up the type of an array in a
fraction of a microsecond, that of a record in several.

Compiled code does not look where its indices point, so these are the doors to it. Each looks first whether
the games are there and dealt, the seats theirs and the moves legal, and answers which row is not so; no game
has changed then. What their callers see to (`doors.py`) are kinds and shapes of arrays.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine.compiled import njit
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, OVER
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.knowledge import write_key
from spacemission_env.games.space_mission.engine.layout import MASK, OBSERVATION
from spacemission_env.games.space_mission.engine.legal import is_legal, write_mask
from spacemission_env.games.space_mission.engine.observe import observe
from spacemission_env.games.space_mission.engine.rng import decision_key, hash63, next_seed
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.state import NO_ORDER

ILLEGAL, GAME_OVER = -1, -2  # what `step_checked` returns besides a seat
WORLD_STREAM = 0x0B5E  # tells the seeds of worlds from other numbers made of a decision's key


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
def step_batch(states, boxes, index, actions):
    """Make a move in each of the games in `index`.

    Returns how many of them are over, or, where a place or a move is refused, -1 - its row (no game has
    moved then).
    """
    t = boxes[0]
    last = -1
    rising = True
    for n in range(len(index)):
        i = index[n]
        if not dealt(states, i) or not is_legal(states[i], t, actions[n]):
            return -1 - n
        rising = rising and i > last
        last = i
    again = -1 if rising else second_time(states, index)
    if again >= 0:
        return -1 - again
    over = 0
    for n in range(len(index)):
        s = states[index[n]]
        apply(s, t, actions[n], NO_ORDER)
        over += s.phase == OVER
    return over


@njit
def first_illegal(masks, actions):
    """Row of the first action that its mask forbids, or -1."""
    for n in range(len(actions)):
        a = actions[n]
        if a < 0 or a >= ACTION_COUNT or masks[n, a] == 0:
            return n
    return -1


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

    Returns the seat to act next, GAME_OVER, or ILLEGAL (nothing has changed then).
    """
    t = boxes[0]
    s = states[0]
    if not is_legal(s, t, action):
        return ILLEGAL
    apply(s, t, action, NO_ORDER)
    return GAME_OVER if s.phase == OVER else np.int64(s.player)


@njit
def view_batch(states, boxes, index, recall, observations, masks):
    """Observation and mask of the player to act, row n for game `index[n]`; the wrong row, or -1."""
    t = boxes[0]
    seen = observations.view(OBSERVATION)
    moves = masks.view(MASK)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        observe(s, t, s.player, recall, seen[n, 0])
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
    for i in range(len(states)):
        observe(states[i], t, seats[i], recall, seen[i, 0])
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
    """The random key of each decision (rng.decision_key), row n for game `index[n]`; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        keys[n] = decision_key(states[index[n]])
    return -1


@njit
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
def choose_uniform(masks, keys, actions):
    """A legal action for each row, uniform over the legal indices, drawn by the row's key."""
    for n in range(len(keys)):
        count = 0
        for a in range(ACTION_COUNT):
            count += masks[n, a]
        pick = (keys[n] >> 16) % max(count, 1)
        actions[n] = 0
        for a in range(ACTION_COUNT):
            if masks[n, a]:
                if pick == 0:
                    actions[n] = a
                    break
                pick -= 1
