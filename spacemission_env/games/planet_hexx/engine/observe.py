"""What a seat may know: its observation. Nothing else reads a state for a seat but `keys.py`.

It writes by `layout.LAYOUT` whole numbers, a byte each, which is the compact observation; the float one is
these times `BOX.scale`. What is asked is only shown to the seat that is to act: that somebody else was asked
in a window would tell what that seat holds.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTIONS,
    ANSWERING,
    CARRYING_OUT,
    COPY,
    MIN_PLAYERS,
    MOST_COUNTERS,
    MOVING,
    NOBODY,
    NOTHING,
    NOWHERE,
    PLAYING,
    POINTS,
    ROLLING,
    SIDES,
)
from spacemission_env.games.planet_hexx.engine.grid import EDGES
from spacemission_env.games.planet_hexx.engine.layout import (
    CARD,
    CARD_SIZE,
    CELL,
    CELL_SIZE,
    COMPACT,
    COPIES_UNIT,
    DATA_UNIT,
    DECK_UNIT,
    FRACTION,
    OBSERVATION_SIZE,
    STEPS_UNIT,
)
from spacemission_env.games.planet_hexx.engine.missions import open_point
from spacemission_env.games.planet_hexx.engine.stack import top

WALL, DATA, TARGET_CELL = CELL["wall_0"], CELL["data"], CELL["target"]
OWN_SHIP, OTHER_SHIPS, OWN_LANDED = CELL["own_ship"], CELL["other_ships"], CELL["own_last_landed"]
FITS, KNOWN = CARD["fits"], CARD["known"]
BONUS = 16  # added to roll bonuses


@njit
def observe(s, t, seat, o):
    """Write what the seat may know into one `layout.OBSERVATION` record: float32 in [0, 1]."""
    observe_floats(s, t, seat, o, np.empty(1, COMPACT))


@njit
def observe_floats(s, t, seat, o, scratch):
    """The same; `scratch`: an array of one `layout.COMPACT` record, which is written."""
    w = scratch[0]
    observe_compact(s, t, seat, w)
    for i in range(OBSERVATION_SIZE):
        o.numbers[i] = np.float32(w.numbers[i]) * t.scale[i]


@njit
def observe_compact(s, t, seat, o):
    """Write the whole numbers, before the division, into one `layout.COMPACT` record."""
    for i in range(OBSERVATION_SIZE):
        o.numbers[i] = 0
    observe_game(s, t, seat, o)
    n = int(s.num_players)
    for k in range(n):
        observe_seat(s, (seat + k) % n, k, o)
    observe_hand(s, t, seat, o)
    observe_cards(s, o)
    observe_board(s, t, seat, o)
    if s.over == RUNNING and s.player == seat:
        observe_asked(s, t, seat, o)


@njit
def within(number, most):
    """A number of 0 to the most that a piece can show."""
    return min(max(int(number), 0), most)


@njit
def relative(s, seat, other):
    """How many places clockwise from the observer a seat is."""
    return (int(other) - int(seat)) % int(s.num_players)


@njit
def observe_game(s, t, seat, o):
    """The state of the turn, and the options."""
    o.num_players[s.num_players - MIN_PLAYERS] = 1
    o.start_player[relative(s, seat, s.start_player)] = 1
    o.active[relative(s, seat, s.active)] = 1
    o.round_number[0] = FRACTION * (int(s.round_number) - 1) // int(t.max_turns)
    o.options[0] = t.equal_turns
    o.options[1] = t.always_ask
    o.options[2] = t.hand_size
    o.options[3] = t.actions_per_turn
    o.options[4] = t.upload_cost
    o.options[5] = within(t.max_turns, FRACTION)
    o.actions_left[0] = within(s.actions_left, 12)
    for kind in range(ACTIONS):
        o.gained[kind] = s.gained[kind]
    o.started[0] = s.started


@njit
def observe_seat(s, j, k, o):
    """Seat j, k places clockwise from the observer: what lies open before it."""
    o.gained_ever[k] = s.gained_ever[j]
    for kind in range(ACTIONS):
        o.banned[k, kind] = s.banned[j] >> kind & 1
    o.bonus[k] = within(s.bonus[j] + BONUS, 2 * BONUS)
    o.surprised[k] = s.surprised[j]
    o.store[k] = within(s.store[j], DATA_UNIT)
    o.counters[k] = within(s.counters[j], MOST_COUNTERS)
    o.hand_size[k] = s.hand_size[j]
    for i in range(s.hand_size[j]):
        o.older[k] += s.epoch[j, i] < s.shuffles
        if k > 0 and s.known[j, i]:
            o.known[k - 1, s.hand[j, i]] = within(o.known[k - 1, s.hand[j, i]] + 1, COPIES_UNIT)
    for p in range(POINTS):
        if s.points[j, p] != NOTHING:
            o.points[k, p, s.points[j, p]] = 1
            o.filled[k, p] = s.filled[j, p] != NOTHING


@njit
def observe_hand(s, t, seat, o):
    """The own hand, and the sides of the own file."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        for v in range(CARD_SIZE):
            o.hand[i, v] = t.card_shown[card, v]
        o.hand[i, FITS] = open_point(s, t, seat, card) != NOTHING
        o.hand[i, KNOWN] = s.known[seat, i]
        o.hand_kinds[card] = within(o.hand_kinds[card] + 1, COPIES_UNIT)
    for side in range(SIDES):
        for p in range(POINTS):
            o.sides[side, t.missions[s.file[seat], side, p]] += 1


@njit
def observe_cards(s, o):
    """Deck, Discard, and what lies on the table."""
    for card in range(len(o.discard)):
        o.discard[card] = min(np.uint8(COPIES_UNIT), s.discard[card])
    o.deck_size[0] = within(s.deck_size, DECK_UNIT)
    if s.deck_known > 0:
        o.top[s.deck[s.deck_size - 1]] = 1
    if s.latest != NOTHING:
        o.latest[s.latest] = 1
    for d in range(s.depth):
        f = s.stack[d]
        if f.kind == PLAYING and f.mode != COPY and f.gone == 0 and f.card != NOTHING:
            o.table[f.card] = within(o.table[f.card] + 1, COPIES_UNIT)
        elif f.kind == CARRYING_OUT and f.held != NOTHING:
            o.table[f.held] = within(o.table[f.held] + 1, COPIES_UNIT)


@njit
def observe_board(s, t, seat, o):
    """Hexes with Data and walls, and the ships."""
    for i in range(s.hexes):
        cell = s.placed[i]
        card = s.hex[cell]
        for v in range(CELL_SIZE):
            o.cells[cell, v] = t.cell_shown[card, v]
        o.cells[cell, DATA] = within(s.hex_data[cell], DATA_UNIT)
        for d in range(EDGES):
            o.cells[cell, WALL + d] = s.walls[cell] >> d & 1
    for j in range(s.num_players):
        o.cells[s.ship[j], OWN_SHIP if j == seat else OTHER_SHIPS] += 1
    if s.landed[seat] != NOWHERE:
        o.cells[s.landed[seat], OWN_LANDED] = 1


@njit
def observe_asked(s, t, seat, o):
    """What the observer has to decide, and what it is about."""
    o.asked[s.asked] = 1
    if s.depth == 0:
        return
    f = top(s)
    if f.kind == ANSWERING:
        o.window[f.mode] = 1
        o.opener[relative(s, seat, f.seat)] = 1
    f = asked_about(s)
    if f.card != NOTHING:
        o.source[f.card] = 1
    if f.kind == ROLLING or f.kind == MOVING or f.kind == CARRYING_OUT:
        o.roll[0] = within(f.roll, STEPS_UNIT)
    o.left[0] = within(f.left, STEPS_UNIT)
    if f.kind == CARRYING_OUT and f.target != NOBODY:
        o.target_seat[relative(s, seat, f.target)] = 1
    cell = asked_cell(s)
    if cell != NOTHING:
        o.cells[cell, TARGET_CELL] = 1


@njit
def asked_about(s):
    """The frame that a decision is about: in a window what it answers."""
    f = top(s)
    return s.stack[s.depth - 2] if f.kind == ANSWERING else f


@njit
def asked_cell(s):
    """The cell that a decision is about, or NOTHING."""
    if s.depth == 0:
        return NOTHING
    f = asked_about(s)
    return int(f.hex) if f.kind == CARRYING_OUT and f.hex != NOTHING else int(f.cell)
