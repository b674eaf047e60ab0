"""The action table: each index as a record's `move`, for the decision at hand."""

from __future__ import annotations

from typing import Any

from spacemission_env.games.planet_hexx.deck_parts import Deck
from spacemission_env.games.planet_hexx.engine.constants import (
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
