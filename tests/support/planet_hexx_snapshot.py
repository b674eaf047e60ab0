"""Converts a game of Planet Hexx to plain data, for comparison with the independent rules."""

from types import SimpleNamespace

import numpy as np

from spacemission_env.core.constants import FINISHED, TRUNCATED
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.grid import CELLS
from spacemission_env.games.planet_hexx.engine.legal import write_mask
from spacemission_env.games.planet_hexx.game import Game


def snapshot(game: Game) -> Json:
    """The whole state of a game as JSON."""
    states = game.states.view(np.ndarray)
    values = {name: states[name][0] for name in states.dtype.names}
    stack = values.pop("stack")
    s = SimpleNamespace(**{name: value.tolist() for name, value in values.items()})  # faster to read
    ids = [card.id for card in game.components.cards]
    seats = range(int(s.num_players))
    over = int(s.over)
    return {
        "active": int(s.active),
        "to_act": None if over else int(s.player),
        "actions_left": int(s.actions_left),
        "gained": {c.ACTION_NAMES[k]: int(s.gained[k]) for k in range(c.ACTIONS) if s.gained[k]},
        "turn": int(s.turn),
        "board": {
            cell: [ids[kind], s.hex_data[cell], s.turned[cell]]
            for cell, kind in enumerate(s.hex[:CELLS])
            if kind >= 0
        },
        "ships": [int(s.ship[j]) for j in seats],
        "last_landed": [_or_none(s.landed[j]) for j in seats],
        "stores": [int(s.store[j]) for j in seats],
        "counters": [int(s.counters[j]) for j in seats],
        "hands": [_hand(s, ids, j) for j in seats],
        "deck": [ids[k] for k in s.deck[: s.deck_size]],
        "deck_known": int(s.deck_known),
        "discard": {ids[k]: int(s.discard[k]) for k in range(len(ids)) if s.discard[k]},
        "missions": [_mission(s, ids, j) for j in seats],
        "table": sorted(ids[k] for k in on_table(stack[: s.depth])),
        "mask": _mask(game.states[0], game.t),
        "over": {FINISHED: "finished", TRUNCATED: "truncated"}.get(over),
        "winners": [j for j in seats if s.won[j]],
    }


def on_table(frames: np.ndarray) -> list[int]:
    """Kinds of the cards on the table, which are being played."""
    kinds = []
    rows = (frames[name].tolist() for name in ("kind", "mode", "gone", "card", "held"))
    for kind, mode, gone, card, held in zip(*rows, strict=True):
        if kind == c.PLAYING and mode != c.COPY and not gone and card != c.NOTHING:
            kinds.append(card)
        if kind == c.CARRYING_OUT and held != c.NOTHING:
            kinds.append(held)
    return kinds


def _or_none(value: object) -> int | None:
    return None if value < 0 else int(value)


def _hand(s: np.record, ids: list[str], j: int) -> list[list[object]]:
    return [[ids[s.hand[j][i]], s.known[j][i], s.epoch[j][i]] for i in range(s.hand_size[j])]


def _mission(s: np.record, ids: list[str], j: int) -> list[object]:
    filled = [None if k < 0 else ids[k] for k in s.filled[j]]
    return [int(s.file[j]), _or_none(s.side[j]), filled]


def _mask(s: np.record, t: np.record) -> list[int]:
    mask = np.zeros(c.ACTION_COUNT, np.int8)
    write_mask(s, t, int(s.player), mask)
    return [int(a) for a in np.flatnonzero(mask)]
