"""Reads facts of a position for the agents: unfilled points, Data of a Landing and distances.

The facts come from the public fields of a state and the seat's own hand, not from an observation, because the
agents judge positions after their moves, which no seat has observed.
"""

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.conditions import on_board
from spacemission_env.games.planet_hexx.engine.grid import CELLS, COORDINATES, EDGES, NEIGHBOURS

FACES = 6
Q = np.array([q for q, _ in COORDINATES], np.int64)
R = np.array([r for _, r in COORDINATES], np.int64)


@njit
def open_points(s, seat, wanted):
    """Count the open (unfilled) points of a seat by type into `wanted`; return their total."""
    wanted[:] = 0
    count = 0
    for p in range(c.POINTS):
        if s.filled[seat, p] == c.NOTHING and s.points[seat, p] != c.NOTHING:
            wanted[s.points[seat, p]] += 1
            count += 1
    return count


@njit
def fills_point(t, card, wanted):
    """Whether a card fills one of the open points in `wanted`; if so, remove that point from `wanted`."""
    kind = t.type[card]
    if wanted[kind] <= 0:
        return False
    wanted[kind] -= 1
    return True


@njit
def affordable(t, store, points):
    """The number of uploads that a Store pays for, at most one for each open point."""
    return points if t.upload_cost == 0 else min(store // int(t.upload_cost), points)


@njit
def allows_upload(s, t, cell):
    """HX-35: whether a ship on this cell can declare an Upload, because it is a Space without a ban on it."""
    card = s.hex[cell]
    return t.type[card] == c.SPACE and t.start_ban[card] >> c.UPLOAD & 1 == 0


@njit
def next_row(t, pc, weight):
    """The next instruction on the main path of a program (a card's compiled effect), and its weight.

    The main path assumes that conditions hold. It visits every row of a table that the die is rolled on; the
    weight is the probability of the row.
    """
    op = t.code[pc, 0]
    if op == codes.RANGE:
        return pc + 1, (t.code[pc, 3] - t.code[pc, 2] + 1) / FACES
    if op == codes.JUMP:
        return (pc + 1, 1.0) if weight < 1.0 else (int(t.code[pc, 1]), 1.0)
    return pc + 1, weight


@njit
def yields(s, t, cell):
    """Expected Data from Landing on a Planet (HX-23 to HX-25, HX-30)."""
    data = float(s.hex_data[cell])
    card = s.hex[cell]
    if data == 0.0 or t.on_collect[card] == c.NOTHING:
        return min(data, 1.0)
    pc = int(t.on_collect[card])
    weight = 1.0
    total = 0.0
    while t.code[pc, 0] != codes.END:
        op, number = t.code[pc, 0], t.code[pc, 1]
        if op == codes.IF and not (
            (t.code[pc, 2] == codes.PLANET_GE and data >= t.code[pc, 3])
            or (t.code[pc, 2] == codes.ON_BOARD and on_board(s, t.code[pc, 3]))
        ):
            pc = int(number)
            continue
        if op == codes.COLLECT_OP:
            total += weight * min(float(number), data)
        elif op == codes.GAIN_ACTION:
            total += weight * number  # an Action is worth about one Data
        pc, weight = next_row(t, pc, weight)
    return max(1.0, total) if t.may_collect[card] else total


FAR = 40  # number of steps that stands for "no way"
MOVES_FOR = np.zeros(FAR + 1)  # average number of Moves, by number of steps; a Move may stop anywhere (HX-17)
for _steps in range(1, FAR + 1):
    MOVES_FOR[_steps] = 1 + sum(MOVES_FOR[max(_steps - roll, 0)] for roll in range(1, FACES + 1)) / FACES


@njit
def hexes_between(cell, other):
    """Steps between two cells on a board without gaps and walls."""
    q, r = Q[cell] - Q[other], R[cell] - R[other]
    return max(abs(q), abs(r), abs(q + r))


@njit
def new_ways():
    """Scratch buffers of `find_ways`: steps to each cell, and a queue of cells."""
    return np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64)


@njit
def find_ways(s, t, start, barred, ways):
    """Write the number of steps from `start` to each cell, or `FAR` if no way leads there.

    HX-18 to HX-20: a way ends at its first Planet, and avoids walls and `barred`, the latest Landing's cell.
    """
    steps, queue = ways
    for cell in range(CELLS):
        steps[cell] = FAR
    steps[start] = 0
    queue[0] = start
    first, behind = 0, 1
    while first < behind:
        cell = queue[first]
        first += 1
        if cell != start and is_planet(s, t, cell):
            continue
        for d in range(EDGES):
            to = NEIGHBOURS[cell, d]
            if to < 0 or s.hex[to] == c.NOTHING or steps[to] < FAR or to == barred:
                continue
            if s.walls[cell] >> d & 1 or s.walls[to] >> ((d + 3) % EDGES) & 1:
                continue
            steps[to] = steps[cell] + 1
            queue[behind] = to
            behind += 1


@njit
def moves_left(steps, pending):
    """Average number of further Moves for `steps` steps, of which the current Move can make `pending`."""
    return MOVES_FOR[max(steps - pending, 0)]
