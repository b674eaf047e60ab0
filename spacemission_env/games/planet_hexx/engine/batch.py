"""The same rules over many games at once: what every front end, the arena and training call.

The functions of this file have the same names and arguments in every game, so that code for all games can
call them. They take the box as an array of one (`boxes`): numba looks up the type of an array in a fraction
of a microsecond, that of a record in several.

Compiled code does not look where its indices point, so these are the doors to it. Each looks whether the
games are there and dealt, the seats theirs and the moves legal, and answers which row is not so; no game has
changed then. What callers see to: kinds and shapes of arrays, numbers of players, seeds (0 to 2**63 - 1), and
for `deal_one`, `apply_one` and `apply_batch` that the games are there and the moves legal.

Two arguments mean nothing here. `recall` (whether a seat remembers what it can no longer look at): a card
that was seen counts as known to all as long as it stays where it is. `order` (a recorded shuffle): new decks
are shuffled by the game's own random numbers.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import GAME_OVER, ILLEGAL_MOVE, RUNNING, WORLD_STREAM
from spacemission_env.core.rng import hash63, next_seed
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.determinize import determinize
from spacemission_env.games.planet_hexx.engine.keys import decision_key, write_key
from spacemission_env.games.planet_hexx.engine.layout import COMPACT, MASK, OBSERVATION
from spacemission_env.games.planet_hexx.engine.legal import is_legal, write_mask
from spacemission_env.games.planet_hexx.engine.observe import observe, observe_compact, observe_floats
from spacemission_env.games.planet_hexx.engine.play import apply, deal_game
from spacemission_env.games.planet_hexx.engine.scoring import lead, rewards, score

# ---------------------------------------------------------------- looking first


@njit
def dealt(states, i):
    """Whether there is such a game and it has been dealt."""
    return 0 <= i < len(states) and states[i].num_players > 0


@njit
def has_seat(s, seat):
    """Whether a game has been dealt and has this seat."""
    return 0 <= seat < s.num_players


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
def first_refused(states, boxes, index, actions):
    """Row of the first game that is not dealt or whose move is illegal; else of the first place that stands
    there a second time; else -1.
    """
    t = boxes[0]
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


@njit
def deal_one(states, i, boxes, num_players, seed):
    """Deal a new game into `states[i]`."""
    t = boxes[0]
    deal_game(states[i], t, num_players, seed)


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
        deal_game(s, t, s.num_players, next_seed(s.seed))
    return -1


@njit
def apply_one(states, i, boxes, action, order):
    """Apply a legal move to `states[i]`."""
    t = boxes[0]
    apply(states[i], t, action)


@njit
def apply_batch(states, boxes, index, actions):
    """Make a legal move in each of the games in `index`, where `first_refused` has found no wrong row.

    Returns how many of them are over now.
    """
    t = boxes[0]
    over = 0
    for n in range(len(index)):
        s = states[index[n]]
        apply(s, t, actions[n])
        over += s.over != RUNNING
    return over


@njit
def step_batch(states, boxes, index, actions):
    """Make a move in each of the games in `index`.

    Returns how many of them are over, or, where a place or a move is refused, -1 - its row (no game has
    moved then).
    """
    refused = first_refused(states, boxes, index, actions)
    if refused >= 0:
        return -1 - refused
    return apply_batch(states, boxes, index, actions)


@njit
def step_checked(states, boxes, action):
    """One game: make the move if it is legal.

    Returns the seat to act next, GAME_OVER, or ILLEGAL_MOVE (nothing has changed then).
    """
    t = boxes[0]
    if not dealt(states, 0) or not is_legal(states[0], t, action):
        return ILLEGAL_MOVE
    s = states[0]
    apply(s, t, action)
    return np.int64(s.player) if s.over == RUNNING else GAME_OVER


# ---------------------------------------------------------------- what seats see


@njit
def view_one(states, i, boxes, seat, recall, observation, mask):
    """Observation and mask of one seat of `states[i]`; False where there is no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = boxes[0]
    observe(states[i], t, seat, observation.view(OBSERVATION)[0])
    write_mask(states[i], t, seat, mask.view(MASK)[0].legal)
    return True


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
        observe_floats(s, t, s.player, seen[n, 0], scratch)
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
        observe_floats(states[i], t, seats[i], seen[i, 0], scratch)
        write_mask(states[i], t, seats[i], moves[i, 0].legal)
    return -1


@njit
def compact_view_batch(states, boxes, index, recall, observations, masks):
    """As `view_batch` with the compact observation, uint8 (n, size)."""
    t = boxes[0]
    seen = observations.view(COMPACT)
    moves = masks.view(MASK)
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        observe_compact(s, t, s.player, seen[n, 0])
        write_mask(s, t, s.player, moves[n, 0].legal)
    return -1


@njit
def compact_seats_view_batch(states, boxes, seats, recall, observations, masks):
    """As `seats_view_batch` with the compact observation, uint8 (games, size)."""
    for i in range(len(states)):
        if not has_seat(states[i], seats[i]):
            return i
    t = boxes[0]
    seen = observations.view(COMPACT)
    moves = masks.view(MASK)
    for i in range(len(states)):
        observe_compact(states[i], t, seats[i], seen[i, 0])
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
    """The random key of each decision (keys.decision_key), one for each game; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        keys[n] = decision_key(states[index[n]])
    return -1


@njit
def key_one(states, i, boxes, seat, key):
    """What a seat of `states[i]` knows, int32 (keys.KEY_SIZE,); False: no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    write_key(states[i], seat, key)
    return True


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
        determinize(s, t, s.player, hash63(keys[n], WORLD_STREAM, 0), worlds[n : n + 1])
    return -1


@njit
def determinize_one(states, i, boxes, seat, recall, seed, out):
    """Write into `out[0]` a world that a seat cannot tell from `states[i]`; False: no such game or seat."""
    if not dealt(states, i) or not has_seat(states[i], seat):
        return False
    t = boxes[0]
    determinize(states[i], t, seat, seed, out)
    return True


# ---------------------------------------------------------------- results


@njit
def rewards_batch(states, boxes, index, mode, out):
    """Each seat's final reward (scoring.rewards), float (n, seats); the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        rewards(states[index[n]], mode, out[n])
    return -1


@njit
def lead_batch(states, boxes, index, seats, out):
    """How far seat `seats[n]` of game `index[n]` is ahead: filled points less the most of another, in sixths;
    the wrong row, or -1.
    """
    for n in range(len(index)):
        if not dealt(states, index[n]) or not has_seat(states[index[n]], seats[n]):
            return n
        out[n] = lead(states[index[n]], seats[n])
    return -1


@njit
def scores_batch(states, boxes, index, out):
    """Scores by `constants.SCORE_NAMES`: int64 (n, seats, 3), 0 for absent seats; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        score(states[index[n]], out[n])
    return -1


@njit
def ranks_batch(states, boxes, index, out):
    """What seats are ranked by, int64 (n, seats): 1 for who has won, else 0; the wrong row, or -1."""
    for n in range(len(index)):
        if not dealt(states, index[n]):
            return n
        s = states[index[n]]
        for j in range(out.shape[1]):
            out[n, j] = s.won[j] if j < s.num_players else 0
    return -1
