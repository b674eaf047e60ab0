"""Converts a seat's view to JSON types for pictures and web pages.

The source is the seat's observation, plus what is public (SM-70 to SM-74). Seats are absolute: 0 is seat 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components.parts import Card
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.view import View


def seen(view: View, seat: int | None, scores: np.ndarray, over: bool, cards: Sequence[Card]) -> Json:
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
            _seat(view, k) | {"points": known}
            for k, known in zip(order, points(scores, over, seat), strict=True)
        ],
        "faces": {card.id: face(card) for card in cards},
        "hand": None,
    }
    return table if seat is None else {**table, **_own(view)}


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


def points(scores: np.ndarray, over: bool, seat: int | None) -> list[dict[str, int]]:
    """The points by seat that the seat can count: of others, gate and stations (SM-71); all at the end."""
    known = []
    for j, row in enumerate(scores.tolist()):
        if over or j == seat:
            known.append(dict(zip(c.SCORE_NAMES, row, strict=True)))
        else:
            known.append({c.SCORE_NAMES[i]: row[i] for i in (c.GATE, c.STATIONS)})
    return known
