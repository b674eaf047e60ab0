"""The flat action space, declared once (docs/planet_hexx_actions.md); a move as records have it.

What a number means depends on what is asked: number 55 is a cell to lay a hex on, or to put a ship on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTION_COUNT,
    ASKED,
    ASKED_NAMES,
    COLLECT,
    GAINED,
    HAND,
    MAIN,
    MAY,
    PASS,
    POINTS,
    SIDE,
    STEP,
    TO_ALT,
    TO_BRANCH,
    TO_CELL,
    TO_DISCARD,
    TO_KIND,
    TO_MOVE,
    TO_NUMBER,
    TO_PLAY,
    TO_POINT,
    TO_SEAT,
    TO_TURN,
    TO_UPLOAD,
    WINDOW,
    YES,
)
from spacemission_env.games.planet_hexx.engine.grid import COORDINATES


@dataclass(frozen=True)
class Segment:
    """Moves that follow each other: the numbers `first` to `last`."""

    first: int
    last: int
    meaning: str


@dataclass(frozen=True)
class Decision:
    """What a seat can be asked: the numbers that may be legal, and in `others` what 0 and 1 are."""

    name: str
    first: int
    last: int
    what: str
    others: str
    rule: str


_FIRSTS = (
    (PASS, "pass, done, no"),
    (YES, "yes; at `collect` the blue effect"),
    (TO_BRANCH, "branch b of a card, or side b of the Mission File"),
    (TO_MOVE, "declare a Move"),
    (TO_PLAY, "play the card of hand slot i"),
    (TO_UPLOAD, "upload the card of hand slot i"),
    (TO_ALT, "upload the card of hand slot i at its other cost"),
    (TO_DISCARD, "discard the card of hand slot i: to refresh it, or because something says so"),
    (TO_CELL, "cell c"),
    (TO_TURN, "direction d of a step, or rotation d of a hex"),
    (TO_SEAT, "the seat k places clockwise of the one who chooses"),
    (TO_NUMBER, "number n"),
    (TO_POINT, "point p of the seat k places clockwise of the one who chooses: 6 k + p"),
    (TO_KIND, "the card of the Discard that is number k of the deck file"),
)
SEGMENTS = tuple(
    Segment(first, behind - 1, meaning)
    for (first, meaning), (behind, _) in zip(_FIRSTS, (*_FIRSTS[1:], (ACTION_COUNT, "")), strict=True)
)

_ASKED_WORDS = {
    "side": ("the side of its Mission File", "", "HX-1"),
    "main": ("an Action of its turn", "0: no more", "HX-8"),
    "gained": ("the Action that it has gained on another's turn", "0: none", "HX-46"),
    "step": ("the next step of its Move", "0: stop", "HX-17"),
    "may": ("whether an optional effect is carried out", "0: no, 1: yes", "HX-34"),
    "collect": ("how much Data it Collects", "1: the blue effect", "HX-23"),
    "window": ("a Surprise to answer with", "0: pass", "HX-44"),
    "branch": ("one branch of the card", "", "HX-42"),
    "discard": ("a card to be discarded", "", "HX-9, HX-43"),
    "map_cell": ("where the hex goes", "", "HX-10"),
    "map_rotation": ("how the hex lies", "", "HX-10"),
    "target_seat": ("the player that an effect is about", "", "HX-48"),
    "target_hex": ("the hex that an effect is about", "", "HX-48"),
    "relocate": ("where a ship is put", "", "HX-27"),
    "ships_to": ("where the ships of a hex go that is removed", "", "HX-22"),
    "move_hex": ("where a hex is moved", "", "HX-22"),
    "rotate": ("another rotation of a hex", "", "HX-48"),
    "place": ("a Map card to be laid by an effect", "0: none", "HX-14"),
    "place_cell": ("where that goes", "", "HX-10"),
    "place_rotation": ("how that lies", "", "HX-10"),
    "replace": ("a Map card to be laid in place of a hex", "0: none", "HX-14"),
    "upload_now": ("a card to be uploaded at once, for nothing", "0: none", "HX-38"),
    "delete_upload": ("a filled point to be emptied", "", "HX-48"),
    "recover": ("a card of the Discard to be taken", "", "HX-48"),
}
DECISIONS = tuple(Decision(name, first, behind - 1, *_ASKED_WORDS[name]) for name, first, behind in ASKED)


def slot_of(action: int) -> int | None:
    """The hand slot that a move names, or None."""
    return (action - TO_PLAY) % HAND if TO_PLAY <= action < TO_CELL else None


def move_of(s: Any, deck: Deck, action: int) -> dict[str, Any]:
    """A move of the seat to act as a record writes it: `kind`, and what belongs to it by name."""
    asked = int(s.asked)
    seat = int(s.player)
    slot = slot_of(action)
    if slot is not None:
        return {"kind": _card_kind(deck, s, asked, action), "card": deck.cards[s.hand[seat, slot]].id}
    if asked == MAY:
        return {"kind": "may", "answer": action == YES}
    if asked == COLLECT:
        return {"kind": "collect", "data": None if action == YES else action - TO_NUMBER}
    if action == PASS:
        return {"kind": "stop" if asked == STEP else "pass"}
    if action == TO_MOVE and asked in (MAIN, GAINED):
        return {"kind": "move"}
    if action < TO_MOVE:
        return {"kind": "side" if asked == SIDE else "branch", "number": action - TO_BRANCH}
    kind = ASKED_NAMES[asked]
    if action < TO_TURN:
        return {"kind": kind, "cell": list(COORDINATES[action - TO_CELL])}
    if action < TO_SEAT:
        return {"kind": kind, "direction": action - TO_TURN}
    if action < TO_NUMBER:
        return {"kind": kind, "player": (seat + action - TO_SEAT) % int(s.num_players)}
    if action < TO_KIND:
        k, point = divmod(action - TO_POINT, POINTS)
        return {"kind": kind, "player": (seat + k) % int(s.num_players), "point": point}
    return {"kind": kind, "card": deck.cards[action - TO_KIND].id}


def _card_kind(deck: Deck, s: Any, asked: int, action: int) -> str:
    """What is done with a card of the hand."""
    if asked == WINDOW:
        return "surprise"
    if asked not in (MAIN, GAINED):
        return ASKED_NAMES[asked]
    if action >= TO_DISCARD:
        return "refresh"
    if action >= TO_ALT:
        return "alt_upload"
    if action >= TO_UPLOAD:
        return "upload"
    card = deck.cards[s.hand[int(s.player), action - TO_PLAY]]
    return "map" if card.type in ("planet", "space") else "event"
