"""Checks that all pieces of a game are there: each card, tile and chip in one place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.game import Game
from spacemission_env.games.planet_hexx.engine.constants import NOTHING
from spacemission_env.games.planet_hexx.engine.stack import on_table
from spacemission_env.games.space_mission.engine.constants import RING


def missing_pieces(game: Game) -> str | None:
    """The first sort of pieces of which some are missing or there twice; None if all are there."""
    sorts = {"space_mission": _of_space_mission, "planet_hexx": _of_planet_hexx}
    counts = sorts.get(game.spec.name, _of_one_deck)(game)
    return next((name for name, there, due in counts if not np.array_equal(there, due)), None)


def _of_one_deck(game: Game) -> Iterator[tuple[str, object, object]]:
    cards = np.sort(game.states[0].cards)
    yield "cards", cards[cards >= 0], np.arange((cards >= 0).sum())


def _of_space_mission(game: Game) -> Iterator[tuple[str, object, object]]:
    s, t, n = game.states[0], game.t, game.num_players
    hands = [s.hand[j, : s.hand_size[j]] for j in range(n)]
    held = np.bincount(np.concatenate([s.draw[: s.draw_size], *hands]), minlength=len(s.discard))
    yield "cards", held + s.discard, t.copies
    taken = np.concatenate([s.taken_kind[p, : s.taken[p]] for p in range(RING)])
    yield "tiles", s.pile.sum(0) + np.bincount(taken, minlength=len(t.tile_count)), t.tile_count
    yield "tiles of the players", s.tiles.sum() + s.reserved.sum(), len(taken)
    stations = (s.station == np.arange(n)[:, None]).sum(1)
    chips = s.supply[:n] + s.gate[:n] + stations + s.reserved[:n].sum(1)
    yield "chips", chips, np.full(n, t.chips_per_player)


def _of_planet_hexx(game: Game) -> Iterator[tuple[str, object, object]]:
    s, t = game.states[0], game.t
    hands = [s.hand[j, : s.hand_size[j]] for j in range(game.num_players)]
    table = [on_table(frame) for frame in s.stack[: s.depth]]
    places = np.concatenate([s.hex, s.filled.ravel(), s.deck[: s.deck_size], table, *hands]).astype(np.int64)
    there = s.discard + np.bincount(places[places != NOTHING], minlength=len(t.copies))
    there[[t.space_base, t.delta_colony]] -= 1
    yield "cards", there, t.copies
