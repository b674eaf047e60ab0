"""Rates each legal move by evaluating the position after it.

The same evaluation chooses later moves of the same Action greedily. Opponents are assumed to play no
Surprises. The value of a move that rolls the die is the mean over its faces.
"""

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.facts import hexes_between
from spacemission_agents.games.planet_hexx.heuristic import evaluation as ev
from spacemission_agents.games.planet_hexx.heuristic.evaluation import evaluate
from spacemission_env.core.constants import RUNNING
from spacemission_env.core.rng import below, hash63, seed_rng
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.determinize import redeal
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.play import apply
from spacemission_env.games.planet_hexx.engine.state import STATE

SHUFFLE = 0x1EAF  # fixed seed for dealing the hidden cards
FACES = 6


@njit
def make_canonical(s, seat, places, counts):
    """Deal the hidden cards by a fixed seed, as one state for an information set; mark the hand as known."""
    seed_rng(s, SHUFFLE)
    redeal(s, seat, places, counts)
    for i in range(s.hand_size[seat]):
        s.known[seat, i] = 1


@njit
def fill_dice(s, dice):
    """Write random-number states, uint32 (6, 6). After state i the next die shows i + 1. `s`: scratch."""
    for face in range(FACES):
        seed = 0
        while True:
            seed_rng(s, 1000 * face + seed)
            for i in range(FACES):
                dice[face, i] = s.rng[i]
            if below(s, FACES) == face:
                break
            seed += 1


LEFT_OUT = -1e300  # value of moves that are not legal or not rated; no weights give so low a value
LONGEST = 12  # maximum number of decisions to look ahead
CLOSE, CLOSER = 5, 3  # maximum distance of a rated cell from the ship, in this decision and in later ones
BASE, TRIED, NEXT, LAST = range(4)  # indices of the states in the scratch


@njit
def new_scratch():
    """Scratch buffers of `rate`: states, places and counts of hidden cards, dice, and those of `evaluate`."""
    states = np.zeros(LAST + 1, STATE)
    dice = np.zeros((FACES, FACES), np.uint32)
    fill_dice(states[0], dice)
    places = np.empty((c.MOST_CARDS + c.MAX_PLAYERS * c.HAND, 3), np.int64)
    return states, places, np.zeros(c.KINDS, np.int64), dice, ev.new_scratch()


@njit
def is_settled(s):
    """Whether a position can be evaluated: nothing is under way except the steps of a Move."""
    return s.over != RUNNING or s.asked == c.MAIN or s.asked == c.STEP or s.asked == c.SIDE


@njit
def is_remote(s, seat, action, farthest):
    """Whether an action names a cell for a hex too far from the ship to be rated."""
    if s.asked != c.MAP_CELL and s.asked != c.PLACE_CELL and s.asked != c.MOVE_TO:
        return False
    return hexes_between(int(s.ship[seat]), action - c.TO_CELL) > farthest


@njit
def reply(states, at, t, w, evaluation):
    """The move after which the position is best for the seat to act; overwrites states[at + 1]."""
    s = states[at]
    seat = int(s.player)
    kinds = open_actions(s, t, seat)
    first = next_legal(s, t, kinds, 0)
    best, most = first, LEFT_OUT
    action = first
    while action != c.NOTHING:
        if not is_remote(s, seat, action, CLOSER):
            states[at + 1] = s
            apply(states[at + 1], t, action)
            value = evaluate(states[at + 1], t, w, seat, evaluation)
            if value > most:
                best, most = action, value
        action = next_legal(s, t, kinds, action + 1)
    return best


@njit
def follow(states, at, t, w, evaluation):
    """Play states[at] until it is settled; overwrites states[at + 1]."""
    s = states[at]
    for _ in range(LONGEST):
        if is_settled(s):
            return
        if s.asked == c.WINDOW:
            apply(s, t, c.PASS)
        else:
            apply(s, t, reply(states, at, t, w, evaluation))


@njit
def branch(states, at, t, w, evaluation):
    """The choice whose effect ends in the best position; overwrites states[at + 1] and states[at + 2]."""
    s = states[at]
    seat = int(s.player)
    kinds = open_actions(s, t, seat)
    action = next_legal(s, t, kinds, 0)
    best, most = action, LEFT_OUT
    while action != c.NOTHING:
        states[at + 1] = s
        apply(states[at + 1], t, action)
        follow(states, at + 1, t, w, evaluation)
        value = evaluate(states[at + 1], t, w, seat, evaluation)
        if value > most:
            best, most = action, value
        action = next_legal(s, t, kinds, action + 1)
    return best


@njit
def carry_out(scratch, t, w, seat, action, face):
    """Make a move in states[TRIED] and play until settled; return whether a die (`face` + 1) was rolled."""
    states, _, _, dice, evaluation = scratch
    states[TRIED] = states[BASE]
    s = states[TRIED]
    for i in range(FACES):  # the next die shows face + 1
        s.rng[i] = dice[face, i]
    apply(s, t, action)
    for _ in range(LONGEST):
        if is_settled(s):
            break
        if s.asked == c.BRANCH or s.asked == c.COLLECT or s.asked == c.MAY:  # the choice takes effect later
            apply(s, t, branch(states, TRIED, t, w, evaluation))
        elif s.asked == c.WINDOW:
            apply(s, t, c.PASS)
        else:
            apply(s, t, reply(states, TRIED, t, w, evaluation))
    return s.rng[FACES - 1] != dice[face, FACES - 1]


@njit
def rate(world, t, w, mask, scratch, values):
    """Write the value of each legal move, larger is better; `LEFT_OUT` for other moves."""
    states = scratch[0]
    states[BASE] = world
    s = states[BASE]
    seat = int(s.player)
    make_canonical(s, seat, scratch[1], scratch[2])
    any_rated = False
    for action in range(c.ACTION_COUNT):
        values[action] = LEFT_OUT
        if mask[action] and not is_remote(s, seat, action, CLOSE):
            values[action] = mean_outcome(scratch, t, w, seat, action)
            any_rated = True
    if not any_rated:
        for action in range(c.ACTION_COUNT):
            values[action] = 0.0 if mask[action] else LEFT_OUT


@njit
def mean_outcome(scratch, t, w, seat, action):
    """The value of a move: the mean over the faces of the die if one is rolled."""
    tried = scratch[0][TRIED]
    rolled = carry_out(scratch, t, w, seat, action, 0)
    total = evaluate(tried, t, w, seat, scratch[4])
    if not rolled:
        return total
    for face in range(1, FACES):
        carry_out(scratch, t, w, seat, action, face)
        total += evaluate(tried, t, w, seat, scratch[4])
    return total / FACES


@njit
def choose_rows(worlds, parameters, weights, masks, keys, actions):
    """Write a legal action for each row: `worlds` (n,), masks int8 (n, 425)."""
    t, w = parameters[0], weights[0]
    scratch = new_scratch()
    values = np.zeros(c.ACTION_COUNT)
    for n in range(len(actions)):
        if worlds[n].asked == c.SIDE:  # both sides count as equally good
            actions[n] = 2 + (hash63(keys[n], c.SIDE, 1) & 1)
        else:
            rate(worlds[n], t, w, masks[n], scratch, values)
            actions[n] = np.argmax(values)  # ties go to the lowest action


@njit
def rate_rows(worlds, parameters, weights, masks, values):
    """Write the values of `rate` for each row, float64 (n, 425)."""
    t, w = parameters[0], weights[0]
    scratch = new_scratch()
    for n in range(len(values)):
        rate(worlds[n], t, w, masks[n], scratch, values[n])
