"""What a card or an effect brings its owner at once, in Data: read from its program."""

from __future__ import annotations

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.reading import next_row
from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.constants import ANY_TYPE, NOTHING
from spacemission_env.games.planet_hexx.engine.effect_codes import (
    ADD,
    ALL,
    CANCEL,
    COLLECT_OP,
    DRAW,
    END,
    EXPEND,
    FORBID,
    GAIN_ACTION,
    MOVE_OP,
    TAKE,
    UPLOAD_NOW_OP,
    UPLOAD_SELF,
    USE_ACTION,
    YOU,
)
from spacemission_env.games.planet_hexx.engine.missions import open_point

UPLOADED = 10.0  # an upload, in Data
CARD, ACTION, SPOILT = 0.2, 0.8, 0.5  # a card, an Action, something that others lose
MOST = 9


@njit
def gain(s, t, seat, card, pc):
    """What a program brings its owner; conditions are taken to hold, tables count by their odds."""
    total = 0.0
    weight = 1.0
    while t.code[pc, 0] != END:
        total += weight * statement_gain(s, t, seat, card, t.code[pc])
        pc, weight = next_row(t, pc, weight)
    return total


@njit
def statement_gain(s, t, seat, card, row):
    """What one statement brings; `row`: of `Box.code`."""
    op, number, who = row[0], min(row[1], MOST), row[2]
    own = who == YOU or who == ALL
    if op == ADD:
        return number if own else -SPOILT * number
    if op == EXPEND or op == USE_ACTION or op == FORBID:
        return -number if who == YOU else SPOILT
    if op == TAKE:
        return float(min(number, richest(s, seat)))
    if op == COLLECT_OP:
        here = s.ship[seat]
        return float(min(number, s.hex_data[here])) if is_planet(s, t, here) else 0.0
    if op == DRAW:
        return CARD * number if own else 0.0
    if op == GAIN_ACTION:
        return ACTION * number
    if op == UPLOAD_SELF:
        return UPLOADED if open_point(s, t, seat, card) != NOTHING else 0.0
    if op == UPLOAD_NOW_OP:
        return UPLOADED if can_upload(s, t, seat, row[3]) else 0.0
    if op == MOVE_OP or op == CANCEL:
        return SPOILT
    return 0.0


@njit
def richest(s, seat):
    """The most Data in another's Store."""
    most = 0
    for j in range(s.num_players):
        if j != seat:
            most = max(most, int(s.store[j]))
    return most


@njit
def can_upload(s, t, seat, wanted):
    """Whether the hand holds a card of the type that fits an open point."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        if (wanted == ANY_TYPE or t.type[card] == wanted) and open_point(s, t, seat, card) != NOTHING:
            return True
    return False


@njit
def event_gain(s, t, seat, card, branch):
    """What an Event brings by one of its branches, less its cost."""
    cost = t.costs[t.cost[card]]
    spent = cost.expend + cost.actions + CARD * cost.discards
    return gain(s, t, seat, card, t.play[card, branch]) - spent


@njit
def best_branch(s, t, seat, card):
    """The branch of an Event that brings most, and what it brings."""
    best, most = 0, -1e9
    for branch in range(t.branches[card]):
        brings = event_gain(s, t, seat, card, branch)
        if brings > most:
            best, most = branch, brings
    return best, most
