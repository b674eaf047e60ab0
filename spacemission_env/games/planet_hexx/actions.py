"""Declares the flat action space, and writes moves as text (docs/planet_hexx_actions.md).

The meaning of an index depends on the decision: it may be a cell for a hex, or a cell for a ship.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import COORDINATES, NEIGHBOURS


@dataclass(frozen=True)
class Segment:
    """A range of moves, `first` to `last`."""

    first: int
    last: int
    name: str  # used in errors
    meaning: str


@dataclass(frozen=True)
class Decision:
    """A decision: what it is about, the range of its moves, and what moves 0 and 1 mean (`others`)."""

    name: str
    first: int
    last: int
    what: str
    others: str
    rule: str
    prompt: str  # question to the seat that is to act


_FIRSTS = (
    (c.PASS, "pass", "pass, done, no"),
    (c.YES, "yes", "yes; at `collect`: use the hex's `on_collect` effect"),
    (c.TO_BRANCH, "choice", "branch b of a card, or side b of the Mission File"),
    (c.TO_MOVE, "Move", "declare a Move"),
    (c.TO_PLAY, "play", "play the card of hand slot i"),
    (c.TO_UPLOAD, "Upload", "upload the card of hand slot i"),
    (c.TO_ALT, "Upload at the other cost", "upload the card of hand slot i at its other cost"),
    (c.TO_DISCARD, "discard", "refresh or discard the card of hand slot i"),
    (c.TO_CELL, "hex", "cell c"),
    (c.TO_TURN, "direction", "direction d of a step, or rotation d of a hex"),
    (c.TO_SEAT, "player", "the seat k places clockwise of the choosing seat"),
    (c.TO_NUMBER, "number", "number n"),
    (c.TO_POINT, "point", "point p of the seat k places clockwise of the choosing seat, numbered 6 k + p"),
    (c.TO_KIND, "card", "a card of the Discard, by its number k in the deck file"),
)
_BEHIND = (*(first for first, _, _ in _FIRSTS[1:]), c.ACTION_COUNT)
SEGMENTS = tuple(
    Segment(first, behind - 1, name, meaning)
    for (first, name, meaning), behind in zip(_FIRSTS, _BEHIND, strict=True)
)

_WORDS = {
    "side": ("the side of its Mission File", "", "HX-1", "choose a side of your Mission File"),
    "main": ("an Action of its turn", "0: no more", "HX-8", "choose an Action, or end the turn"),
    "gained": ("an Action gained in another player's turn", "0: none", "HX-46",
               "use the Action that you gained, or let it go"),
    "step": ("the next step of its Move", "0: stop", "HX-17", "Move on, or stop"),
    "may": ("whether to carry out an optional effect", "0: no, 1: yes", "HX-34", "do you want to?"),
    "collect": ("the Data that it Collects", "1: use the hex's `on_collect` effect", "HX-23",
                "how much Data do you Collect?"),
    "window": ("a Surprise as an answer", "0: pass", "HX-44", "play a Surprise, or none"),
    "branch": ("one branch of the card", "", "HX-42", "choose one"),
    "discard": ("a card to discard", "", "HX-9, HX-43", "discard a card"),
    "map_cell": ("the cell of the hex", "", "HX-10", "choose where it goes"),
    "map_rotation": ("the rotation of the hex", "", "HX-10", "choose how it is turned"),
    "target_seat": ("the target player of an effect", "", "HX-48", "choose a player"),
    "target_hex": ("the target hex of an effect", "", "HX-48", "choose a hex"),
    "relocate": ("the hex to put a ship on", "", "HX-27", "choose where the ship goes"),
    "ships_to": ("the hex for the ships of a removed hex", "", "HX-22", "choose where the ships go"),
    "move_hex": ("the cell to move a hex to", "", "HX-22", "choose where the hex goes"),
    "rotate": ("another rotation of a hex", "", "HX-48", "choose how it is turned"),
    "place": ("a Map card to lay by an effect", "0: none", "HX-14", "choose a card to put on the map"),
    "place_cell": ("the cell of this hex", "", "HX-10", "choose where it goes"),
    "place_rotation": ("the rotation of this hex", "", "HX-10", "choose how it is turned"),
    "replace": ("a Map card to replace a hex", "0: none", "HX-14",
                "choose a card to replace the hex"),
    "upload_now": ("a card to upload immediately", "0: none", "HX-38",
                   "choose a card to Upload"),
    "delete_upload": ("a filled point to empty", "", "HX-48", "choose an Upload to Delete"),
    "recover": ("a card to take from the Discard", "", "HX-48", "choose a card of the Discard"),
}  # fmt: skip
DECISIONS = tuple(Decision(name, first, behind - 1, *_WORDS[name]) for name, first, behind in c.ASKED)
PROMPTS = {decision.name: decision.prompt for decision in DECISIONS}


def slot_of(action: int) -> int | None:
    """The hand slot of a move, or None."""
    return (action - c.TO_PLAY) % c.HAND if c.TO_PLAY <= action < c.TO_CELL else None


def seat_and_point(s: np.record, action: int) -> tuple[int, int]:
    """The seat and the point that a move names; moves count seats from the seat to act."""
    k, point = divmod(action - c.TO_POINT, c.POINTS)
    return (int(s.player) + k) % int(s.num_players), point


def move_of(s: np.record, deck: Deck, action: int) -> tuple[str, str]:
    """The two parts of a legal move's text: its kind, and the id or other word that it names, or ""."""
    asked, slot = int(s.asked), slot_of(action)
    if slot is not None:
        return _card_kind(deck, s, asked, action), deck.cards[s.hand[int(s.player), slot]].id
    if asked == c.MAY:
        return "may", "yes" if action == c.YES else "no"
    if asked == c.COLLECT:
        return "collect", "effect" if action == c.YES else ("nothing", "data")[action - c.TO_NUMBER]
    if action == c.PASS:
        return "stop" if asked == c.STEP else "pass", ""
    if action == c.TO_MOVE and asked in (c.MAIN, c.GAINED):
        return "move", ""
    if action < c.TO_MOVE:
        return "side" if asked == c.SIDE else "branch", str(action - c.TO_BRANCH)
    return c.ASKED_NAMES[asked], _named(s, deck, asked, action)


def _named(s: np.record, deck: Deck, asked: int, action: int) -> str:
    if action < c.TO_TURN:
        return _cell(action - c.TO_CELL)
    if action < c.TO_SEAT:
        direction = action - c.TO_TURN
        return _cell(NEIGHBOURS[s.ship[s.player], direction]) if asked == c.STEP else str(direction)
    if action < c.TO_NUMBER:
        return f"player_{(int(s.player) + action - c.TO_SEAT) % int(s.num_players)}"
    if action < c.TO_KIND:
        seat, point = seat_and_point(s, action)
        return f"player_{seat} {point}"
    return deck.cards[action - c.TO_KIND].id


def _cell(cell: int) -> str:
    q, r = COORDINATES[cell]
    return f"({q},{r})"


def _card_kind(deck: Deck, s: np.record, asked: int, action: int) -> str:
    if asked == c.WINDOW:
        return "surprise"
    if asked not in (c.MAIN, c.GAINED):
        return c.ASKED_NAMES[asked]
    if action >= c.TO_DISCARD:
        return "refresh"
    if action >= c.TO_ALT:
        return "alt_upload"
    if action >= c.TO_UPLOAD:
        return "upload"
    card = deck.cards[s.hand[int(s.player), action - c.TO_PLAY]]
    return "map" if card.type in ("planet", "space") else "event"
