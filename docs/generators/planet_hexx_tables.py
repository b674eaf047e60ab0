"""Planet Hexx's pages on moves and observations, made from the tables in the code."""

from __future__ import annotations

from spacemission_env.core.layout import Piece
from spacemission_env.games.planet_hexx.actions import DECISIONS, SEGMENTS
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT, DEED_NAMES, WINDOW_NAMES
from spacemission_env.games.planet_hexx.engine.layout import (
    CARD_FEATURES,
    CELL_FEATURES,
    DEED_FEATURES,
    LAYOUT,
    LAYOUT_VERSION,
    OBSERVATION_SIZE,
    UNDER_WAY,
    UNDER_WAY_FEATURES,
)
from spacemission_env.games.planet_hexx.planes import PLANE_NAMES

NOTE = "<!-- Made by `make docs` from the tables in the code; do not edit. -->\n\n"
# Pieces whose last axis is features, with what each of these tells where its name does not say it.
FEATURES = {
    "cells": (CELL_FEATURES, "cell"),
    "hand": (CARD_FEATURES, "card"),
    "under_way": (UNDER_WAY_FEATURES, "row"),
    "deeds": (DEED_FEATURES, "deed"),
}
SEATS = "one-hot, relative seat"
WORDS = {
    **{f"cell wall_{d}": f"wall in direction {d}, as it lies" for d in range(6)},
    "cell data": "Data that is there",
    "cell printed": "Data that is printed",
    "cell planet": "it is a Planet",
    "cell space": "it is a Space",
    "cell own_ship": "the observer's ship is there",
    "cell other_ships": "ships of others there",
    "cell own_last_landed": "the hex that the observer Landed on last",
    **{f"cell {icon}": f"the hex has `on_{icon}`" for icon in ("collect", "through", "stop", "start")},
    "cell target": "the cell that the innermost that is under way is about",
    "cell kind": "1 + number of its card",
    "cell turned": "rotation",
    **{f"card {kind}": f"it is of type {kind}" for kind in ("alien", "dilemma", "object", "planet", "space")},
    "card printed": "Data that is printed",
    "card walls": "how many walls it has",
    "card beside_planets": "it bears Planets beside it",
    **{f"card {icon}": f"it has `on_{icon}`" for icon in ("enter", "collect", "through", "stop", "start")},
    "card restricts": "it has `leave_roll`, `start_ban`, `enter_if`, `must_stop` or `only_if`",
    "card branches": "how many branches it has",
    "card cost_data": "its cost: Data",
    "card cost_actions": "its cost: further Actions",
    "card cost_cards": "its cost: cards that are discarded",
    **{f"card answers_{w}": f"a Surprise for the window `{name}`" for w, name in enumerate(WINDOW_NAMES)},
    "card own_turn": "it can be played by an Event Action",
    "card alt_upload": "it has another cost of uploading",
    "card alt_anywhere": "which can be paid anywhere",
    "card alt_data": "which is so much Data",
    "card fits": "a point of its type is open",
    "card known": "all have seen it",
    "card age": "drawn before so many shuffles",
    **{f"row {name}": "this is under way" for name in UNDER_WAY},
    **{f"row seat_{k}": f"whose it is: {SEATS} {k}" for k in range(4)},
    "row card": "1 + number of the card that is played, or whose effect it is",
    "row which": "1 + the chosen branch; of an upload 1, at its other cost 2; of discards 1 + the type; of a "
    "gained Action 1 + its kind",
    "row cancelled": "it has been cancelled",
    "row roll": "what was rolled",
    "row left": "steps or discards still to come",
    "row came": "1 + the edge by which a flight came in",
    **{f"row target_{k}": f"the target seat: {SEATS} {k}" for k in range(4)},
    "row before": "of an Event Action: 1 + number of the latest Event before it",
    "row more": "of a Landing and its blue effect: 10 + how much more is Collected, where that is not 0 (HR-33)",
    **{f"deed seat_{k}": f"who did it: {SEATS} {k}" for k in range(4)},
    **{f"deed {name}": f"this was declared: {name}" for name in DEED_NAMES},
    "deed surprise": "a Surprise was played",
    "deed done": "the Actions were ended",
    "deed roll": "a die was rolled",
    "deed card": "1 + number of its card",
    "deed number": "the result of a roll",
}


def span(first: int, last: int) -> str:
    """Numbers from one to another."""
    return str(first) if first == last else f"{first}–{last}"


def actions_page() -> str:
    """docs/planet_hexx_actions.md."""
    moves = ["| index | move |", "| --- | --- |"]
    moves += [f"| {span(s.first, s.last)} | {s.meaning} |" for s in SEGMENTS]
    decisions = ["| decision | what the seat chooses | numbers | besides | rule |", "|" + " --- |" * 5]
    for d in DECISIONS:
        numbers = span(d.first, d.last) if d.last >= d.first else ""
        decisions.append(f"| `{d.name}` | {d.what} | {numbers} | {d.others} | {d.rule} |")
    return (
        f"# The moves of Planet Hexx\n\n{NOTE}The flat action space is `Discrete({ACTION_COUNT})`. The action mask is "
        "exact: an index is legal if and only if the\n[rules](planet_hexx_rules.md) allow the move; it is all zero for a "
        "seat that is not to move. A decision with one legal move is not\nasked (HR-14). Hand slots are the cards of the "
        "hand in order of kind (HR-15). Cell c is the c-th of the 217 cells, listed by r, then by\nq: "
        "`spacemission_env.games.planet_hexx.engine.grid` has `COORDINATES[c]` and `CELL_OF[q, r]`. Directions are numbered "
        "clockwise\nfrom (q + 1, r).\n\n"
        + "\n".join(moves)
        + "\n\n## Decisions\n\nWhat a seat is asked says which of these numbers can be legal; the piece `asked` of its "
        "[observation](planet_hexx_observation.md) tells it.\n`game.move(action)` is the move as [records](records.md) "
        "have it, `game.words(action)` as a sentence.\n\n" + "\n".join(decisions) + "\n"
    )


def observation_page() -> str:
    """docs/planet_hexx_observation.md."""
    rows = ["| piece | indices | shape | whole number | divided by | meaning | rule |", "|" + " --- |" * 7]
    rows += [piece_row(piece) for piece in LAYOUT.values()]
    return (
        f"# The observation of Planet Hexx\n\n{NOTE}Layout version {LAYOUT_VERSION}: float32, {OBSERVATION_SIZE} numbers in "
        "[0, 1], the same for 2 to 4 players. Each number is a whole number\ndivided by the unit given; larger ones than "
        "the unit are written as the unit. Relative seat k sits k places clockwise from the\nobserver (0 is the "
        "observer); absent seats are zero. A card is named by its number in the deck file (*kind*), plus one where "
        "zero is\nnone. What a seat is shown, and what not: [what a seat knows](planet_hexx_rules.md#what-a-seat-knows)."
        "\n\nIn Python: `from spacemission_env.games.planet_hexx.engine.layout import LAYOUT`, then "
        '`observation[LAYOUT["hand"].slice]`.\n\n'
        + "\n".join(rows)
        + "\n\n"
        + feature_tables()
        + planes_section()
    )


def piece_row(piece: Piece) -> str:
    """A piece of the layout."""
    shape = " × ".join(map(str, piece.shape))
    unit = "see below" if piece.name in FEATURES else units(piece)
    where = span(piece.start, piece.start + piece.size - 1)
    cells = (f"`{piece.name}`", where, shape, piece.values, unit, piece.meaning, piece.rule)
    return "| " + " | ".join(cells).replace("layout.", "").replace("constants.", "") + " |"


def units(piece: Piece) -> str:
    """What its numbers are divided by."""
    return ", ".join(map(str, piece.unit)) if isinstance(piece.unit, tuple) else str(piece.unit)


def feature_tables() -> str:
    """The features of a cell, a card, what is under way and what was done."""
    parts = []
    for piece, (features, what) in FEATURES.items():
        rows = [f"| feature of `{piece}` | place | divided by | meaning |", "|" + " --- |" * 4]
        for place, (name, unit) in enumerate(features):
            rows.append(f"| `{name}` | {place} | {unit} | {WORDS[f'{what} {name}']} |")
        parts.append("\n".join(rows) + "\n\n")
    return "## Features\n\n" + "".join(parts)


def planes_section() -> str:
    """What `planes` and `dtype="uint8"` give."""
    return (
        "## Planes\n\n`planet_hexx_v0.planes(observation)` is the board as planes for convolutional networks, "
        f"({len(PLANE_NAMES)}, 17, 17): rows are r, columns are q,\nfrom -8 to 8. `planet_hexx_v0.PLANE_NAMES` names "
        "them: the features of a cell, the ship and the latest Landing of each relative\nseat, and `cell`, 1 where "
        "there is a cell.\n\n"
        '## The compact observation: `dtype="uint8"`\n\n'
        f"`BatchedGames`, the vector environment and the self-play environment give {OBSERVATION_SIZE} bytes on request, "
        "the whole numbers of the\ntables before the division. `observation * units` is the float observation, exactly; "
        "`units` of the batch or vector environment is\nfloat32 (size,).\n"
    )


PAGES = {"planet_hexx_actions.md": actions_page, "planet_hexx_observation.md": observation_page}
