"""Ways on the board: how many steps lead where, and how many Moves so many steps take on average."""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.constants import NOTHING
from spacemission_env.games.planet_hexx.engine.grid import CELLS, EDGES, NEIGHBOURS

FAR = 40  # steps that stand for "no way"
SIDES_OF_DIE = 6


def _moves_for() -> np.ndarray:
    """Moves that a way of 0 to `FAR` steps takes on average, if one may stop anywhere on it (HX-16)."""
    moves = np.zeros(FAR + 1)
    for steps in range(1, FAR + 1):
        moves[steps] = (
            1 + sum(moves[max(steps - roll, 0)] for roll in range(1, SIDES_OF_DIE + 1)) / SIDES_OF_DIE
        )
    return moves


MOVES_FOR = _moves_for()


@njit
def new_ways():
    """Scratch of `find_ways`: steps to each cell, and a queue of cells."""
    return np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64)


@njit
def find_ways(s, t, start, barred, ways):
    """Write how many steps lead from a cell to each other one; `FAR` where no way does.

    HX-18 to HX-20: a way ends on a Planet, does not go through walls, nor to `barred`, the Planet Landed on
    last (or NOWHERE).
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
            if to < 0 or s.hex[to] == NOTHING or steps[to] < FAR or to == barred:
                continue
            if s.walls[cell] >> d & 1 or s.walls[to] >> ((d + 3) % EDGES) & 1:
                continue
            steps[to] = steps[cell] + 1
            queue[behind] = to
            behind += 1


@njit
def moves_left(steps, pending):
    """Moves that a way takes on average, of which a Move under way still goes `pending` steps."""
    return MOVES_FOR[max(steps - pending, 0)]
