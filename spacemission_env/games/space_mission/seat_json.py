"""Converts a seat's view to JSON types for pictures and web pages.

The source is the seat's observation, and what else it knows (SM-70 to SM-74). Seats are absolute: 0 is
seat 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components.parts import Card
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.view import ACTION_WORDS, Counts, View


@dataclass(frozen=True)
class Beside:
    """What a seat knows besides its observation.

    Attributes:
        scores: int64 (seats, categories); `points` shows what the seat can count.
        tiles: tiles by name and seat, which the end reveals; None before the end.
        visits: the seat's last action at each ring position in which it looked through the pile, or "".
    """

    scores: np.ndarray
    tiles: list[Counts] | None
    visits: list[str]


def beside(s: np.record, seat: int | None, scores: np.ndarray, ring: int, remembers: bool) -> Beside:
    """What a seat (None: a spectator) may know of a state besides its observation (SM-70, SM-71)."""
    tiles = None
    if s.over:
        rows = s.tiles[: s.num_players].tolist()
        tiles = [{c.KIND_NAMES[k]: count for k, count in enumerate(row) if count} for row in rows]
    by = [c.NOWHERE] * ring if seat is None or not remembers else s.looked_by[seat, :ring].tolist()
    return Beside(scores, tiles, ["" if kind == c.NOWHERE else ACTION_WORDS[kind] for kind in by])


def seen(view: View, seat: int | None, more: Beside, cards: Sequence[Card]) -> Json:
    """The table as a seat knows it; None for public knowledge."""
    observer = 0 if seat is None else seat
    n = view.num_players
    order = [(j - observer) % n for j in range(n)]  # the relative seat of each absolute seat
    start = (observer + view.start_player) % n
    to_act = None if view.player_to_act is None else (observer + view.player_to_act) % n
    table = {
        "player_to_act": to_act,
        "start_player": start,
        "phase": view.phase,
        "actions_left": view.actions_left,
        "round": view.round,
        "max_rounds": view.max_rounds,
        "last_round": view.last_round,
        "revealed": view.revealed,
        "space_tiles_to_end": view.space_tiles_to_end,
        "draw_pile": view.draw_pile_size,
        "discard": view.discard,
        "planets": [_planet(view, order, p) for p in range(len(view.planets))],
        "seats": [
            _seat(view, k) | {"points": known, "tiles": None if more.tiles is None else more.tiles[j]}
            for j, (k, known) in enumerate(zip(order, points(more, seat), strict=True))
        ],
        "faces": {card.id: face(card) for card in cards},
        "hand": None,
    }
    return table if seat is None else {**table, **_own(view), "visits": more.visits}


def face(card: Card) -> list[list[str | int]]:
    """The coordinates of a card: pairs of a colour's name and a number or "?"."""
    return [[colour, "?" if v == c.JOKER else v] for colour in c.COLOURS for v in getattr(card, colour)]


def _planet(view: View, order: list[int], p: int) -> Json:
    planet = view.planets[p]
    return {
        "name": planet.name,
        "jump": planet.jump,
        "scan": planet.scan,
        "landing": list(planet.landing),
        "tiles_left": view.tiles_left[p],
        "face_up": view.face_up[p],
        "ships": _where(order, lambda k: view.ships[k] == p),
        "station": next(iter(_where(order, lambda k: p in view.stations[k])), None),
        "scanned": _where(order, lambda k: p in view.scanned[k]),
        "looked": _where(order, lambda k: p in view.seen[k]),
        "reserved": [view.reserved[k][p] for k in order],
    }


def _where(order: list[int], holds: Callable[[int], bool]) -> list[int]:
    return [j for j, k in enumerate(order) if holds(k)]


def _seat(view: View, k: int) -> Json:
    return {
        "ship": view.ships[k],
        "supply": view.supply[k],
        "gate": view.gate[k],
        "hand_size": view.hand_size[k],
        "tile_total": view.tile_total[k],
        "stations": view.stations[k],
        "last_actions": view.last_actions[k],
    }


def _own(view: View) -> Json:
    return {
        "hand": view.hand,
        "tiles": view.tiles,
        "pile_in_view": view.pile_in_view,
        "own_reserved": view.reserved_kinds,
        "remembered": view.remembered,
        "remembered_age": view.remembered_age,
        "gone_since": view.gone_since,
    }


def points(more: Beside, seat: int | None) -> list[dict[str, int]]:
    """The points by seat that the seat can count: of others, gate and stations (SM-71); all at the end."""
    known = []
    for j, row in enumerate(more.scores.tolist()):
        if more.tiles is not None or j == seat:
            known.append(dict(zip(c.SCORE_NAMES, row, strict=True)))
        else:
            known.append({c.SCORE_NAMES[i]: row[i] for i in (c.GATE, c.STATIONS)})
    return known
