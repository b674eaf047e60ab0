"""Generates the pages of Planet Hexx about moves and observations."""

from __future__ import annotations

from spacemission_env.core.layout import Piece
from spacemission_env.games.planet_hexx.actions import DECISIONS, SEGMENTS
from spacemission_env.games.planet_hexx.engine import layout
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT, DEED_NAMES, WINDOW_NAMES
from spacemission_env.games.planet_hexx.planes import PLANE_NAMES

NOTE = "<!-- Made by `make docs` from the tables in the code; do not edit. -->\n\n"
# Pieces whose last axis has features, and the first word of their keys in `WORDS`.
FEATURES = {
    "cells": (layout.CELL_FEATURES, "cell"),
    "hand": (layout.CARD_FEATURES, "card"),
    "under_way": (layout.UNDER_WAY_FEATURES, "row"),
    "deeds": (layout.DEED_FEATURES, "deed"),
}
SEATS = "one-hot, relative seat"
WORDS = {
    **{f"cell wall_{d}": f"wall in direction {d}" for d in range(6)},
    "cell data": "Data on the hex",
    "cell printed": "printed Data",
    "cell planet": "the hex is a Planet",
    "cell space": "the hex is a Space",
    "cell own_ship": "the observer's ship is there",
    "cell other_ships": "ships of others there",
    "cell own_last_landed": "the latest Landing of the observer",
    **{f"cell {icon}": f"the hex has `on_{icon}`" for icon in ("collect", "through", "stop", "start")},
    "cell target": "the cell of the innermost frame under way",
    "cell kind": "1 + number of the card",
    "cell turned": "rotation",
    **{
        f"card {kind}": f"the card is of type {kind}"
        for kind in ("alien", "dilemma", "object", "planet", "space")
    },
    "card printed": "printed Data",
    "card walls": "number of walls",
    "card beside_planets": "Planets may lie beside it",
    **{
        f"card {icon}": f"the card has `on_{icon}`"
        for icon in ("enter", "collect", "through", "stop", "start")
    },
    "card restricts": "the card has `leave_roll`, `start_ban`, `enter_if`, `must_stop` or `only_if`",
    "card branches": "number of branches",
    "card cost_data": "cost in Data, of the cheapest branch",
    "card cost_actions": "cost in further Actions, of the cheapest branch",
    "card cost_cards": "cost in cards to discard, of the cheapest branch",
    **{f"card answers_{w}": f"a Surprise for the window `{name}`" for w, name in enumerate(WINDOW_NAMES)},
    "card own_turn": "the card can be played by an Event Action",
    "card alt_upload": "the card has another upload cost",
    "card alt_anywhere": "the other upload cost can be paid anywhere",
    "card alt_data": "Data of the other upload cost",
    "card fits": "a point of its type is open",
    "card known": "known to all",
    "card age": "number of shuffles since it was drawn",
    **{f"row {name}": "a frame of this name is under way" for name in layout.UNDER_WAY},
    **{f"row seat_{k}": f"seat of the frame: {SEATS} {k}" for k in range(4)},
    "row card": "1 + number of the card that is played or has the effect",
    "row which": "1 + the chosen branch; of an upload 1, at its other cost 2; of discards 1 + the type; of a "
    "gained Action 1 + its kind",
    "row cancelled": "the frame is cancelled",
    "row roll": "result of the die",
    "row left": "steps or discards left",
    "row came": "1 + the edge by which a flight came in",
    **{f"row target_{k}": f"the target seat: {SEATS} {k}" for k in range(4)},
    "row before": "of an Event Action: 1 + number of the latest earlier Event",
    "row more": "of a Landing and its blue effect: 10 + the change of the Data that is Collected, if not 0 (HR-33)",
    **{f"deed seat_{k}": f"seat of the deed: {SEATS} {k}" for k in range(4)},
    **{f"deed {name}": f"declaration: {name}" for name in DEED_NAMES},
    "deed surprise": "a Surprise was played",
    "deed done": "the Actions were ended",
    "deed roll": "a die was rolled",
    "deed card": "1 + number of the card",
    "deed number": "the result of a roll",
}


def span(first: int, last: int) -> str:
    """A range of numbers as text."""
    return str(first) if first == last else f"{first}–{last}"


def actions_page() -> str:
    """docs/planet_hexx_actions.md."""
    moves = ["| index | move |", "| --- | --- |"]
    moves += [f"| {span(s.first, s.last)} | {s.meaning} |" for s in SEGMENTS]
    decisions = ["| decision | the seat chooses | numbers | 0 and 1 | rule |", "|" + " --- |" * 5]
    for d in DECISIONS:
        numbers = span(d.first, d.last) if d.last >= d.first else ""
        decisions.append(f"| `{d.name}` | {d.what} | {numbers} | {d.others} | {d.rule} |")
    return (
        f"# The moves of Planet Hexx\n\n{NOTE}Read this page to find which number stands for which move.\n\n"
        f"The flat action space is `Discrete({ACTION_COUNT})`. The action mask is "
        "exact: an index is legal if and only if the\n[rules](planet_hexx_rules.md) allow the move; it is all zero for a "
        "seat that is not to move. A decision with one legal move is not\nasked (HR-14). Hand slots are sorted by kind of "
        "card (HR-15). Of equal moves only the lowest number is legal: of copies in a hand\n(HR-36), of rotations with the same "
        "walls (HR-37). Cell c is the c-th of the 217 cells, sorted by r, then by\nq: "
        "`spacemission_env.games.planet_hexx.engine.grid` has `COORDINATES[c]` and `CELL_OF[q, r]`. Directions are numbered "
        "clockwise\nfrom (q + 1, r).\n\n"
        + "\n".join(moves)
        + "\n\n## Decisions\n\nThe decision determines which of these numbers can be legal; it is the piece `asked` of the "
        "[observation](planet_hexx_observation.md).\n`game.move_text(action)` is the move as in [records](records.md): the decision's name, or what is done with a card (`map`, `event`, "
        "`surprise`,\n`upload`, `alt_upload`, `refresh`), `pass`, `stop` or `move`; then a card's id, a cell `(q,r)`, a player or a "
        "number. `game.words(action)` is a sentence.\n\n" + "\n".join(decisions) + "\n"
    )


def observation_page() -> str:
    """docs/planet_hexx_observation.md."""
    rows = ["| piece | indices | shape | whole number | divided by | meaning | rule |", "|" + " --- |" * 7]
    rows += [piece_row(piece) for piece in layout.LAYOUT.values()]
    return (
        f"# The observation of Planet Hexx\n\n{NOTE}Read this page to find where a fact stands in the observation.\n\n"
        f"Layout version {layout.LAYOUT_VERSION}: float32, {layout.OBSERVATION_SIZE} numbers in "
        "[0, 1], the same for 2 to 4 players. Each number is a whole number\ndivided by the unit given; numbers above "
        "the unit are clipped. Relative seat k sits k places clockwise from the\nobserver (0 is the "
        "observer); absent seats are zero. A card is named by its number in the deck file (*kind*), plus one if "
        "zero means\nno card. Which facts a seat sees: [what a seat knows](planet_hexx_rules.md#what-a-seat-knows)."
        "\n\nIn Python: `from spacemission_env.games.planet_hexx.engine.layout import LAYOUT`, then "
        '`observation[LAYOUT["hand"].slice]`.\n\n'
        + "\n".join(rows)
        + "\n\n"
        + feature_tables()
        + planes_section()
    )


def piece_row(piece: Piece) -> str:
    """The row of a piece of the layout."""
    shape = " × ".join(map(str, piece.shape))
    unit = "see below" if piece.name in FEATURES else units(piece)
    where = span(piece.start, piece.start + piece.size - 1)
    cells = (f"`{piece.name}`", where, shape, piece.values, unit, piece.meaning, piece.rule)
    return "| " + " | ".join(cells).replace("layout.", "").replace("constants.", "") + " |"


def units(piece: Piece) -> str:
    """The units of a piece as text."""
    return ", ".join(map(str, piece.unit)) if isinstance(piece.unit, tuple) else str(piece.unit)


def feature_tables() -> str:
    """The tables of features."""
    parts = []
    for piece, (features, what) in FEATURES.items():
        rows = [f"| feature of `{piece}` | place | divided by | meaning |", "|" + " --- |" * 4]
        for place, (name, unit) in enumerate(features):
            rows.append(f"| `{name}` | {place} | {unit} | {WORDS[f'{what} {name}']} |")
        parts.append("\n".join(rows) + "\n\n")
    return "## Features\n\n" + "".join(parts)


def planes_section() -> str:
    """The sections about planes and the compact observation."""
    return (
        "## Planes\n\n`planet_hexx_v0.planes(observation)` is the board as planes for convolutional networks, "
        f"({len(PLANE_NAMES)}, 17, 17): rows are r, columns are q,\nfrom -8 to 8. `planet_hexx_v0.PLANE_NAMES` names "
        "them: the features of a cell, the ship and the latest Landing of each relative\nseat, and `cell`, 1 where "
        "there is a cell.\n\n"
        '## The compact observation: `dtype="uint8"`\n\n'
        f"`BatchedGames`, the vector environment and the self-play environment give {layout.OBSERVATION_SIZE} bytes on request, "
        "the whole numbers of the\ntables before the division. `observation * units` is the float observation, exactly; "
        "`units` of the batch or vector environment is\nfloat32 (size,).\n"
    )


PAGES = {"planet_hexx_actions.md": actions_page, "planet_hexx_observation.md": observation_page}
