"""Numbers the 217 cells of the board, row by row, in axial coordinates (q, r)."""

import numpy as np

RADIUS = 8
SPAN = 2 * RADIUS + 1  # number of rows, and of cells in the longest row
DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # clockwise, with r growing downwards
EDGES = len(DIRECTIONS)
ALL_EDGES = (1 << EDGES) - 1

# (q, r) of each cell, sorted by r, then by q.
COORDINATES = tuple(
    (q, r) for r in range(-RADIUS, RADIUS + 1) for q in range(-RADIUS, RADIUS + 1) if abs(q + r) <= RADIUS
)
CELLS = len(COORDINATES)
CELL_OF = {place: cell for cell, place in enumerate(COORDINATES)}
CENTRE, EAST = CELL_OF[0, 0], CELL_OF[1, 0]  # HX-4

# The neighbour of each cell in each direction; -1 outside the grid.
NEIGHBOURS = np.array(
    [[CELL_OF.get((q + dq, r + dr), -1) for dq, dr in DIRECTIONS] for q, r in COORDINATES], np.int64
)
ROW = np.array([r + RADIUS for _, r in COORDINATES], np.int64)  # 0 to 16
COLUMN = np.array([q + RADIUS for q, _ in COORDINATES], np.int64)
