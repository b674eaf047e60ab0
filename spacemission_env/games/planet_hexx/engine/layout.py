"""Declares the observation layout: name, shape, unit and meaning of each piece.

docs/planet_hexx_observation.md is generated from it. Every number is a float32 in [0, 1]: a clipped byte,
divided by the `unit` of its piece (some pieces have a unit for each place on the last axis). The size is the
same for 2 to 4 players. Relative seat k sits k places clockwise of the observer, who is 0; numbers of absent
seats are zero. A card appears as its kind: 1 + its number in the deck file. Only the seat to act sees
`asked`, because other seats must not know which seat a window asks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spacemission_env.core.layout import Piece, as_record, mask_record, placed, scale_of
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELLS, EDGES, SPAN

LAYOUT_VERSION = 3
DATA_UNIT = 31  # Data of Stores and Planets
COPIES_UNIT = 8  # copies of a card
STEPS_UNIT = 20  # rolls and steps
DECK_UNIT = 128
KIND_UNIT = 128  # kinds of cards
PLACE_UNIT = SPAN  # coordinates, counted from 1
FRACTION = 255
AGES = 3  # ages of cards: drawn since the latest shuffle, between the two latest, or earlier
ROWS = 4  # rows of `under_way`, the innermost frame first

# Names of frames, the things under way. The feature `which` is 1 + the chosen branch; for an upload: 1, or 2
# at its other cost; for discards: 1 + the type; for a gained Action: 1 + its kind (6: any). `came` is 1 + the
# edge by which a Move entered the hex.
WHICH = 6
UNDER_WAY = (
    *("map", "move", "upload", "refresh", "event", "roll", "surprise", "copy"),
    *("flight", "effect", "discards", "gained"),
)
UNDER_WAY_FEATURES = (
    *((name, 1) for name in UNDER_WAY),
    *((f"seat_{k}", 1) for k in range(c.MAX_PLAYERS)),
    ("card", KIND_UNIT),
    ("which", WHICH),
    ("cancelled", 1),
    ("roll", STEPS_UNIT),
    ("left", STEPS_UNIT),
    ("came", EDGES),
    *((f"target_{k}", 1) for k in range(c.MAX_PLAYERS)),
    ("before", KIND_UNIT),
    ("more", STEPS_UNIT),
)
ROW = {name: i for i, (name, _) in enumerate(UNDER_WAY_FEATURES)}
ROW_SIZE = len(UNDER_WAY_FEATURES)

# Features of a deed, a public event.
DEED_FEATURES = (
    *((f"seat_{k}", 1) for k in range(c.MAX_PLAYERS)),
    *((name, 1) for name in c.DEED_NAMES),
    ("card", KIND_UNIT),
    ("number", STEPS_UNIT),
)
DEED = {name: i for i, (name, _) in enumerate(DEED_FEATURES)}
DEED_SIZE = len(DEED_FEATURES)

# Features of a cell and their units. `observe.py` writes several features at once.
CELL_FEATURES = (
    *((f"wall_{d}", 1) for d in range(EDGES)),
    ("data", DATA_UNIT),
    ("printed", DATA_UNIT),
    ("planet", 1),
    ("space", 1),
    ("own_ship", 1),
    ("other_ships", c.MAX_PLAYERS - 1),
    ("own_last_landed", 1),
    ("collect", 1),
    ("through", 1),
    ("stop", 1),
    ("start", 1),
    ("target", 1),
    ("kind", KIND_UNIT),
    ("turned", EDGES - 1),
)
CELL = {name: i for i, (name, _) in enumerate(CELL_FEATURES)}
CELL_SIZE = len(CELL_FEATURES)

# Features of a card in the observer's hand.
CARD_FEATURES = (
    *((name, 1) for name in ("alien", "dilemma", "object", "planet", "space")),
    ("printed", DATA_UNIT),
    ("walls", EDGES),
    ("beside_planets", 1),
    *((name, 1) for name in ("enter", "collect", "through", "stop", "start")),
    ("restricts", 1),
    ("branches", 4),
    ("cost_data", DATA_UNIT),
    ("cost_actions", 6),
    ("cost_cards", c.HAND),
    *((f"answers_{w}", 1) for w in range(c.WINDOWS)),
    ("own_turn", 1),
    ("alt_upload", 1),
    ("alt_anywhere", 1),
    ("alt_data", DATA_UNIT),
    ("fits", 1),
    ("known", 1),
    ("age", AGES - 1),
)
CARD = {name: i for i, (name, _) in enumerate(CARD_FEATURES)}
CARD_SIZE = len(CARD_FEATURES)

_SEATS = c.MAX_PLAYERS
_CELL_UNITS = tuple(unit for _, unit in CELL_FEATURES)
_CARD_UNITS = tuple(unit for _, unit in CARD_FEATURES)
# fmt: off
_PIECES = (
    Piece("num_players", (c.MAX_PLAYERS - c.MIN_PLAYERS + 1,), 1, "one-hot 2, 3, 4",
          "number of players", "HX-1"),
    Piece("start_player", (_SEATS,), 1, "one-hot, relative seat", "first player", "HX-3"),
    Piece("active", (_SEATS,), 1, "one-hot, relative seat", "whose turn it is", "HX-8"),
    Piece("round", (1,), FRACTION, "share of the most, rounded down", "turns of a player so far", "HX-8"),
    Piece("options", (10,), (1, 1, c.HAND, 6, 20, FRACTION, 20, 1, 1, 1),
          "equal_turns, always_ask, hand_size, actions_per_turn, upload_cost, max_turns (at most 255), "
          "immediate_upload_cost, movable_bases, split_board, copy_cancelled",
          "rules options", "HX-8"),
    Piece("actions_left", (1,), 12, "count", "ordinary Actions of the active seat", "HX-8"),
    Piece("gained", (c.ACTIONS,), c.MOST_GAINED, "count: map, move, upload, refresh, event",
          "Actions of one kind that the active seat has gained", "HX-8"),
    Piece("gained_ever", (_SEATS,), c.MOST_GAINED, "count", "Actions that the seat has gained in this turn",
          "HX-46"),
    Piece("banned", (_SEATS, c.ACTIONS), 1, "0 or 1", "no such Actions of the seat in this turn", "HX-20"),
    Piece("bonus", (_SEATS,), 32, "bonus + 16", "bonus to Move rolls of this turn", "HX-16"),
    Piece("surprised", (_SEATS,), 1, "0 or 1", "the seat has played a Surprise in this turn", "HX-44"),
    Piece("collect_bonus", (_SEATS,), 32, "bonus + 16", "bonus to Data Collected in this turn", "HR-33"),
    Piece("begun", (1,), 12, "count", "Actions that the active seat has begun in this turn", "HR-8"),
    Piece("once", (_SEATS, c.MOST_ONCE), 1, "0 or 1, by the order of `once` in the deck file",
          "the seat has used this `once` in this turn", "HR-34"),
    Piece("store", (_SEATS,), DATA_UNIT, "count", "Data of the seat", "HX-28"),
    Piece("counters", (_SEATS,), c.MOST_COUNTERS, "count", "Snooger counters", "HX-48"),
    Piece("hand_size", (_SEATS,), c.HAND, "count", "cards in the hand of the seat", "HX-9"),
    Piece("unseen", (_SEATS, AGES), c.HAND,
          "count: drawn since the latest shuffle, since the one before, earlier",
          "of these, cards that are not known to all", "HX-51"),
    Piece("ship", (_SEATS, 2), PLACE_UNIT, "q + 9, r + 9", "cell of the ship of the seat", "HX-6"),
    Piece("landed", (_SEATS, 2), PLACE_UNIT, "q + 9, r + 9; zero: nowhere",
          "cell of the latest Landing of the seat", "HX-19"),
    Piece("file", (_SEATS,), c.FILES, "1 + number of the file", "Mission File of the seat", "HX-1"),
    Piece("points", (_SEATS, c.POINTS, c.TYPES), 1, "one-hot alien, dilemma, object, planet, space",
          "story points of the seat", "HX-2"),
    Piece("filled", (_SEATS, c.POINTS), 1, "0 or 1", "the point is filled", "HX-36"),
    Piece("uploaded", (_SEATS, c.POINTS), KIND_UNIT, "kind; zero: none", "the card there", "HX-36"),
    Piece("sides", (c.SIDES, c.TYPES), c.POINTS, "count",
          "points by type of both sides of the own file", "HX-1"),
    Piece("hand", (c.HAND, len(CARD_FEATURES)), _CARD_UNITS, "features of a card: layout.CARD_FEATURES",
          "own hand, slot by slot", "HX-7"),
    Piece("hand_kinds", (c.KINDS,), COPIES_UNIT, "count by kind", "own hand", "HX-7"),
    Piece("known", (_SEATS - 1, c.KINDS), COPIES_UNIT, "count by kind",
          "cards in the hands of relative seats 1 to 3 that are known to all", "HX-48"),
    Piece("discard", (c.KINDS,), COPIES_UNIT, "count by kind", "the Discard", "HX-52"),
    Piece("deck_size", (1,), DECK_UNIT, "count", "cards in the deck", "HX-51"),
    Piece("pool", (AGES, c.KINDS), COPIES_UNIT, "count by kind; ages as in `unseen`",
          "cards that the observer has not seen: in the deck (first age) or in other hands",
          "HX-51"),
    Piece("top", (c.KINDS,), 1, "one-hot; zero if it is not known", "the top card of the deck", "HX-48"),
    Piece("next_cards", (c.HAND,), KIND_UNIT, "kind; zero: not known", "the cards of the deck, from the top",
          "HX-48"),
    Piece("table", (c.KINDS,), COPIES_UNIT, "count by kind", "cards that are being played", "HX-41"),
    Piece("latest", (c.KINDS,), 1, "one-hot", "the latest Event of this turn", "HX-50"),
    Piece("asked", (len(c.ASKED),), 1, "one-hot; zero if the seat is not to act",
          "decision of the observer: constants.ASKED", "HX-44"),
    Piece("source", (c.KINDS,), 1, "one-hot", "card of the innermost frame", "HX-41"),
    Piece("under_way", (ROWS, ROW_SIZE), tuple(unit for _, unit in UNDER_WAY_FEATURES),
          "features: layout.UNDER_WAY_FEATURES", "frames under way, the innermost first", "HX-8"),
    Piece("window", (c.WINDOWS,), 1, "one-hot", "the window that is open", "HX-44"),
    Piece("opener", (_SEATS,), 1, "one-hot, relative seat", "seat whose action opened the window", "HX-44"),
    Piece("passed", (1,), 1, "0 or 1", "the observer has passed in the window", "HX-44"),
    Piece("deeds", (c.DEEDS, DEED_SIZE), tuple(unit for _, unit in DEED_FEATURES),
          "features: layout.DEED_FEATURES", "deeds: declarations and rolls, the latest first", "HX-8"),
    Piece("cells", (CELLS, CELL_SIZE), _CELL_UNITS, "features of a cell: layout.CELL_FEATURES",
          "the board, cell by cell", "HX-10"),
)
# fmt: on


LAYOUT = placed(*_PIECES)
OBSERVATION_SIZE = sum(p.size for p in LAYOUT.values())

# The features of a cell are also stored as wider numbers: words of four bytes (compact), or pairs of floats.
WORDS, PAIRS = CELL_SIZE // 4, CELL_SIZE // 2
_CELLS = LAYOUT["cells"].start

# The compact observation, one byte for each number, and the float observation.
COMPACT = as_record("u1", LAYOUT.values(), [("cell_words", ("<u4", (CELLS, WORDS)), _CELLS)])
OBSERVATION = as_record("f4", LAYOUT.values(), [("cell_pairs", ("<u8", (CELLS, PAIRS)), 4 * _CELLS)])
MASK = mask_record(c.ACTION_COUNT)


def cell_words(numbers: Sequence[int]) -> np.ndarray:
    """The features of a cell in the compact observation, packed into words of four bytes: (WORDS,)."""
    return np.array(numbers, np.uint8).view("<u4")


def cell_pairs(numbers: Sequence[int]) -> np.ndarray:
    """The features of a cell in the float observation, packed into pairs of floats: (PAIRS,)."""
    scale = scale_of(LAYOUT, {})[LAYOUT["cells"].slice][:CELL_SIZE]
    return (np.array(numbers, np.float32) * scale).astype("<f4").view("<u8")
