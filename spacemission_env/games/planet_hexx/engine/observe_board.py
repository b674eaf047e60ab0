"""The board in an observation: what lies on the cells, several numbers at once (layout.CELL_FEATURES).

A hex has the features of its card (`BOX.cell_words`, `BOX.cell_pairs`), its walls as it lies (the first six,
from a table by their bits), its Data and its rotation. All other cells are zero, but for marks. Places are
unsigned numbers here: numba then does not look whether one is to be counted from the end, which takes as long
as to write what stands there.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import NOTHING, NOWHERE
from spacemission_env.games.planet_hexx.engine.grid import ALL_EDGES, EDGES
from spacemission_env.games.planet_hexx.engine.layout import (
    CELL,
    CELL_SIZE,
    DATA_UNIT,
    LAYOUT,
    OBSERVATION_SIZE,
    PAIRS,
    WORDS,
    cell_pairs,
    cell_words,
)
from spacemission_env.games.planet_hexx.engine.observe_course import asked_cell

OWN_SHIP, OTHER_SHIPS, OWN_LANDED = CELL["own_ship"], CELL["other_ships"], CELL["own_last_landed"]
DATA, TURNED, TARGET = CELL["data"], CELL["turned"], CELL["target"]
CELLS_START = LAYOUT["cells"].start
DATA_WORD, DATA_SHIFT = DATA // 4, np.uint32(8 * (DATA % 4))
TURNED_WORD, TURNED_SHIFT = TURNED // 4, np.uint32(8 * (TURNED % 4))
UNSIGNED = np.uint64

# The walls of a hex by their bits.
_WALLS = [[bits >> d & 1 for d in range(EDGES)] + [0] * (CELL_SIZE - EDGES) for bits in range(ALL_EDGES + 1)]
WALL_WORDS = np.array([cell_words(walls) for walls in _WALLS])
WALL_PAIRS = np.array([cell_pairs(walls) for walls in _WALLS])
assert (EDGES // 2, PAIRS) == (3, 10)  # write_pairs


@njit
def observe_board(s, t, seat, o):
    """Write the cells of a `layout.COMPACT` record."""
    for i in range(CELLS_START, OBSERVATION_SIZE):
        o.numbers[i] = 0
    for i in range(s.hexes):
        cell = UNSIGNED(s.placed[i])
        card = UNSIGNED(s.hex[cell])
        walls = UNSIGNED(s.walls[cell])
        for v in range(WORDS):
            word = t.cell_words[card, UNSIGNED(v)] | WALL_WORDS[walls, UNSIGNED(v)]
            if v == DATA_WORD:
                word |= np.uint32(min(int(s.hex_data[cell]), DATA_UNIT)) << DATA_SHIFT
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
            o.cells[cell, UNSIGNED(DATA)] = np.float32(min(int(data), DATA_UNIT)) * per_data
        if turned != 0:
            o.cells[cell, UNSIGNED(TURNED)] = np.float32(turned) * per_turn
    mark(s, seat, o.cells, t.scale[CELLS_START + OTHER_SHIPS])


@njit
def write_pairs(out, walls, card):
    """The features of a hex but Data and rotation. All are read before one is written: nothing tells the
    compiler that they do not lie where the others are read from, and it would go number by number.
    """
    w0, w1, w2 = walls[0], walls[1], walls[2]
    c3, c4, c5, c6, c7, c8, c9 = card[3], card[4], card[5], card[6], card[7], card[8], card[9]
    out[0], out[1], out[2] = w0, w1, w2
    out[3], out[4], out[5], out[6], out[7], out[8], out[9] = c3, c4, c5, c6, c7, c8, c9


@njit
def mark(s, seat, cells, per_ship):
    """The ships, where the seat Landed last, and the cell that what is under way is about."""
    for j in range(s.num_players):
        cell = s.ship[j]
        if j == seat:
            cells[cell, OWN_SHIP] = 1
        else:
            ships = 0
            for k in range(s.num_players):
                ships += k != seat and s.ship[k] == cell
            cells[cell, OTHER_SHIPS] = ships * per_ship
    if s.landed[seat] != NOWHERE:
        cells[s.landed[seat], OWN_LANDED] = 1
    target = asked_cell(s)
    if target != NOTHING:
        cells[target, TARGET] = 1
