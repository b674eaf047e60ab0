"""Builds the view of a seat as JSON, for pictures and web pages.

Only the seat to act sees the decision, because which seat a window asks depends on hidden cards. Cells have
the numbers of `engine/grid.py`.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.core.game import Contents, Game, Place
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import Deck, deck_of
from spacemission_env.games.planet_hexx.components.language import HEX_EFFECTS
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.declare import ANNOUNCE
from spacemission_env.games.planet_hexx.engine.grid import CELLS, COORDINATES, EDGES
from spacemission_env.games.planet_hexx.engine.layout import UNDER_WAY
from spacemission_env.games.planet_hexx.engine.observe import asked_cell, row_of
from spacemission_env.games.planet_hexx.engine.stack import cell_of, on_table
from spacemission_env.games.planet_hexx.engine.state import NORMAL_UPLOAD
from spacemission_env.games.planet_hexx.words.cards import card_text
from spacemission_env.games.planet_hexx.words.icons import card_icons

_OF = {c.DISCARDING: (*c.TYPE_NAMES, "any"), c.GAINING: c.ACTION_NAMES}


def seat_view(game: Game, seat: int | None) -> Json:
    """The table as a seat sees it; if `seat` is None, what everybody sees."""
    deck, s = deck_of(game), _plain(game.states)
    ids = list(deck.names)
    asked = seat is not None and s.over == RUNNING and s.player == seat
    view = {
        "player_to_act": seat if asked else None,
        "asked": _asked(game.states[0], ids) if asked else None,
        "start_player": s.start_player,
        "active": s.active,
        "turn": s.turn,
        "round": s.round_number,
        "actions_left": s.actions_left,
        "begun": s.begun,
        "gained": {c.ACTION_NAMES[k]: s.gained[k] for k in range(c.ACTIONS) if s.gained[k]},
        "hexes": [_hex(s, ids, cell) for cell in range(CELLS) if s.hex[cell] != c.NOTHING],
        "seats": [_seat(s, deck, j, seat) for j in range(s.num_players)],
        "hand": None if seat is None else [ids[kind] for kind in s.hand[seat][: s.hand_size[seat]]],
        "under_way": _under_way(game.states[0], ids),
        "table": _table(game.states[0], ids),
        "latest": None if s.latest == c.NOTHING else ids[s.latest],
        "deck": s.deck_size,
        "deck_top": [ids[s.deck[s.deck_size - 1 - i]] for i in range(s.deck_known)],
        "discard": {card: s.discard[kind] for kind, card in enumerate(ids) if s.discard[kind]},
        "sides": [] if seat is None else _sides(s, deck, seat),
    }
    return {**view, "cards": _named(view, deck)}


def _plain(states: np.ndarray) -> SimpleNamespace:
    """The fields of a state, except the stack, as Python numbers, because reading single fields is slow."""
    one, names = states[0], states.dtype.names or ()
    return SimpleNamespace(**{name: one[name].tolist() for name in names if name != "stack"})


@lru_cache(maxsize=16)
def cards_shown(deck: Deck) -> dict[str, Json]:
    """What views show of each card, by its id."""
    return {
        card.id: {
            "kind": kind,
            "name": card.name,
            "type": card.type,
            "data": "X" if card.x else card.data,
            "walls": list(card.walls),
            "effects": [key.removeprefix("on_") for key in HEX_EFFECTS if getattr(card, key)],
            "icons": list(card_icons(card)),
            "text": card_text(deck, card),
            "surprise": card.surprise is not None,
        }
        for kind, card in enumerate(deck.cards)
    }


def _named(view: Json, deck: Deck) -> dict[str, Json]:
    """The cards that occur in a view, by id."""
    asked = view["asked"] or {}
    names = {asked.get("card"), view["latest"], *view["deck_top"], *(view["hand"] or ()), *view["table"]}
    names.update(view["discard"], (one["card"] for place in ("hexes", "under_way") for one in view[place]))
    for seat in view["seats"]:
        names.update(seat["known"], seat["once"], (point["filled"] for point in seat["points"]))
    return {name: card for name, card in cards_shown(deck).items() if name in names}


def _hex(s: SimpleNamespace, ids: list[str], cell: int) -> Json:
    q, r = COORDINATES[cell]
    seats = range(s.num_players)
    return {
        "cell": cell,
        "q": q,
        "r": r,
        "card": ids[s.hex[cell]],
        "data": s.hex_data[cell],
        "walls": [d for d in range(EDGES) if s.walls[cell] >> d & 1],
        "ships": [j for j in seats if s.ship[j] == cell],
        "landed": [j for j in seats if s.landed[j] == cell],
    }


def _seat(s: SimpleNamespace, deck: Deck, j: int, seat: int | None) -> Json:
    ids = list(deck.names)
    mission = next((m for m in deck.missions if (m.file, m.side) == (s.file[j], s.side[j])), None)
    known = [ids[s.hand[j][i]] for i in range(s.hand_size[j]) if s.known[j][i]]
    points = [(kind, card) for kind, card in zip(s.points[j], s.filled[j], strict=True) if kind != c.NOTHING]
    return {
        "ship": s.ship[j],
        "data": s.store[j],
        "counters": s.counters[j],
        "hand_size": s.hand_size[j],
        "known": [] if j == seat else known,
        "mission": None if mission is None else mission.name,
        "points": [
            {"type": c.TYPE_NAMES[kind], "filled": None if card == c.NOTHING else ids[card]}
            for kind, card in points
        ],
        "banned": [c.ACTION_NAMES[k] for k in range(c.ACTIONS) if s.banned[j] >> k & 1],
        "bonus": s.bonus[j],
        "collect_bonus": s.collect_bonus[j],
        "once": [card for k, card in enumerate(deck.onces) if s.once[j] >> k & 1],
        "gained": s.gained_ever[j],
        "surprised": bool(s.surprised[j]),
    }


def _under_way(s: np.record, ids: list[str]) -> list[Json]:
    """The frames, the innermost first, without windows, because which seat a window asks is hidden."""
    frames = [s.stack[d] for d in range(int(s.depth) - 1, -1, -1)] if s.over == RUNNING else []
    return [_frame(f, ids) for f in frames if f.kind != c.ANSWERING]


def _frame(f: np.record, ids: list[str]) -> Json:
    """A frame as JSON; "choice" is the branch of an Event, or 1 for an Upload at its other cost."""
    kind, announced, cell = int(f.kind), f.kind == c.PLAYING and f.step > ANNOUNCE, cell_of(f)
    return {
        "what": UNDER_WAY[row_of(f)],
        "seat": int(f.seat),
        "card": None if f.card == c.NOTHING else ids[f.card],
        "choice": int(f.branch != NORMAL_UPLOAD if f.mode == c.UPLOAD else f.branch) if announced else None,
        "cancelled": bool(f.cancelled),
        "roll": max(0, int(f.roll)) if kind in (c.ROLLING, c.MOVING, c.CARRYING_OUT) else None,
        "left": int(f.left) if kind in (c.MOVING, c.DISCARDING) else None,
        "more": int(f.more) or None,
        "of": _OF[kind][f.mode] if kind in _OF else None,
        "target": None if f.target == c.NOBODY else int(f.target),
        "cell": None if cell == c.NOTHING else cell,
    }


def _table(s: np.record, ids: list[str]) -> list[str]:
    frames = s.stack[: s.depth] if s.over == RUNNING else ()
    return [ids[card] for f in frames if (card := on_table(f)) != c.NOTHING]


def _sides(s: SimpleNamespace, deck: Deck, seat: int) -> list[Json]:
    own = (m for m in deck.missions if m.file == s.file[seat])
    return [{"name": m.name, "points": list(m.points)} for m in sorted(own, key=lambda m: m.side)]


def _asked(s: np.record, ids: list[str]) -> Json:
    """The decision of the seat to act, with its card, cell and numbers."""
    view: Json = {"what": c.ASKED_NAMES[s.asked]}
    if not s.depth:
        return view
    f = s.stack[s.depth - 1]
    if f.kind == c.ANSWERING:
        view |= {"window": c.WINDOW_NAMES[f.mode], "opener": int(f.seat)}
    about, cell = s.stack[s.depth - 1 - (f.kind == c.ANSWERING)], asked_cell(s)  # not the window itself
    if about.card != c.NOTHING:
        view["card"] = ids[about.card]
    if about.kind in (c.ROLLING, c.MOVING, c.CARRYING_OUT):
        view["roll"] = int(about.roll)
    view["left"] = int(about.left)
    if about.kind == c.CARRYING_OUT and about.target != c.NOBODY:
        view["target"] = int(about.target)
    if cell != c.NOTHING:
        view["cell"] = int(cell)
    return view


def contents(game: Game) -> list[Contents]:
    """Count cards by type, and Surprises: in each hand, in the deck, and as the deck's next card."""
    s, cards = game.states[0], deck_of(game).cards
    table = np.zeros((len(cards), len(c.TYPE_NAMES) + 1), np.int64)
    for kind, card in enumerate(cards):
        table[kind, c.TYPE_NAMES.index(card.type)] = 1
        table[kind, -1] = card.surprise is not None
    n, size = game.num_players, int(s.deck_size)
    piles = [(s.hand[j, : s.hand_size[j]], f"seat-{j}", f"hand of player_{j}") for j in range(n)]
    piles += [(s.deck[size - 1 : size], "deck", "next card of the deck"), (s.deck[:size], "deck", "deck")]
    rows = [table[held.astype(np.int64)].sum(0) for held, _, _ in piles]
    places = tuple(Place(id, title) for _, id, title in piles)
    return [Contents("cards", (*c.TYPE_NAMES, "surprise"), places, np.stack(rows))]
