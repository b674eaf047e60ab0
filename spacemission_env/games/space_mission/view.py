"""`decode`: an observation vector back into plain Python values, by the names of `layout.LAYOUT`.

The text board, and any agent written by hand, read observations through this module: so they
cannot know more than the seat does (SM-73). Pieces are read when they are first asked for (view_pieces.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from spacemission_env.core.arguments import described
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.games.space_mission.components import Components, Planet
from spacemission_env.games.space_mission.engine.constants import RING
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.games.space_mission.view_pieces import (
    ACTION_WORDS,
    READERS,
    Counts,
    Means,
    Read,
    reader_of,
)

__all__ = ["ACTION_WORDS", "Counts", "Means", "View", "decode"]


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

    if not TYPE_CHECKING:  # checkers are to see the fields alone

        def __getattr__(self, name: str) -> Any:
            """A piece that has not been asked for yet."""
            read = self.__dict__.get("_read")
            if read is None or name not in READERS:
                raise AttributeError(f"'View' object has no attribute {name!r}")
            value = self.__dict__[name] = READERS[name](read)
            return value

    def __reduce__(self) -> Any:
        """Copies and pickles hold the pieces alone."""
        return View, tuple(getattr(self, one.name) for one in fields(self))


def _view(read: Read, **pieces: Any) -> View:
    view = object.__new__(View)
    view.__dict__.update(pieces, _read=read)
    return view


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
    vector, names = _checked(observation), _ring_names(ring)
    read = Read(vector, reader_of(components, rules))
    try:  # of all pieces these alone need not be of the box
        return _view(read, hand=read.hand(), planets=read.planets(names))
    except (KeyError, ValueError):
        raise SpaceMissionError("observation: a card or planet in it is none of this box") from None


def _checked(observation: Any) -> np.ndarray:
    vector = observation
    with suppress(Exception):  # of numpy, or of an object that is to become an array
        vector = np.asarray(observation, np.float64)
    shape = (OBSERVATION_SIZE,)
    if not isinstance(vector, np.ndarray) or vector.shape != shape:
        raise SpaceMissionError(f"observation: expected shape {shape}, got {described(vector)}")
    if vector.dtype.kind != "f" or not (vector.min() >= 0 and vector.max() <= 1):  # nan is neither
        raise SpaceMissionError("observation: expected numbers from 0 to 1")
    return vector


_UNNAMED = tuple(f"planet {p}" for p in range(RING))


def _ring_names(ring: Any) -> tuple[str, ...]:
    if ring is None:
        return _UNNAMED
    named = isinstance(ring, list | tuple) and len(ring) == RING and all(isinstance(p, str) for p in ring)
    if not named:
        raise SpaceMissionError(f"ring: expected the names of {RING} planets, not {shown(ring)}")
    return tuple(ring)
