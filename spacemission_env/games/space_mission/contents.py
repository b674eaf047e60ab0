"""Lists what lies where, hidden or not: tiles by kind, cards by coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_env.core.contents import Contents, Place
from spacemission_env.games.space_mission.engine import constants as c

TILES = tuple(name.replace("_", " ") for name in c.KIND_NAMES)
COORDINATES = tuple(
    f"{colour} {number}" for colour in ("jump", "scan", "landing") for number in (1, 2, 3, 4, "?")
)


def contents(game: Any) -> list[Contents]:
    """Tiles of piles and seats; cards of hands and of the draw pile."""
    return [_tiles(game), _cards(game)]


def _tiles(game: Any) -> Contents:
    s, n = game.states[0], game.num_players
    names = [game.planet_name(p) for p in range(c.RING)]
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


def _cards(game: Any) -> Contents:
    s, n, shown = game.states[0], game.num_players, game.t.card_shown
    hands = [(s.hand[j, : s.hand_size[j]], f"seat-{j}", f"hand of player_{j}") for j in range(n)]
    piles = [*hands, (s.draw[: s.draw_size], "draw", "draw pile")]
    rows = [shown[cards].astype(np.int64).sum(0).reshape(c.CARD_FEATURES) for cards, _, _ in piles]
    places = tuple(Place(id, title) for _, id, title in piles)
    return Contents("cards", COORDINATES, places, np.stack(rows))
