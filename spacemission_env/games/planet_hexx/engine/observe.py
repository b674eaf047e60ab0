"""Writes observations of seats (`layout.LAYOUT`).

The compact observation has one byte for each number; the float observation is these bytes times
`PARAMETERS.scale`. Other seats must not see which seat a window asks, because that depends on hidden hands.
In this folder, only this module and `keys.py` write what a seat may know. Indices are unsigned, so that numba
skips the check for negative ones.
"""

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import layout
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.declare import ANNOUNCE
from spacemission_env.games.planet_hexx.engine.grid import ALL_EDGES, COLUMN, EDGES, ROW
from spacemission_env.games.planet_hexx.engine.layout import CELL, CELL_SIZE, COMPACT, OBSERVATION_SIZE
from spacemission_env.games.planet_hexx.engine.missions import open_point
from spacemission_env.games.planet_hexx.engine.stack import cell_of, on_table
from spacemission_env.games.planet_hexx.engine.state import NORMAL_UPLOAD

OWN_SHIP, OTHER_SHIPS, OWN_LANDED = CELL["own_ship"], CELL["other_ships"], CELL["own_last_landed"]
DATA, TURNED, TARGET = CELL["data"], CELL["turned"], CELL["target"]
CELLS_START = layout.LAYOUT["cells"].start
DATA_WORD, DATA_SHIFT = DATA // 4, np.uint32(8 * (DATA % 4))
TURNED_WORD, TURNED_SHIFT = TURNED // 4, np.uint32(8 * (TURNED % 4))
UNSIGNED = np.uint64
FITS, KNOWN, AGE = (layout.CARD[name] for name in ("fits", "known", "age"))
BONUS = 16  # offset of bonuses, which may be negative

# Columns of `under_way` and `deeds`.
SEAT, CARD, CHOSEN, CANCELLED, ROLL, LEFT, CAME, TARGET_SEAT, BEFORE, MORE = (
    layout.ROW[name]
    for name in ("seat_0", "card", "which", "cancelled", "roll", "left", "came", "target_0", "before", "more")
)
ROLL_ROW, FLIGHT, EFFECT, DISCARDS, GAINED_ROW = (
    layout.UNDER_WAY.index(name) for name in ("roll", "flight", "effect", "discards", "gained")
)
DOER, WHAT, DEED_CARD, DEED_NUMBER = (layout.DEED[name] for name in ("seat_0", "map", "card", "number"))
STEPS = layout.STEPS_UNIT

# The features of a cell for each combination of walls.
_WALLS = [[bits >> d & 1 for d in range(EDGES)] + [0] * (CELL_SIZE - EDGES) for bits in range(ALL_EDGES + 1)]
WALL_WORDS = np.array([layout.cell_words(walls) for walls in _WALLS])
WALL_PAIRS = np.array([layout.cell_pairs(walls) for walls in _WALLS])
assert (EDGES // 2, layout.PAIRS) == (3, 10)  # `write_pairs` relies on these sizes


@njit
def observe_board(s, t, seat, o):
    """Write the cells of a `layout.COMPACT` record."""
    for i in range(CELLS_START, OBSERVATION_SIZE):
        o.numbers[i] = 0
    for i in range(s.hexes):
        cell = UNSIGNED(s.placed[i])
        card = UNSIGNED(s.hex[cell])
        walls = UNSIGNED(s.walls[cell])
        for v in range(layout.WORDS):
            word = t.cell_words[card, UNSIGNED(v)] | WALL_WORDS[walls, UNSIGNED(v)]
            if v == DATA_WORD:
                word |= np.uint32(min(int(s.hex_data[cell]), layout.DATA_UNIT)) << DATA_SHIFT
            elif v == TURNED_WORD:
                word |= np.uint32(s.turned[cell]) << TURNED_SHIFT
            o.cell_words[cell, UNSIGNED(v)] = word
    mark(s, seat, o.cells, 1)


@njit
def observe_board_floats(s, t, seat, o):
    """Write the cells of a `layout.OBSERVATION` record."""
    for i in range(CELLS_START, OBSERVATION_SIZE):
        o.numbers[i] = 0
    per_data, per_turn = t.scale[CELLS_START + DATA], t.scale[CELLS_START + TURNED]
    for i in range(s.hexes):
        cell = UNSIGNED(s.placed[UNSIGNED(i)])
        write_pairs(
            o.cell_pairs[cell], WALL_PAIRS[UNSIGNED(s.walls[cell])], t.cell_pairs[UNSIGNED(s.hex[cell])]
        )
        data, turned = s.hex_data[cell], s.turned[cell]
        if data != 0:
            o.cells[cell, UNSIGNED(DATA)] = np.float32(min(int(data), layout.DATA_UNIT)) * per_data
        if turned != 0:
            o.cells[cell, UNSIGNED(TURNED)] = np.float32(turned) * per_turn
    mark(s, seat, o.cells, t.scale[CELLS_START + OTHER_SHIPS])


@njit
def write_pairs(out, walls, card):
    """Write the features of a hex except Data and rotation.

    All numbers are read before the first is written, because the compiler cannot know that the arrays do not
    overlap.
    """
    w0, w1, w2 = walls[0], walls[1], walls[2]
    c3, c4, c5, c6, c7, c8, c9 = card[3], card[4], card[5], card[6], card[7], card[8], card[9]
    out[0], out[1], out[2] = w0, w1, w2
    out[3], out[4], out[5], out[6], out[7], out[8], out[9] = c3, c4, c5, c6, c7, c8, c9


@njit
def mark(s, seat, cells, per_ship):
    """Mark the ships, the latest Landing of the seat, and the cell of the innermost frame."""
    for j in range(s.num_players):
        cell = s.ship[j]
        if j == seat:
            cells[cell, OWN_SHIP] = 1
        else:
            ships = 0
            for k in range(s.num_players):
                ships += k != seat and s.ship[k] == cell
            cells[cell, OTHER_SHIPS] = ships * per_ship
    if s.landed[seat] != c.NOWHERE:
        cells[s.landed[seat], OWN_LANDED] = 1
    target = asked_cell(s)
    if target != c.NOTHING:
        cells[target, TARGET] = 1


@njit
def observe(s, t, seat, recall, o):
    """Write what the seat may know into one `layout.OBSERVATION` record: float32 in [0, 1].

    `recall` has no effect: the game itself remembers which cards are known.
    """
    observe_floats(s, t, seat, recall, o, np.zeros(1, COMPACT))


@njit
def observe_floats(s, t, seat, recall, o, scratch):
    """Write the same as `observe`; `scratch`: an array of one `layout.COMPACT` record, overwritten.

    The board is written directly as floats, because most of it is empty.
    """
    w = scratch[0]
    observe_table(s, t, seat, w)
    for i in range(CELLS_START):
        o.numbers[i] = np.float32(w.numbers[i]) * t.scale[i]
    observe_board_floats(s, t, seat, o)


@njit
def observe_compact(s, t, seat, recall, o, scratch):
    """Write the compact observation into one `layout.COMPACT` record."""
    observe_table(s, t, seat, o)
    observe_board(s, t, seat, o)


@njit
def observe_table(s, t, seat, o):
    """Write all pieces except the board."""
    for i in range(CELLS_START):
        o.numbers[i] = 0
    observe_game(s, t, seat, o)
    n = int(s.num_players)
    for k in range(n):
        observe_seat(s, (seat + k) % n, k, o)
    observe_hand(s, t, seat, o)
    observe_cards(s, o)
    observe_under_way(s, seat, o)
    if s.over == RUNNING and s.player == seat:
        o.asked[s.asked] = 1


@njit
def within(number, most):
    """Clip a number to the range from 0 to `most`."""
    return min(max(int(number), 0), most)


@njit
def relative(s, seat, other):
    """How many places clockwise of the observer `seat` the seat `other` sits."""
    return (int(other) - int(seat)) % int(s.num_players)


@njit
def observe_game(s, t, seat, o):
    """Write the turn and the rules options."""
    o.num_players[s.num_players - c.MIN_PLAYERS] = 1
    o.start_player[relative(s, seat, s.start_player)] = 1
    o.active[relative(s, seat, s.active)] = 1
    o.round_number[0] = layout.FRACTION * (int(s.round_number) - 1) // int(t.max_turns)
    o.options[0] = t.equal_turns
    o.options[1] = t.always_ask
    o.options[2] = t.hand_size
    o.options[3] = t.actions_per_turn
    o.options[4] = t.upload_cost
    o.options[5] = within(t.max_turns, layout.FRACTION)
    o.actions_left[0] = within(s.actions_left, 12)
    for kind in range(c.ACTIONS):
        o.gained[kind] = s.gained[kind]
    o.options[6] = t.immediate_upload_cost
    o.options[7] = t.movable_bases
    o.options[8] = t.split_board
    o.options[9] = t.copy_cancelled
    o.begun[0] = within(s.begun, 12)


@njit
def observe_seat(s, j, k, o):
    """Write the public facts of seat j, the relative seat k."""
    k, j = UNSIGNED(k), UNSIGNED(j)
    o.gained_ever[k] = s.gained_ever[j]
    bans = int(s.banned[j])
    if bans != 0:
        for kind in range(c.ACTIONS):
            o.banned[k, kind] = bans >> kind & 1
    o.bonus[k] = within(s.bonus[j] + BONUS, 2 * BONUS)
    o.collect_bonus[k] = within(s.collect_bonus[j] + BONUS, 2 * BONUS)
    used = int(s.once[j])
    if used != 0:
        for bit in range(c.MOST_ONCE):
            o.once[k, bit] = used >> bit & 1
    o.surprised[k] = s.surprised[j]
    o.store[k] = within(s.store[j], layout.DATA_UNIT)
    o.counters[k] = within(s.counters[j], c.MOST_COUNTERS)
    o.ship[k, 0] = 1 + COLUMN[s.ship[j]]
    o.ship[k, 1] = 1 + ROW[s.ship[j]]
    if s.landed[j] != c.NOWHERE:
        o.landed[k, 0] = 1 + COLUMN[s.landed[j]]
        o.landed[k, 1] = 1 + ROW[s.landed[j]]
    o.file[k] = 1 + s.file[j]
    for n in range(c.POINTS):
        p = UNSIGNED(n)
        if s.points[j, p] != c.NOTHING:
            o.points[k, p, UNSIGNED(s.points[j, p])] = 1
            o.filled[k, p] = s.filled[j, p] != c.NOTHING
            o.uploaded[k, p] = 1 + s.filled[j, p]
    o.hand_size[k] = s.hand_size[j]
    for n in range(s.hand_size[j]):
        i = UNSIGNED(n)
        card = UNSIGNED(s.hand[j, i])
        if s.known[j, i] == 0:
            age = UNSIGNED(age_of(s, s.epoch[j, i]))
            o.unseen[k, age] += 1
            if k > 0:
                o.pool[age, card] += 1
        elif k > 0:
            other = k - UNSIGNED(1)
            o.known[other, card] = min(int(o.known[other, card]) + 1, layout.COPIES_UNIT)


@njit
def age_of(s, epoch):
    """The number of shuffles since a card was drawn, at most `AGES` - 1."""
    return min(int(s.shuffles) - int(epoch), layout.AGES - 1)


@njit
def observe_hand(s, t, seat, o):
    """Write the observer's hand, and the sides of its Mission File."""
    for i in range(s.hand_size[seat]):
        card = s.hand[seat, i]
        for v in range(layout.CARD_SIZE):
            o.hand[i, v] = t.card_shown[card, v]
        o.hand[i, FITS] = open_point(s, t, seat, card) != c.NOTHING
        o.hand[i, KNOWN] = s.known[seat, i]
        o.hand[i, AGE] = age_of(s, s.epoch[seat, i])
        o.hand_kinds[card] = within(o.hand_kinds[card] + 1, layout.COPIES_UNIT)
    for side in range(c.SIDES):
        for p in range(c.POINTS):
            o.sides[side, t.missions[s.file[seat], side, p]] += 1


@njit
def observe_cards(s, o):
    """Write deck, Discard and cards being played; add the deck to `pool`, which already has the hands."""
    unseen = int(s.deck_size) - int(s.deck_known)
    for i in range(unseen):
        o.pool[0, s.deck[i]] += 1
    for card in range(c.KINDS):
        o.discard[card] = min(np.uint8(layout.COPIES_UNIT), s.discard[card])
        for age in range(layout.AGES):
            o.pool[age, card] = min(np.uint8(layout.COPIES_UNIT), o.pool[age, card])
    o.deck_size[0] = within(s.deck_size, layout.DECK_UNIT)
    for i in range(min(int(s.deck_known), c.HAND)):
        o.next_cards[i] = 1 + s.deck[s.deck_size - 1 - i]
    if s.deck_known > 0:
        o.top[s.deck[s.deck_size - 1]] = 1
    if s.latest != c.NOTHING:
        o.latest[s.latest] = 1
    for d in range(s.depth):
        card = on_table(s.stack[d])
        if card != c.NOTHING:
            o.table[card] = within(o.table[card] + 1, layout.COPIES_UNIT)


@njit
def observe_under_way(s, seat, o):
    """Write the frames, the open window and the deeds."""
    n = int(s.num_players)
    row = 0
    for d in range(int(s.depth) - 1, -1, -1):
        f = s.stack[d]
        if f.kind == c.ANSWERING:
            continue
        if row == 0 and f.card != c.NOTHING:
            o.source[f.card] = 1
        observe_frame(f, seat, n, o.under_way[row])
        row += 1
        if row == layout.ROWS:
            break
    if s.depth > 0:
        f = s.stack[s.depth - 1]
        if f.kind == c.ANSWERING:
            o.window[f.mode] = 1
            o.opener[(int(f.seat) - seat) % n] = 1
            o.passed[0] = f.taken >> seat & 1
    for i in range(c.DEEDS):
        if s.deeds[i, 1] == c.NOTHING:
            break
        out = o.deeds[i]
        out[DOER + (int(s.deeds[i, 0]) - seat) % n] = 1
        out[WHAT + s.deeds[i, 1]] = 1
        out[DEED_CARD] = 1 + s.deeds[i, 2]
        out[DEED_NUMBER] = min(int(s.deeds[i, 3]), STEPS)


@njit
def row_of(f):
    """The index of a frame in `layout.UNDER_WAY`."""
    if f.kind == c.PLAYING:
        return int(f.mode)
    if f.kind == c.ROLLING:
        return ROLL_ROW
    if f.kind == c.MOVING:
        return FLIGHT
    if f.kind == c.CARRYING_OUT:
        return EFFECT
    return DISCARDS if f.kind == c.DISCARDING else GAINED_ROW


@njit
def which(f):
    """1 + the chosen branch, the type to discard, or the kind of the gained Action; 0: none."""
    if f.kind == c.PLAYING:
        if f.mode == c.UPLOAD:
            return 1 + (f.branch != NORMAL_UPLOAD)
        return 1 + f.branch if f.step > ANNOUNCE and f.card != c.NOTHING else 0
    return 1 + f.mode if f.kind == c.DISCARDING or f.kind == c.GAINING else 0


@njit
def observe_frame(f, seat, n, out):
    """Write a row of `under_way`."""
    out[row_of(f)] = 1
    out[SEAT + (int(f.seat) - seat) % n] = 1
    out[CARD] = 1 + f.card
    out[CHOSEN] = min(int(which(f)), layout.WHICH)
    out[CANCELLED] = f.cancelled
    out[ROLL] = min(max(int(f.roll), 0), STEPS)
    out[LEFT] = min(int(f.left), STEPS)
    out[CAME] = 1 + f.came
    if f.target != c.NOBODY:
        out[TARGET_SEAT + (int(f.target) - seat) % n] = 1
    out[BEFORE] = 1 + f.before
    if f.more != 0:
        out[MORE] = min(max(STEPS // 2 + int(f.more), 0), STEPS)


@njit
def asked_cell(s):
    """The cell of the innermost frame that is not a window, or NOTHING."""
    for d in range(int(s.depth) - 1, -1, -1):
        f = s.stack[d]
        if f.kind != c.ANSWERING:
            return cell_of(f)
    return c.NOTHING
