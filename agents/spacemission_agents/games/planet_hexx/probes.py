"""Builds the positions of probe files.

Fields of a position; everything else is dealt from `seed`:

    players, active (whose turn it is), seed, actions_left
    files     Mission File and side of each seat: "0.1"
    hands     card ids of each seat; seats without an entry draw a hand from the deck
    filled    card ids on each seat's Mission File
    store     Data of each seat
    ships     cell of each ship, [q, r]
    landed    latest Landing of each ship, [q, r] or []
    hexes     {card, at = [q, r], turned, data}, in addition to the two starting hexes
    moves     moves to play next, in the form of game records, without passes in Surprise windows
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_agents.probing import ProbeError, ProbeFiles, ask_all, of_theme, summary
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import deck_of
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.board import lay, may_lay
from spacemission_env.games.planet_hexx.engine.cards import draw, put_in_hand
from spacemission_env.games.planet_hexx.engine.grid import CELL_OF
from spacemission_env.games.planet_hexx.engine.missions import open_point

DEFAULTS: Json = {
    "players": 2,
    "active": 0,
    "seed": 1,
    "actions_left": 3,
    "files": [],
    "hands": [],
    "filled": [],
    "store": [],
    "ships": [],
    "landed": [],
    "hexes": [],
    "moves": [],
}
MOST_PASSES = 16  # maximum number of passes in Surprise windows before a move


def build_position(table: Mapping[str, Any]) -> Game:
    """The game of a position, at a decision.

    Raises:
        ProbeError: the position is not possible; the line names the field.
    """
    at = _filled_in(table)
    spec = find_game("planet_hexx")
    if not spec.min_players <= at["players"] <= spec.max_players:
        raise ProbeError(f"players: expected {spec.min_players} to {spec.max_players}, not {at['players']}")
    game = make_game(spec, at["players"])
    game.reset(at["seed"])
    _begin(game, at)
    cards = _Cards(game)
    for seat, ids in enumerate(at["filled"]):
        _fill(game, cards, seat, ids)
    for entry in at["hexes"]:
        _lay(game, cards, entry)
    _deal(game, cards, at)
    _set_seats(game, at)
    for i, move in enumerate(at["moves"]):
        _play(game, move, f"moves[{i}]")
    if game.over or not game.legal_actions():
        raise ProbeError("position: there is nothing to decide")
    return game


def _filled_in(table: Mapping[str, Any]) -> Json:
    for name, value in table.items():
        if name not in DEFAULTS:
            raise ProbeError(f"{name}: unknown field; known: {', '.join(DEFAULTS)}")
        if type(value) is not type(DEFAULTS[name]):
            raise ProbeError(f"{name}: expected {type(DEFAULTS[name]).__name__}, not {value!r}")
    at = {**DEFAULTS, **table}
    for name in ("files", "hands", "filled", "store", "ships", "landed"):
        if len(at[name]) > at["players"]:
            raise ProbeError(f"{name}: more than {at['players']} seats")
    if not 0 <= at["active"] < at["players"]:
        raise ProbeError(f"active: seat {at['active']}: there are {at['players']} players")
    return at


def _begin(game: Game, at: Json) -> None:
    s = game.states[0]
    s.start_player = s.active = at["active"]
    sides = [0] * game.num_players
    for seat, name in enumerate(at["files"]):
        file, _, side = str(name).partition(".")
        if file not in map(str, range(c.FILES)) or side not in map(str, range(c.SIDES)):
            raise ProbeError(f"files: {name!r}: expected 0.0 to {c.FILES - 1}.{c.SIDES - 1}")
        s.file[seat], sides[seat] = int(file), int(side)
    if len({int(file) for file in s.file[: game.num_players]}) < game.num_players:
        raise ProbeError("files: two seats with one Mission File")
    for chosen in sides:
        game.step(c.TO_BRANCH + chosen)


class _Cards:
    """All cards that lie nowhere yet; the constructor empties the hands of the game."""

    def __init__(self, game: Game) -> None:
        self.ids = [card.id for card in deck_of(game).cards]
        s = game.states[0]
        self.left = [int(kind) for kind in s.deck[: s.deck_size]]
        for seat in range(game.num_players):
            self.left += [int(kind) for kind in s.hand[seat, : s.hand_size[seat]]]
            s.hand[seat], s.hand_size[seat] = c.NOTHING, 0
            s.known[seat] = s.epoch[seat] = 0

    def take(self, name: str, field: str) -> int:
        """Take a card by its id; return its kind."""
        if name not in self.ids:
            raise ProbeError(f"{field}: no card {name!r}")
        kind = self.ids.index(name)
        if kind not in self.left:
            raise ProbeError(f"{field}: {name!r}: there are no more of it")
        self.left.remove(kind)
        return kind


def _fill(game: Game, cards: _Cards, seat: int, ids: Sequence[str]) -> None:
    s = game.states[0]
    for name in ids:
        kind = cards.take(name, "filled")
        point = open_point(s, game.t, seat, kind)
        if point == c.NOTHING:
            raise ProbeError(f"filled: {name!r}: no point of its type is open")
        s.filled[seat, point] = kind
    if (s.filled[seat] != c.NOTHING).sum() == c.POINTS:
        raise ProbeError(f"filled: seat {seat} has won")


def _cell(where: object, field: str) -> int:
    if not isinstance(where, list) or tuple(where) not in CELL_OF:
        raise ProbeError(f"{field}: {where!r}: expected a cell [q, r]")
    return int(CELL_OF[tuple(where)])


def _lay(game: Game, cards: _Cards, entry: object) -> None:
    known = {"card", "at", "turned", "data"}
    if not isinstance(entry, dict) or not {"card", "at"} <= set(entry) <= known:
        raise ProbeError(f"hexes: expected {', '.join(sorted(known))}, not {entry!r}")
    s, cell = game.states[0], _cell(entry["at"], "hexes")
    kind = cards.take(entry["card"], "hexes")
    placing = int(game.t.placing[kind])
    if placing == c.NOTHING or not may_lay(s, placing, cell):
        raise ProbeError(f"hexes: {entry['card']!r} may not lie at {entry['at']}")
    lay(s, game.t, cell, kind, _number(entry.get("turned", 0), 0, 5, "hexes: turned"))
    if "data" in entry:
        s.hex_data[cell] = _number(entry["data"], 0, c.MOST_DATA, "hexes: data")


def _number(value: object, low: int, high: int, field: str) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ProbeError(f"{field}: expected {low} to {high}, not {value!r}")
    return value


def _deal(game: Game, cards: _Cards, at: Json) -> None:
    s = game.states[0]
    hands = [[cards.take(name, "hands") for name in ids] for ids in at["hands"]]
    s.deck[:] = 0
    s.deck[: len(cards.left)], s.deck_size = cards.left, len(cards.left)
    for seat in range(game.num_players):
        if seat >= len(hands):
            draw(s, game.t, seat, int(game.t.hand_size))
            continue
        if len(hands[seat]) > c.HAND:
            raise ProbeError(f"hands: seat {seat}: more than {c.HAND} cards")
        for kind in hands[seat]:
            put_in_hand(s, seat, kind, 0, 0)


def _set_seats(game: Game, at: Json) -> None:
    s = game.states[0]
    s.actions_left = _number(at["actions_left"], 1, int(game.t.actions_per_turn), "actions_left")
    for seat, data in enumerate(at["store"]):
        s.store[seat] = _number(data, 0, c.MOST_DATA, "store")
    for name, cells in (("ships", s.ship), ("landed", s.landed)):
        for seat, where in enumerate(at[name]):
            if name == "landed" and where == []:
                continue
            cells[seat] = _cell(where, name)
            if s.hex[cells[seat]] == c.NOTHING:
                raise ProbeError(f"{name}: there is no hex at {where}")


def _play(game: Game, move: Json, where: str) -> None:
    """Play a move; seats that are asked for a Surprise before it pass."""
    for _ in range(MOST_PASSES):
        named = [action for action in game.legal_actions() if game.move(action) == move]
        if named:
            game.step(named[0])
            return
        if game.over or game.states[0].asked != c.WINDOW:
            break
        game.step(c.PASS)
    raise ProbeError(f"{where}: not legal: {move!r}")


__all__ = ["ask_all", "load_probes", "of_theme", "summary"]

CARD, CELL = {"card"}, {"cell"}
MOVE_FIELDS: dict[str, set[str]] = {
    **{kind: set() for kind in ("pass", "move", "stop")},
    **dict.fromkeys(("map", "event", "upload", "alt_upload", "refresh", "surprise", "discard"), CARD),
    "step": {"direction"},
    "map_cell": CELL,
    "may": {"answer"},
    "branch": {"number"},
}


PROBES = ProbeFiles(
    "spacemission_agents.games.planet_hexx",
    build_position,
    MOVE_FIELDS,
    lambda common, own: {**common, **own},
)
load_probes = PROBES.load
