"""What a seat knows of a game as JSON types: what pictures and web pages are made from.

What is asked is told to the seat that is asked alone: that somebody else is asked in a window would tell what
that seat holds. Seats are absolute; cells are numbers of `engine/grid.py`, with their axial coordinates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from spacemission_env.games.planet_hexx.deck_parts import Deck
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTION_NAMES,
    ACTIONS,
    ANSWERING,
    ASKED_NAMES,
    CARRYING_OUT,
    COPY,
    MOVING,
    NOBODY,
    NOTHING,
    PLAYING,
    POINTS,
    ROLLING,
    RUNNING,
    TYPE_NAMES,
    WINDOW_NAMES,
)
from spacemission_env.games.planet_hexx.engine.grid import CELLS, COORDINATES, EDGES
from spacemission_env.games.planet_hexx.engine.observe import asked_about, asked_cell
from spacemission_env.games.planet_hexx.icons import card_icons
from spacemission_env.games.planet_hexx.texts import card_text

# What a hex does when: its name here, and its key in the deck file.
EFFECTS = {
    "enter": "on_enter",
    "collect": "on_collect",
    "through": "on_through",
    "stop": "on_stop",
    "start": "on_start",
}


def seen(game: Any, seat: int | None) -> dict[str, Any]:
    """The table as a seat knows it; None: what all know."""
    s, deck = game.states[0], game.components
    asked = seat is not None and s.over == RUNNING and int(s.player) == seat
    told = {
        "player_to_act": seat if asked else None,
        "asked": _asked(s, deck) if asked else None,
        "start_player": int(s.start_player),
        "active": int(s.active),
        "turn": int(s.turn),
        "round": int(s.round_number),
        "actions_left": int(s.actions_left),
        "gained": {ACTION_NAMES[k]: int(s.gained[k]) for k in range(ACTIONS) if s.gained[k]},
        "hexes": [_hex(s, deck, cell) for cell in range(CELLS) if s.hex[cell] != NOTHING],
        "seats": [_seat(game, s, deck, j, seat) for j in range(int(s.num_players))],
        "hand": None if seat is None else [_id(deck, c) for c in s.hand[seat, : s.hand_size[seat]]],
        "table": _table(s, deck),
        "latest": None if s.latest == NOTHING else _id(deck, s.latest),
        "deck": int(s.deck_size),
        "deck_top": _id(deck, s.deck[s.deck_size - 1]) if s.deck_known else None,
        "discard": {card.id: int(s.discard[k]) for k, card in enumerate(deck.cards) if s.discard[k]},
        "sides": [] if seat is None else _sides(s, deck, seat),
    }
    named = _named(told)
    return {**told, "cards": {name: card for name, card in _cards(deck).items() if name in named}}


def _named(told: Any) -> set[str]:
    """All texts in it: among them the ids of the cards that it speaks of."""
    if isinstance(told, str):
        return {told}
    if isinstance(told, dict):
        return set(told).union(*map(_named, told.values()))
    return set().union(*map(_named, told)) if isinstance(told, list) else set()


@lru_cache(maxsize=16)
def _cards(deck: Deck) -> dict[str, dict[str, Any]]:
    """All cards of the deck by id: they are no secret."""
    return {
        card.id: {
            "kind": kind,
            "name": card.name,
            "type": card.type,
            "data": "X" if card.x else card.data,
            "walls": list(card.walls),
            "effects": [name for name, key in EFFECTS.items() if getattr(card, key)],
            "icons": list(card_icons(card)),
            "text": card_text(deck, card),
            "surprise": card.surprise is not None,
        }
        for kind, card in enumerate(deck.cards)
    }


def _id(deck: Deck, kind: Any) -> str:
    return deck.cards[int(kind)].id


def _hex(s: Any, deck: Deck, cell: int) -> dict[str, Any]:
    q, r = COORDINATES[cell]
    return {
        "cell": cell,
        "q": q,
        "r": r,
        "card": _id(deck, s.hex[cell]),
        "data": int(s.hex_data[cell]),
        "walls": [d for d in range(EDGES) if s.walls[cell] >> d & 1],
        "ships": [j for j in range(int(s.num_players)) if s.ship[j] == cell],
        "landed": [j for j in range(int(s.num_players)) if s.landed[j] == cell],
    }


def _seat(game: Any, s: Any, deck: Deck, j: int, seat: int | None) -> dict[str, Any]:
    points = [p for p in range(POINTS) if s.points[j, p] != NOTHING]
    file, side = int(s.file[j]), int(s.side[j])
    mission = next((m for m in deck.missions if side >= 0 and (m.file, m.side) == (file, side)), None)
    known = [_id(deck, s.hand[j, i]) for i in range(s.hand_size[j]) if s.known[j, i]]
    return {
        "ship": int(s.ship[j]),
        "data": int(s.store[j]),
        "counters": int(s.counters[j]),
        "hand_size": int(s.hand_size[j]),
        "known": [] if j == seat else known,
        "mission": None if mission is None else mission.name,
        "points": [
            {
                "type": TYPE_NAMES[s.points[j, p]],
                "filled": None if s.filled[j, p] == NOTHING else _id(deck, s.filled[j, p]),
            }
            for p in points
        ],
        "banned": [ACTION_NAMES[k] for k in range(ACTIONS) if s.banned[j] >> k & 1],
        "surprised": bool(s.surprised[j]),
    }


def _table(s: Any, deck: Deck) -> list[str]:
    """The cards that are being played."""
    if s.over != RUNNING:
        return []
    return [
        _id(deck, f.held if f.kind == CARRYING_OUT else f.card)
        for f in s.stack[: s.depth]
        if (f.kind == PLAYING and f.mode != COPY and not f.gone and f.card != NOTHING)
        or (f.kind == CARRYING_OUT and f.held != NOTHING)
    ]


def _sides(s: Any, deck: Deck, seat: int) -> list[dict[str, Any]]:
    """Both sides of the own Mission File."""
    own = (m for m in deck.missions if m.file == int(s.file[seat]))
    return [{"name": m.name, "points": list(m.points)} for m in sorted(own, key=lambda m: m.side)]


def _asked(s: Any, deck: Deck) -> dict[str, Any]:
    """What the seat to act has to decide, and what it is about."""
    told: dict[str, Any] = {"what": ASKED_NAMES[s.asked]}
    if not s.depth:
        return told
    f = s.stack[s.depth - 1]
    if f.kind == ANSWERING:
        told |= {"window": WINDOW_NAMES[f.mode], "opener": int(f.seat)}
    about, cell = asked_about(s), asked_cell(s)
    if about.card != NOTHING:
        told["card"] = _id(deck, about.card)
    if about.kind in (ROLLING, MOVING, CARRYING_OUT):
        told["roll"] = int(about.roll)
    told["left"] = int(about.left)
    if about.kind == CARRYING_OUT and about.target != NOBODY:
        told["target"] = int(about.target)
    if cell != NOTHING:
        told["cell"] = int(cell)
    return told
