"""Turns observations into planes for convolutional networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spacemission_env.core.errors import SetupError
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import layout
from spacemission_env.games.planet_hexx.engine.grid import CELLS, COLUMN, ROW, SPAN

# A plane for each feature of a cell, for the ship of each relative seat, and for the latest Landing of each;
# the last plane marks the cells that exist.
PLANE_NAMES = (
    *(name for name, _ in layout.CELL_FEATURES),
    *(f"ship_{k}" for k in range(c.MAX_PLAYERS)),
    *(f"last_landed_{k}" for k in range(c.MAX_PLAYERS)),
    "cell",
)


def planes(observation: ArrayLike) -> np.ndarray:
    """Turn observations (..., size) into planes (..., len(PLANE_NAMES), 17, 17), with rows r and columns q.

    Raises:
        SetupError: the last axis has another size than an observation.
    """
    seen = np.asarray(observation)
    if seen.ndim == 0 or seen.shape[-1] != layout.OBSERVATION_SIZE:
        raise SetupError(f"observation: expected (..., {layout.OBSERVATION_SIZE}), got {seen.shape}")
    flat = seen.reshape(-1, layout.OBSERVATION_SIZE)
    n = len(flat)
    out = np.zeros((n, len(PLANE_NAMES), SPAN, SPAN), seen.dtype)
    cells = flat[:, layout.LAYOUT["cells"].slice].reshape(n, CELLS, layout.CELL_SIZE)
    out[:, : layout.CELL_SIZE, ROW, COLUMN] = cells.transpose(0, 2, 1)
    for first, name in ((layout.CELL_SIZE, "ship"), (layout.CELL_SIZE + c.MAX_PLAYERS, "landed")):
        places = flat[:, layout.LAYOUT[name].slice].reshape(n, c.MAX_PLAYERS, 2)
        if seen.dtype.kind == "f":
            places = np.rint(places * layout.PLACE_UNIT)
        row, k = np.nonzero(places[..., 0])
        q, r = places[row, k].astype(np.int64).T - 1
        out[row, first + k, r, q] = 1
    out[:, -1, ROW, COLUMN] = 1
    return out.reshape(*seen.shape[:-1], *out.shape[1:])
