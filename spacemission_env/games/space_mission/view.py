"""Reads a compact observation into plain Python values, and turns these into JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from spacemission_env.core.arguments import described
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components, Planet
from spacemission_env.games.space_mission.components.parameters import compact_units, make_parameters
from spacemission_env.games.space_mission.components.parts import Card
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import LAYOUT, OBSERVATION_SIZE
from spacemission_env.games.space_mission.facts import FACTS, write_facts
from spacemission_env.games.space_mission.options import Rules

Counts = dict[str, int]  # counts by name, without zeros
Means = dict[str, float]  # mean numbers by name, rounded to 6 decimals

# The six actions as words, in the order of rules.KIND_OF.
ACTION_WORDS = ("top up", "jump", "fly", "scan", "develop", "discover")


@dataclass(frozen=True)
class View:
    """A seat's knowledge as plain values, named as in `LAYOUT`.

    Seats are relative: index 0 is the observer, index k the seat k places clockwise. Lists by seat have
    `num_players` entries, lists by ring position as many as the ring has planets (8 in the full box).
    """

    num_players: int
    phase: str  # action, reserve, develop, discover, over
    player_to_act: int | None  # None at the end of the game
    start_player: int
    actions_left: int
    round: int
    max_rounds: int
    last_round: bool
    revealed: int
    space_tiles_to_end: int
    draw_pile_size: int
    hand: list[str]  # card ids by slot; ids of cards that look alike are joined by "/"
    planets: list[Planet]  # by ring position
    ships: list[int | None]  # by seat: ring position, None on the gate
    stations: list[list[int]]  # by seat: ring positions with its station
    scanned: list[list[int]]  # by seat: ring positions it has scanned
    seen: list[list[int]]  # by seat: ring positions whose pile it has looked through
    reserved: list[list[int]]  # by seat and ring position: number of reserved tiles
    tiles_left: list[int]  # by ring position
    face_up: list[int]  # by ring position: space tiles that lie face up
    supply: list[int]
    gate: list[int]
    hand_size: list[int]
    tile_total: list[int]
    discard: Counts  # by card id
    tiles: Counts  # the observer's tiles, by tile name
    pile_in_view: Counts  # the pile by tile name while the observer picks a tile; else empty
    reserved_kinds: list[Counts]  # the observer's reserved tiles, by ring position
    remembered: list[Counts]  # by ring position: tiles left after the observer's last look; or empty
    remembered_age: list[int]  # by ring position: rounds since that look, at most `layout.OLDEST`
    gone_since: list[int]  # by ring position: tiles gone since that look
    kept_cards: Counts  # by card id: cards that others have held since before the last shuffle
    kept_count: list[int]  # by seat: number of such cards that it holds
    kept_by: list[Means]  # by seat: mean number of each of `kept_cards`; empty for the observer
    taken: list[list[int]]  # by seat and ring position: tiles taken or reserved in the whole game
    last_taken: list[list[int]]  # by seat: ring positions where it took the last tile
    taken_kinds: list[list[Means]]  # by seat and ring position: means by kind; empty for the observer
    last_actions: list[list[str]]  # by seat: at most two of ACTION_WORDS, latest first
    last_cards: list[list[int]]  # by seat: number of cards that each of `last_actions` used
    last_from: list[int | None]  # by seat: its ship's ring position before its latest action; None: gate


def read_view(
    seen: np.ndarray,
    floats: np.ndarray,
    parameters: np.ndarray,
    rounds: int,
    components: Components,
    names: Sequence[str],
) -> View:
    """Read a seat's observation as a `View`.

    Args:
        seen: the compact observation, uint8 (1, OBSERVATION_SIZE).
        floats: the float observation, float32 (OBSERVATION_SIZE,), of which only the means are read.
        parameters: the parameters of the game, (1,).
        rounds: the number of the round; the compact observation may have it only in 255ths of the limit.
        components: the components of the game.
        names: names of the planets by ring position.

    Raises:
        ValueError: a card or planet is not one of the components.
    """
    facts, t = np.zeros(1, FACTS), parameters[0]
    write_facts(seen, parameters, facts)
    o = {name: seen[0, piece.slice].reshape(piece.shape).tolist() for name, piece in LAYOUT.items()}
    f = {name: facts[name][0].tolist() for name in FACTS.names or ()}
    n, ring = f["num_players"], components.ring

    def each(read: Callable[[Any], object], *names: str) -> Any:
        return {name: read(o[name]) for name in names}

    ids = [card.id for card in components.cards]
    actions = [[ACTION_WORDS[row.index(1)] for row in rows if 1 in row] for rows in o["last_actions"][:n]]
    return View(
        num_players=n,
        phase=c.PHASE_NAMES[_mark(o["phase"]) or 0],
        player_to_act=_mark(o["player_to_act"]),
        start_player=f["start"],
        round=rounds,
        max_rounds=int(t["max_rounds"]),
        last_round=bool(o["last_round"][0]),
        hand=_hand(seen[0, LAYOUT["hand"].slice].reshape(c.SLOTS, -1), t["card_shown"][: len(ids)], ids),
        planets=[_planet(o["planets"][p], f, p, name) for p, name in enumerate(names)],
        ships=[None if p == c.NOWHERE else p for p in f["ship"][:n]],
        stations=[[p for p, owner in enumerate(f["owner"]) if owner == k] for k in range(n)],
        kept_by=[{}, *_means("kept_by", ids, floats, t, n)],
        taken_kinds=[[{} for _ in range(ring)], *_means("taken_kinds", c.KIND_NAMES, floats, t, n, ring)],
        last_actions=actions,
        last_cards=[row[: len(done)] for row, done in zip(o["last_cards"], actions, strict=False)],
        last_from=[_mark(row) for row in o["last_from"][:n]],
        **each(lambda row: row[0], "actions_left", "revealed", "space_tiles_to_end", "draw_pile_size"),
        **each(lambda row: row[:n], "supply", "gate", "hand_size", "tile_total", "kept_count"),
        **each(lambda row: row[:ring], "tiles_left", "face_up", "remembered_age", "gone_since"),
        **each(lambda rows: [row[:ring] for row in rows[:n]], "reserved", "taken"),
        **each(lambda rows: [_marks(row) for row in rows[:n]], "scanned", "seen", "last_taken"),
        **each(lambda row: _counts(ids, row), "discard", "kept_cards"),
        **each(lambda row: _counts(c.KIND_NAMES, row), "tiles", "pile_in_view"),
        **each(
            lambda rows: [_counts(c.KIND_NAMES, row) for row in rows[:ring]], "reserved_kinds", "remembered"
        ),
    )


def _hand(hand: np.ndarray, faces: np.ndarray, ids: Sequence[str]) -> list[str]:
    """Card ids by slot; ids of cards that look alike are joined by "/"."""
    cards = hand[hand.any(1)]
    alike = (faces == cards[:, None]).all(2)
    if not alike.any(1).all():
        raise ValueError("a card")
    return ["/".join(dict.fromkeys(ids[i] for i, same in enumerate(row) if same)) for row in alike.tolist()]


def _planet(features: list[int], f: dict[str, Any], p: int, name: str) -> Planet:
    jump, scan, landing = f["jump"][p], f["scan"][p], f["landing"][p]
    if not jump or not scan or sum(features[2 * c.NUMBERS :]) != 2:
        raise ValueError("a planet")
    return Planet(name, jump, scan, (landing[0], landing[1]))


def _mark(row: list[int]) -> int | None:
    return row.index(1) if 1 in row else None


def _marks(row: list[int]) -> list[int]:
    return [i for i, mark in enumerate(row) if mark]


def _counts(names: Sequence[str], row: list[int]) -> Counts:
    return {names[i]: count for i, count in enumerate(row) if count}


def _means(
    name: str, names: Sequence[str], floats: np.ndarray, t: np.record, n: int, ring: int | None = None
) -> Any:
    """Read the means of a layout piece: by seat, by ring position if the piece has that axis, and by name."""
    piece = LAYOUT[name]
    means = floats[piece.slice].astype(np.float64) / t["scale"][piece.slice]
    means = means.reshape(piece.shape)[: n - 1, :ring]
    out: Any = [{} for _ in means] if ring is None else [[{} for _ in rows] for rows in means]
    for place in np.argwhere(means).tolist():
        into = out[place[0]] if ring is None else out[place[0]][place[1]]
        into[names[place[-1]]] = round(float(means[tuple(place)]), 6)
    return out


def decode(
    observation: np.ndarray, components: Components, rules: Rules, ring: Sequence[str] | None = None
) -> View:
    """Read an observation of floats as a `View`; `Game.seat_view` reads the whole numbers instead.

    Args:
        observation: float32 of shape (OBSERVATION_SIZE,).
        components: the components of the game.
        rules: the rules of the game.
        ring: names of the planets by ring position, which the vector lacks; None: "planet 0" to "planet 7".

    Raises:
        SpaceMissionError: the vector has another shape or belongs to other components, or an argument has a
            wrong type.
    """
    if not isinstance(components, Components) or not isinstance(rules, Rules):
        raise SpaceMissionError(f"decode: expected Components and Rules, not {shown((components, rules))}")
    vector, names = _checked(observation), _ring_names(ring, components.ring)
    parameters = make_parameters(components, rules)
    whole = np.rint(vector / compact_units(parameters)).astype(np.uint8)[None]
    rounds = round(float(vector[LAYOUT["round"].start] * parameters[0].max_rounds))
    try:
        return read_view(whole, vector.astype(np.float32), parameters, rounds, components, names)
    except (ValueError, IndexError):
        raise SpaceMissionError("observation: a card or planet is not one of these components") from None


def _checked(observation: object) -> np.ndarray:
    vector = observation
    with suppress(Exception):  # numpy, or the object itself, may raise anything
        vector = np.asarray(observation, np.float64)
    shape = (OBSERVATION_SIZE,)
    if not isinstance(vector, np.ndarray) or vector.shape != shape:
        raise SpaceMissionError(f"observation: expected shape {shape}, got {described(vector)}")
    if vector.dtype.kind != "f" or not (vector.min() >= 0 and vector.max() <= 1):  # false for nan
        raise SpaceMissionError("observation: expected numbers from 0 to 1")
    return vector


_UNNAMED = tuple(f"planet {p}" for p in range(c.RING))


def _ring_names(ring: object, count: int) -> tuple[str, ...]:
    if ring is None:
        return _UNNAMED[:count]
    if isinstance(ring, list | tuple) and len(ring) == count and all(isinstance(p, str) for p in ring):
        return tuple(ring)
    raise SpaceMissionError(f"ring: expected the names of {count} planets, not {shown(ring)}")


# ---------------------------------------------------------------- as JSON types, for pictures and pages


@dataclass(frozen=True)
class Beside:
    """What a seat knows besides its observation.

    Attributes:
        scores: all scores, int64 (seats, categories); `points` shows those that the seat can count.
        tiles: tiles by name and seat, which the end reveals; None before the end.
        visits: by ring position, the seat's last action that looked through the pile, or "".
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
    """The table as a seat knows it, as JSON types; `seat` None: only what everybody knows."""
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
        "planets": [_planet_json(view, order, p) for p in range(len(view.planets))],
        "seats": [
            _seat_json(view, k) | {"points": known, "tiles": None if more.tiles is None else more.tiles[j]}
            for j, (k, known) in enumerate(zip(order, points(more, seat), strict=True))
        ],
        "faces": {card.id: face(card) for card in cards},
        "hand": None,
    }
    return table if seat is None else {**table, **_own_json(view), "visits": more.visits}


def face(card: Card) -> list[list[str | int]]:
    """The coordinates of a card: pairs of a colour's name and a number or "?"."""
    return [[colour, "?" if v == c.JOKER else v] for colour in c.COLOURS for v in getattr(card, colour)]


def _planet_json(view: View, order: list[int], p: int) -> Json:
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


def _seat_json(view: View, k: int) -> Json:
    return {
        "ship": view.ships[k],
        "supply": view.supply[k],
        "gate": view.gate[k],
        "hand_size": view.hand_size[k],
        "tile_total": view.tile_total[k],
        "stations": view.stations[k],
        "last_actions": view.last_actions[k],
    }


def _own_json(view: View) -> Json:
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
    """Each seat's points that `seat` can count; before the end only gate and stations of others (SM-71)."""
    known = []
    for j, row in enumerate(more.scores.tolist()):
        if more.tiles is not None or j == seat:
            known.append(dict(zip(c.SCORE_NAMES, row, strict=True)))
        else:
            known.append({c.SCORE_NAMES[i]: row[i] for i in (c.GATE, c.STATIONS)})
    return known
