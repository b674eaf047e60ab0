"""Lists all tiles by kind and all cards by coordinates, hidden ones included."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spacemission_env.core.game import Contents, Place
from spacemission_env.games.space_mission.engine import constants as c

TILES = tuple(name.replace("_", " ") for name in c.KIND_NAMES)
COORDINATES = tuple(
    f"{colour} {number}" for colour in ("jump", "scan", "landing") for number in (1, 2, 3, 4, "?")
)


def contents(s: np.record, shown: np.ndarray, names: Sequence[str]) -> list[Contents]:
    """The tiles of piles and seats; the cards of hands and of the draw pile.

    Args:
        s: the state.
        shown: what each card shows, the parameters' `card_shown`.
        names: of the planets, by ring position.
    """
    return [_tiles(s, names), _cards(s, shown)]


def _tiles(s: np.record, names: Sequence[str]) -> Contents:
    n = int(s.num_players)
    places = [Place(f"pile-{p}", f"pile of {name}") for p, name in enumerate(names)]
    rows = [s.pile[p].astype(np.int64) for p in range(c.RING)]
    for p, name in enumerate(names):
        for j in range(n) if s.station[p] == c.NOWHERE else ():
            if s.reserved[j, p]:
                places.append(Place(f"planet-{p}", f"player_{j} reserved on {name}"))
                mine = s.taken_by[p, : s.taken[p]] == j
                rows.append(np.bincount(s.taken_kind[p, : s.taken[p]][mine], minlength=c.KINDS))
    for j in range(n):
        places.append(Place(f"seat-{j}", f"tiles of player_{j}"))
        rows.append(s.tiles[j].astype(np.int64))
    return Contents("tiles", TILES, tuple(places), np.stack(rows))


def _cards(s: np.record, shown: np.ndarray) -> Contents:
    n = int(s.num_players)
    hands = [(s.hand[j, : s.hand_size[j]], f"seat-{j}", f"hand of player_{j}") for j in range(n)]
    piles = [*hands, (s.draw[: s.draw_size], "draw", "draw pile")]
    rows = [shown[cards].astype(np.int64).sum(0).reshape(c.CARD_FEATURES) for cards, _, _ in piles]
    places = tuple(Place(id, title) for _, id, title in piles)
    return Contents("cards", COORDINATES, places, np.stack(rows))
