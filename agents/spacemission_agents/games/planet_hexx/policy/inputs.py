"""Writes network inputs: the heuristic's best moves and the position.

The moves are sorted, best first. Each has its rating, the features of the position after it, its kind and its
card. The input is the same in all worlds that the seat cannot tell apart. A policy scores each move with the
same weights and adds the rating, so before training it plays like `heuristic` (residual policy learning,
Silver et al. 2018, arXiv:1812.06298).
"""

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic import choice
from spacemission_agents.games.planet_hexx.heuristic.choice import FACES, TRIED, carry_out
from spacemission_agents.games.planet_hexx.policy.features import FEATURES, write_features
from spacemission_env.games.planet_hexx.actions import SEGMENTS
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.stack import top

INPUTS = ("observation", "rated")
AS_IT_IS, RATED = range(len(INPUTS))

MOVES = 12  # number of moves in the input: the best by their ratings
NOT_WORSE = 1.0  # scale of a move's distance from the best rating; larger distances are clipped
FINE = 0.05  # a finer scale of the same distance
GROUPS = np.array([segment.first for segment in SEGMENTS])  # kinds of moves

# A move: two ratings, features of the position after it, its kind, its card.
RATING, FINE_RATING, LEADS_TO = 0, 1, 2
GROUP_AT = LEADS_TO + FEATURES
MOVE_NUMBERS = GROUP_AT + len(GROUPS)  # numbers of a move that a layer reads; its card has an embedding
CARD_AT = MOVE_NUMBERS
MOVE_SIZE = CARD_AT + 1

# The position: number of moves, features, current decision, card of the decision.
COUNT_AT = MOVES * MOVE_SIZE
POSITION_AT = COUNT_AT + 1
ASKED_AT = FEATURES
WINDOW_AT = ASKED_AT + len(c.ASKED)
PLAYERS_AT = WINDOW_AT + c.WINDOWS
MORE_AT = PLAYERS_AT + c.MAX_PLAYERS - c.MIN_PLAYERS + 1
POSITION_NUMBERS = MORE_AT + 3
ABOUT_AT = POSITION_AT + POSITION_NUMBERS
INPUT_SIZE = ABOUT_AT + 1


@njit
def new_scratch():
    """Scratch of `write_input`, one for each thread."""
    return choice.new_scratch(), np.zeros(c.ACTION_COUNT), np.zeros(FEATURES, np.float32)


@njit
def write_input(world, t, w, mask, scratch, actions, x):
    """Write the input of a network for a decision into x, float32 (INPUT_SIZE,); return the number of moves.

    Args:
        world: a world that is possible for the seat to act.
        t: parameters of the game.
        w: the weights of `heuristic`.
        mask: legal moves of the seat.
        scratch: of `new_scratch`.
        actions: output, int64 (MOVES,): the moves, best first.
        x: output.
    """
    rating, values, numbers = scratch
    choice.rate(world, t, w, mask, rating, values)
    count = best_moves(values, actions)
    x[:] = 0.0
    s = rating[0][choice.BASE]
    seat = int(s.player)
    for i in range(count):
        move = x[i * MOVE_SIZE : (i + 1) * MOVE_SIZE]
        below = values[actions[0]] - values[actions[i]]
        move[RATING] = -min(below / NOT_WORSE, 1.0)
        move[FINE_RATING] = -min(below / FINE, 1.0)
        write_outcome(rating, t, w, seat, actions[i], numbers, move[LEADS_TO:GROUP_AT])
        write_kind(s, seat, actions[i], move)
    x[COUNT_AT] = count
    write_position(s, t, w, seat, rating[4], x)
    return count


@njit
def best_moves(values, actions):
    """Write the moves with the highest values, best first, ties by number; return how many."""
    count = 0
    for action in range(c.ACTION_COUNT):
        value = values[action]
        if value == choice.LEFT_OUT or (count == MOVES and value <= values[actions[MOVES - 1]]):
            continue
        count = min(count + 1, MOVES)
        i = count - 1
        while i > 0 and values[actions[i - 1]] < value:
            actions[i] = actions[i - 1]
            i -= 1
        actions[i] = action
    return count


@njit
def write_outcome(rating, t, w, seat, action, numbers, x):
    """Write the features of the position after a move: the mean over the faces if a die is rolled."""
    rolled = carry_out(rating, t, w, seat, action, 0)
    write_features(rating[0][TRIED], t, w, seat, rating[4], x)
    if not rolled:
        return
    for face in range(1, FACES):
        carry_out(rating, t, w, seat, action, face)
        write_features(rating[0][TRIED], t, w, seat, rating[4], numbers)
        for i in range(FEATURES):
            x[i] += numbers[i]
    for i in range(FEATURES):
        x[i] /= FACES


@njit
def write_kind(s, seat, action, move):
    """Write the kind of a move, and 1 + the kind of its card."""
    group = len(GROUPS) - 1
    while action < GROUPS[group]:
        group -= 1
    move[GROUP_AT + group] = 1.0
    if c.TO_PLAY <= action < c.TO_CELL:
        move[CARD_AT] = 1 + s.hand[seat, (action - c.TO_PLAY) % c.HAND]
    elif action >= c.TO_KIND:
        move[CARD_AT] = 1 + action - c.TO_KIND


@njit
def write_position(s, t, w, seat, scratch, x):
    """Write the features of the position, the current decision, and the card of the decision."""
    position = x[POSITION_AT:ABOUT_AT]
    write_features(s, t, w, seat, scratch, position[:FEATURES])
    position[ASKED_AT + s.asked] = 1.0
    position[PLAYERS_AT + s.num_players - c.MIN_PLAYERS] = 1.0
    position[MORE_AT] = min(int(s.round_number), 60) / 30.0
    if s.depth > 0:
        if top(s).kind == c.ANSWERING:
            position[WINDOW_AT + top(s).mode] = 1.0
        f = top(s)
        if f.kind == c.ANSWERING:  # the frame that the window answers
            f = s.stack[max(int(s.depth) - 2, 0)]
        position[MORE_AT + 1] = min(int(f.left), 20) / 6.0
        position[MORE_AT + 2] = f.seat == seat
        if f.card != c.NOTHING:
            x[ABOUT_AT] = 1 + f.card
