"""The same rules over many games at once: what the vector front ends, the arena and the bench call.

These functions take the box as an array of one (`Game.boxes`): numba looks up the type of an array in a
fraction of a microsecond, that of a record in several.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.engine.constants import ACTION_COUNT, OVER
from spacemission_env.engine.determinize import determinize
from spacemission_env.engine.jit import njit
from spacemission_env.engine.knowledge import write_key
from spacemission_env.engine.layout import MASK, OBSERVATION
from spacemission_env.engine.legal import write_mask
from spacemission_env.engine.observe import observe
from spacemission_env.engine.rng import decision_key, hash63, next_seed
from spacemission_env.engine.rules import apply, deal
from spacemission_env.engine.state import NO_ORDER

ILLEGAL, GAME_OVER = -1, -2  # what `step_checked` returns besides a seat
WORLD_STREAM = 0x0B5E  # tells the seeds of worlds from other numbers made of a decision's key


@njit
def deal_one(states, i, boxes, num_players, seed):
    """Deal a new game into `states[i]`."""
    t = boxes[0]
    deal(states[i], t, num_players, seed)


@njit
def deal_next(states, boxes, index):
    """Deal the following game (rng.next_seed) into each of the given places."""
    t = boxes[0]
    for n in range(len(index)):
        s = states[index[n]]
        deal(s, t, s.num_players, next_seed(s.seed))


@njit
def apply_one(states, i, boxes, action, order):
    """Apply a legal move to `states[i]`."""
    t = boxes[0]
    apply(states[i], t, action, order)


@njit
def step_batch(states, boxes, index, actions):
    """Apply a move to each of the games in `index` (legal moves; see `first_illegal`); how many are over."""
    t = boxes[0]
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
    """Observation and mask of one seat of `states[i]`."""
    t = boxes[0]
    observe(states[i], t, seat, recall, observation.view(OBSERVATION)[0])
    write_mask(states[i], t, seat, mask.view(MASK)[0].legal)


@njit
def step_checked(states, boxes, action, mask):
    """One game: make the move if it is legal; `mask` is scratch.

    Returns the seat to act next, GAME_OVER, or ILLEGAL (nothing has changed then).
    """
    t = boxes[0]
    s = states[0]
    write_mask(s, t, s.player, mask.view(MASK)[0].legal)
    if mask[action] == 0:
        return ILLEGAL
    apply(s, t, action, NO_ORDER)
    return GAME_OVER if s.phase == OVER else np.int64(s.player)


@njit
def view_batch(states, boxes, index, recall, observations, masks):
    """Observation and mask of the player to act, row n for game `index[n]`."""
    t = boxes[0]
    seen = observations.view(OBSERVATION)
    moves = masks.view(MASK)
    for n in range(len(index)):
        s = states[index[n]]
        observe(s, t, s.player, recall, seen[n, 0])
        write_mask(s, t, s.player, moves[n, 0].legal)


@njit
def seats_view_batch(states, boxes, seats, recall, observations, masks):
    """Observation and mask of seat `seats[i]` in every game i, whoever is to act."""
    t = boxes[0]
    seen = observations.view(OBSERVATION)
    moves = masks.view(MASK)
    for i in range(len(states)):
        observe(states[i], t, seats[i], recall, seen[i, 0])
        write_mask(states[i], t, seats[i], moves[i, 0].legal)


@njit
def mask_batch(states, boxes, index, masks):
    """Mask of the player to act, row n for game `index[n]`."""
    t = boxes[0]
    moves = masks.view(MASK)
    for n in range(len(index)):
        s = states[index[n]]
        write_mask(s, t, s.player, moves[n, 0].legal)


@njit
def keys_batch(states, index, keys):
    """The random key of each decision (rng.decision_key), row n for game `index[n]`."""
    for n in range(len(index)):
        keys[n] = decision_key(states[index[n]])


@njit
def worlds_batch(states, boxes, index, recall, keys, worlds):
    """A world that the player to act cannot tell from game `index[n]`, drawn by the decision's key."""
    t = boxes[0]
    for n in range(len(index)):
        s = states[index[n]]
        determinize(s, t, s.player, recall, hash63(keys[n], WORLD_STREAM, 0), worlds[n : n + 1])


@njit
def key_one(states, i, boxes, seat, key):
    """What a seat of `states[i]` knows with a perfect memory, int32 (KEY_SIZE,)."""
    t = boxes[0]
    write_key(states[i], t, seat, key)


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
