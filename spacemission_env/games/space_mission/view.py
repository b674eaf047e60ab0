"""Decodes an observation into plain Python values, named as in `LAYOUT`.

Pieces are decoded at first use, which makes `decode` twenty times as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from spacemission_env.core.arguments import described
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.games.space_mission.components import Components, Planet
from spacemission_env.games.space_mission.components.parameters import make_parameters
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import LAYOUT, OBSERVATION_SIZE
from spacemission_env.games.space_mission.options import Rules

Counts = dict[str, int]  # counts by name, without zeros
Rows = Any  # nested lists of whole numbers, as deep as the piece
Means = dict[str, float]  # mean numbers by name, rounded to 6 decimals

# The six actions as words, in the order of rules.KIND_OF.
ACTION_WORDS = ("top up", "jump", "fly", "scan", "develop", "discover")

_SLICES = {name: piece.slice for name, piece in LAYOUT.items()}
_SHAPES = {name: piece.shape for name, piece in LAYOUT.items()}
_CARD_BYTES = np.dtype(np.int64).itemsize * _SHAPES["hand"][1]
_NO_CARD = bytes(_CARD_BYTES)
_MOST_KEPT = 256  # maximum number of readers to keep, and of rings of planets in each
_LANDING = 8  # the first of the landing features of a planet


class Reader:
    def __init__(self, components: Components, rules: Rules) -> None:
        """Make a reader for these components and rules."""
        self.of = components, rules  # keeps both alive, so that their ids stay unique
        self.scale = np.array(make_parameters(components, rules)[0].scale)
        self.card_ids = [card.id for card in components.cards]
        self.cards = _cards_by_bytes(components)
        self.rings: dict[tuple[tuple[str, ...], bytes], tuple[Planet, ...]] = {}


_READERS: dict[tuple[int, int], Reader] = {}


def reader_of(components: Components, rules: Rules) -> Reader:
    """The reader for components and rules, found by identity: hashing components is slower than decoding."""
    key = id(components), id(rules)
    reader = _READERS.get(key)
    if reader is None:
        if len(_READERS) >= _MOST_KEPT:
            _READERS.clear()
        reader = _READERS[key] = Reader(components, rules)
    return reader


class Read:
    """One observation as numbers before the division by their units."""

    def __init__(self, vector: np.ndarray, reader: Reader) -> None:
        """`vector`: float64 (OBSERVATION_SIZE,)."""
        self.counted = vector / reader.scale
        # All numbers except means are whole.
        self.numbers = np.rint(self.counted).astype(np.int64)
        self.reader = reader
        self.ring = reader.of[0].ring
        self.n = c.MIN_PLAYERS + int(self.piece("num_players").argmax())

    def piece(self, name: str) -> np.ndarray:
        """The whole numbers of a piece, in its shape."""
        return self.numbers[_SLICES[name]].reshape(_SHAPES[name])

    def means(self, name: str) -> np.ndarray:
        """The means of a piece, in its shape."""
        return self.counted[_SLICES[name]].reshape(_SHAPES[name])

    def hand(self) -> list[str]:
        """Card ids by slot; KeyError for an unknown card."""
        data, cards = self.numbers[_SLICES["hand"]].tobytes(), self.reader.cards
        slots = (data[_CARD_BYTES * i : _CARD_BYTES * (i + 1)] for i in range(c.SLOTS))
        return [cards[card] for card in slots if card != _NO_CARD]

    def planets(self, names: tuple[str, ...]) -> list[Planet]:
        """The planets by ring position; ValueError if one lacks two landing numbers."""
        rings, key = self.reader.rings, (names, self.numbers[_SLICES["planets"]].tobytes())
        ring = rings.get(key)
        if ring is None:
            if len(rings) >= _MOST_KEPT:
                rings.clear()
            ring = rings[key] = tuple(map(_planet, self.piece("planets"), names))
        return list(ring)


def _planet(features: np.ndarray, name: str) -> Planet:
    jump, scan = int(features[:4].argmax()) + 1, int(features[4:_LANDING].argmax()) + 1
    a, b = (i + 1 for i, count in enumerate(features[_LANDING:]) for _ in range(count))
    return Planet(name, jump, scan, (a, b))


def _cards_by_bytes(components: Components) -> dict[bytes, str]:
    # Card ids by features; ids of cards with the same features are joined.
    names: dict[bytes, list[str]] = {}
    width = _SHAPES["hand"][1] // len(c.COLOURS)
    for card in components.cards:
        face = np.zeros((len(c.COLOURS), width), np.int64)
        for i, values in enumerate((card.jump, card.scan, card.landing)):
            face[i, np.array(values, np.int64) - 1] = 1
        ids = names.setdefault(face.tobytes(), [])
        if card.id not in ids:
            ids.append(card.id)
    return {face: "/".join(ids) for face, ids in names.items()}


# ---------------------------------------------------------------- pieces that are read alike


def _number(name: str, read: Read) -> int:
    return int(read.numbers[_SLICES[name].start])


def _by_seat(name: str, read: Read) -> Rows:
    return read.piece(name)[: read.n].tolist()


def _marks(row: Sequence[int]) -> list[int]:
    return [i for i, mark in enumerate(row) if mark]


def _mark(row: list[int]) -> int | None:
    return row.index(1) if 1 in row else None


def _counts(names: Sequence[str], row: list[int]) -> Counts:
    return {names[i]: count for i, count in enumerate(row) if count}


# ---------------------------------------------------------------- others


def _choice(name: str, read: Read) -> int:
    return int(read.piece(name).argmax())


def _kept_by(read: Read) -> list[Means]:
    kept: list[Means] = [{} for _ in range(read.n)]
    means, ids = read.means("kept_by")[: read.n - 1], read.reader.card_ids
    for k, card in np.argwhere(means).tolist():
        kept[k + 1][ids[card]] = round(float(means[k, card]), 6)
    return kept


def _taken_kinds(read: Read) -> list[list[Means]]:
    taken: list[list[Means]] = [[{} for _ in range(read.ring)] for _ in range(read.n)]
    means = read.means("taken_kinds")[: read.n - 1]
    for k, p, kind in np.argwhere(means).tolist():
        taken[k + 1][p][c.KIND_NAMES[kind]] = round(float(means[k, p, kind]), 6)
    return taken


def _last_actions(read: Read) -> list[list[str]]:
    return [
        [ACTION_WORDS[kind] for row in rows for kind in _marks(row)]
        for rows in _by_seat("last_actions", read)
    ]


def _last_cards(read: Read) -> list[list[int]]:
    done = (sum(map(sum, rows)) for rows in _by_seat("last_actions", read))
    return [row[:count] for row, count in zip(_by_seat("last_cards", read), done, strict=True)]


def _alike(how: Callable[[str, Read], object], *names: str) -> dict[str, Callable[[Read], object]]:
    return {name: partial(how, name) for name in names}


# Functions by field of a `View`. `decode` reads `hand` and `planets` itself: only they can be invalid.
READERS: dict[str, Callable[[Read], object]] = {
    "num_players": lambda read: read.n,
    "phase": lambda read: c.PHASE_NAMES[_choice("phase", read)],
    "player_to_act": lambda read: _mark(read.piece("player_to_act").tolist()),
    "last_round": lambda read: bool(_number("last_round", read)),
    "kept_by": _kept_by,
    "taken_kinds": _taken_kinds,
    "last_actions": _last_actions,
    "last_cards": _last_cards,
    **_alike(_choice, "start_player"),
    **_alike(
        _number, "actions_left", "round", "max_rounds", "revealed", "space_tiles_to_end", "draw_pile_size"
    ),
    **_alike(_by_seat, "supply", "gate", "hand_size", "tile_total", "kept_count"),
    **_alike(lambda name, read: read.piece(name)[: read.n, : read.ring].tolist(), "reserved", "taken"),
    **_alike(
        lambda name, read: read.piece(name)[: read.ring].tolist(),
        *("tiles_left", "face_up", "remembered_age", "gone_since"),
    ),
    **_alike(
        lambda name, read: [_marks(row) for row in _by_seat(name, read)],
        *("stations", "scanned", "seen", "last_taken"),
    ),
    **_alike(lambda name, read: [_mark(row) for row in _by_seat(name, read)], "ships", "last_from"),
    **_alike(
        lambda name, read: _counts(read.reader.card_ids, read.piece(name).tolist()), "discard", "kept_cards"
    ),
    **_alike(lambda name, read: _counts(c.KIND_NAMES, read.piece(name).tolist()), "tiles", "pile_in_view"),
    **_alike(
        lambda name, read: [_counts(c.KIND_NAMES, row) for row in read.piece(name)[: read.ring].tolist()],
        *("reserved_kinds", "remembered"),
    ),
}


__all__ = ["ACTION_WORDS", "Counts", "Means", "View", "decode"]


@dataclass(frozen=True)
class View:
    """A seat's knowledge as plain values, named as in `LAYOUT`.

    Seats are relative: index 0 is the observer, k the seat k places clockwise. Lists by seat have
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
    reserved: list[list[int]]  # by seat and ring position: number of tiles
    tiles_left: list[int]  # by ring position
    face_up: list[int]  # by ring position: space tiles lying open
    supply: list[int]
    gate: list[int]
    hand_size: list[int]
    tile_total: list[int]
    discard: Counts  # by card id
    tiles: Counts  # own, by tile name
    pile_in_view: Counts  # empty except at an own tile pick
    reserved_kinds: list[Counts]  # own, by ring position
    remembered: list[Counts]  # by ring position; empty without a memory
    remembered_age: list[int]  # rounds, at most layout.OLDEST
    gone_since: list[int]
    kept_cards: Counts  # held by others since before the last shuffle, by card id
    kept_count: list[int]
    kept_by: list[Means]  # by seat: mean numbers of `kept_cards`; the observer's entry is empty
    taken: list[list[int]]  # by seat and ring position: tiles taken or reserved in the whole game
    last_taken: list[list[int]]  # by seat: ring positions where it took the last tile
    taken_kinds: list[list[Means]]  # by seat and ring position: kinds of `taken`; empty for the observer
    last_actions: list[list[str]]  # by seat, latest first, at most two: ACTION_WORDS
    last_cards: list[list[int]]  # by seat: cards that each of `last_actions` used
    last_from: list[int | None]  # by seat: where its ship was before its latest action; None: gate

    if not TYPE_CHECKING:  # type checkers see the fields only

        def __getattr__(self, name: str) -> object:
            """Decode a piece at its first use."""
            read = self.__dict__.get("_read")
            if read is None or name not in READERS:
                raise AttributeError(f"'View' object has no attribute {name!r}")
            value = self.__dict__[name] = READERS[name](read)
            return value

    def __reduce__(self) -> tuple[type[View], tuple[object, ...]]:
        """Copies and pickles hold the decoded pieces."""
        return View, tuple(getattr(self, one.name) for one in fields(self))


def _view(read: Read, **pieces: object) -> View:
    view = object.__new__(View)
    view.__dict__.update(pieces, _read=read)
    return view


def decode(
    observation: np.ndarray, components: Components, rules: Rules, ring: Sequence[str] | None = None
) -> View:
    """An observation as a `View`.

    Args:
        observation: float32 of shape (OBSERVATION_SIZE,).
        components: the components of the game.
        rules: the rules of the game.
        ring: names of the planets by ring position, which the vector lacks; else "planet 0" to "planet 7".

    Raises:
        SpaceMissionError: the vector has another shape or belongs to other components, or an argument has a
            wrong type.
    """
    if not isinstance(components, Components) or not isinstance(rules, Rules):
        raise SpaceMissionError(f"decode: expected Components and Rules, not {shown((components, rules))}")
    vector, names = _checked(observation), _ring_names(ring, components.ring)
    read = Read(vector, reader_of(components, rules))
    try:  # only these can be invalid
        return _view(read, hand=read.hand(), planets=read.planets(names))
    except (KeyError, ValueError):
        raise SpaceMissionError("observation: a card or planet is not one of these components") from None


def _checked(observation: object) -> np.ndarray:
    vector = observation
    with suppress(Exception):  # from numpy or from an object converted to an array
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
