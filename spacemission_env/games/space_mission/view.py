"""`decode`: an observation vector back into plain Python values, by the names of `layout.LAYOUT`.

The text board, and any agent written by hand, read observations through this module: so they
cannot know more than the seat does (SM-73).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from spacemission_env.core.arguments import described
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.games.space_mission.box import make_box
from spacemission_env.games.space_mission.components import Components, Planet
from spacemission_env.games.space_mission.engine.constants import (
    COLOURS,
    KIND_NAMES,
    MIN_PLAYERS,
    PHASE_NAMES,
    RING,
)
from spacemission_env.games.space_mission.engine.layout import EXPECTED, LAYOUT, OBSERVATION_SIZE
from spacemission_env.games.space_mission.options import Rules

Counts = dict[str, int]  # how many of each name; names without any left out
Means = dict[str, float]  # how many of each name in the mean, rounded to 6 decimals
Face = tuple[tuple[int, ...], ...]  # a card's values for jump, scan, landing

# The six actions in words, by kind (constants.KIND_TOP_UP …).
ACTION_WORDS = ("top up", "jump", "fly", "scan", "develop", "discover")


@dataclass(frozen=True)
class View:
    """What a seat may know, as plain values. Field names are those of `LAYOUT`.

    Seats are relative: index 0 is the observer, k the seat k places clockwise; lists by seat have
    `num_players` entries. Lists by ring position have 8.
    """

    num_players: int
    phase: str  # action, reserve, develop, discover, over
    player_to_act: int | None  # None when over
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
    reserved: list[list[int]]  # by seat and ring position: number of tiles
    tiles_left: list[int]  # by ring position
    face_up: list[int]  # by ring position: space tiles lying open
    supply: list[int]
    gate: list[int]
    hand_size: list[int]
    tile_total: list[int]
    discard: Counts  # by card id
    tiles: Counts  # own, by tile name
    pile_in_view: Counts  # empty but at an own tile pick
    reserved_kinds: list[Counts]  # own, by ring position
    remembered: list[Counts]  # by ring position; empty where nothing is remembered
    remembered_age: list[int]  # rounds; layout.OLDEST stands for that and more
    gone_since: list[int]
    kept_cards: Counts  # held by others since before the last shuffle, by card id
    kept_count: list[int]
    kept_by: list[Means]  # of `kept_cards`, by seat; the observer's own is empty
    taken: list[list[int]]  # by seat and ring position: tiles taken or reserved in the whole game
    last_taken: list[list[int]]  # by seat: ring positions where it took the last tile
    taken_kinds: list[list[Means]]  # of `taken`, by seat and ring position; the observer's own are empty
    last_actions: list[list[str]]  # by seat, latest first, at most two: ACTION_WORDS
    last_cards: list[list[int]]  # by seat: cards played or discarded in each of them
    last_from: list[int | None]  # by seat: where its ship was before the latest; None on the gate


def decode(
    observation: np.ndarray, components: Components, rules: Rules, ring: Sequence[str] | None = None
) -> View:
    """An observation as a `View`.

    Args:
        observation: float32 of shape (OBSERVATION_SIZE,).
        components: the box played with.
        rules: the options played with.
        ring: names of the 8 planets by ring position; they are public but not in the vector. Without
            them the planets are called "planet 0" to "planet 7".

    Raises:
        SpaceMissionError: the vector has another shape or is not one of this box, or the box or the options
            are none.
    """
    if not isinstance(components, Components) or not isinstance(rules, Rules):
        raise SpaceMissionError(f"decode: expected Components and Rules, not {shown((components, rules))}")
    try:
        return _decoded(_checked(observation), components, rules, _ring_names(ring))
    except (KeyError, ValueError) as error:
        if isinstance(error, SpaceMissionError):
            raise
        raise SpaceMissionError("observation: a card or planet in it is none of this box") from None


def _checked(observation: Any) -> np.ndarray:
    vector = observation
    with suppress(Exception):  # of numpy, or of an object that is to become an array
        vector = np.asarray(observation, np.float64)
    shape = (OBSERVATION_SIZE,)
    if not isinstance(vector, np.ndarray) or vector.shape != shape:
        raise SpaceMissionError(f"observation: expected shape {shape}, got {described(vector)}")
    if vector.dtype.kind != "f" or not ((vector >= 0) & (vector <= 1)).all():
        raise SpaceMissionError("observation: expected numbers from 0 to 1")
    return vector


def _ring_names(ring: Any) -> Sequence[str]:
    if ring is None:
        return [f"planet {p}" for p in range(RING)]
    named = isinstance(ring, list | tuple) and len(ring) == RING and all(isinstance(p, str) for p in ring)
    if not named:
        raise SpaceMissionError(f"ring: expected the names of {RING} planets, not {shown(ring)}")
    return ring


def _decoded(vector: np.ndarray, components: Components, rules: Rules, names: Sequence[str]) -> View:
    box = make_box(components, rules)[0]
    counted = vector / box.scale
    numbers = np.rint(counted).astype(np.int64)  # every one is a whole number by its unit, but for means
    raw = {name: numbers[piece.slice].reshape(piece.shape) for name, piece in LAYOUT.items()}
    means = {name: counted[LAYOUT[name].slice].reshape(LAYOUT[name].shape) for name in EXPECTED}
    n = MIN_PLAYERS + int(raw["num_players"].argmax())
    card_ids = [card.id for card in components.cards]
    alike: dict[str, Any] = {
        **{name: int(raw[name][0]) for name in _NUMBERS},
        **{name: raw[name][:n].tolist() for name in _BY_SEAT},
        **{name: raw[name].tolist() for name in _BY_PLACE},
        **{name: [_marks(row) for row in raw[name][:n]] for name in _MARKS_BY_SEAT},
        **{name: _counts(card_ids, raw[name]) for name in _CARDS},
        **{name: _counts(KIND_NAMES, raw[name]) for name in _KINDS},
        **{name: [_counts(KIND_NAMES, row) for row in raw[name]] for name in _KINDS_BY_PLACE},
    }
    actions = [
        [ACTION_WORDS[kind] for row in rows for kind in _marks(row)] for rows in raw["last_actions"][:n]
    ]
    return View(
        num_players=n,
        phase=PHASE_NAMES[int(raw["phase"].argmax())],
        player_to_act=_marked(raw["player_to_act"]),
        start_player=int(raw["start_player"].argmax()),
        last_round=bool(raw["last_round"][0]),
        hand=[_card_names(components)[_face(row)] for row in raw["hand"] if row.any()],
        planets=[_planet(row, names[p]) for p, row in enumerate(raw["planets"])],
        ships=[_marked(row) for row in raw["ships"][:n]],
        kept_by=[{}, *(_means(card_ids, row) for row in means["kept_by"][: n - 1])],
        taken_kinds=[
            [{} for _ in range(RING)],
            *([_means(KIND_NAMES, row) for row in rows] for rows in means["taken_kinds"][: n - 1]),
        ],
        last_actions=actions,
        last_cards=[
            row[: len(done)] for row, done in zip(raw["last_cards"][:n].tolist(), actions, strict=True)
        ],
        last_from=[_marked(row) for row in raw["last_from"][:n]],
        **alike,
    )


# Pieces that are read alike.
_NUMBERS = ("actions_left", "round", "max_rounds", "revealed", "space_tiles_to_end", "draw_pile_size")
_BY_SEAT = ("reserved", "supply", "gate", "hand_size", "tile_total", "kept_count", "taken")
_BY_PLACE = ("tiles_left", "face_up", "remembered_age", "gone_since")
_MARKS_BY_SEAT = ("stations", "scanned", "seen", "last_taken")
_CARDS = ("discard", "kept_cards")
_KINDS = ("tiles", "pile_in_view")
_KINDS_BY_PLACE = ("reserved_kinds", "remembered")


def _marked(row: np.ndarray) -> int | None:
    return int(row.argmax()) if row.any() else None


def _marks(row: np.ndarray) -> list[int]:
    return [int(i) for i in np.flatnonzero(row)]


def _counts(names: Sequence[str], row: np.ndarray) -> Counts:
    return {name: int(count) for name, count in zip(names, row, strict=True) if count}


def _means(names: Sequence[str], row: np.ndarray) -> Means:
    return {names[i]: round(float(row[i]), 6) for i in _marks(row)}


def _planet(features: np.ndarray, name: str) -> Planet:
    jump, scan = int(features[:4].argmax()) + 1, int(features[4:8].argmax()) + 1
    a, b = (i + 1 for i, count in enumerate(features[8:]) for _ in range(count))
    return Planet(name, jump, scan, (a, b))


def _face(features: np.ndarray) -> Face:
    """The jump, scan and landing values of a card, as `Card` has them."""
    return tuple(tuple(i + 1 for i in _marks(row)) for row in features.reshape(len(COLOURS), -1))


@lru_cache(maxsize=8)
def _card_names(components: Components) -> dict[Face, str]:
    names: dict[Face, list[str]] = {}
    for card in components.cards:
        ids = names.setdefault((card.jump, card.scan, card.landing), [])
        if card.id not in ids:
            ids.append(card.id)
    return {face: "/".join(ids) for face, ids in names.items()}
