"""A move in words, as all see it: "player_0 flies to the Wormhole (1, -2)"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacemission_env.games.planet_hexx.deck_parts import Deck
from spacemission_env.games.planet_hexx.engine.constants import (
    ASKED_NAMES,
    CARRYING_OUT,
    NOTHING,
    PASS,
    TO_CELL,
    TO_TURN,
    WINDOW,
)
from spacemission_env.games.planet_hexx.engine.effect_codes import TARGET
from spacemission_env.games.planet_hexx.engine.grid import COORDINATES, EDGES, NEIGHBOURS
from spacemission_env.games.planet_hexx.engine.moving import collected
from spacemission_env.games.planet_hexx.phrases import name_within
from spacemission_env.games.planet_hexx.texts import branch_text

_PASSES = {
    "main": "ends the turn",
    "gained": "lets the gained Action go",
    "step": "stops here",
    "window": "plays no Surprise",
    "place": "lays nothing",
    "replace": "replaces nothing",
    "upload_now": "Uploads nothing",
}
_WITH_CARD = {
    "map": "lays {}",
    "event": "plays {}",
    "surprise": "answers with {}",
    "upload": "Uploads {}",
    "alt_upload": "Uploads {} at its other cost",
    "refresh": "swaps {} for a new card",
    "discard": "discards {}",
    "place": "lays {}",
    "upload_now": "Uploads {} for nothing",
    "recover": "takes {} from the Discard",
}
_AT_CELL = {
    "map_cell": "puts {card} at {place}",
    "place_cell": "puts {card} at {place}",
    "target_hex": "chooses {there}",
    "relocate": "puts {ship} on {there}",
    "ships_to": "puts the ships on {there}",
    "move_hex": "moves {here} to {place}",
}


def move_words(game: Any, action: int, seat: int | None = None) -> str:
    """A legal move in words, ahead of it; for another seat, a pass in a window is not shown."""
    s = game.states[0]
    if int(s.asked) == WINDOW and action == PASS and seat not in (None, int(s.player)):
        return "nobody answers yet"
    return f"player_{int(s.player)} {_Said(game, action).words()}"


class _Said:
    """One move, with what it is about."""

    def __init__(self, game: Any, action: int) -> None:
        self.action, self.move = action, game.move(action)
        self.deck: Deck = game.components
        self.s, self.t = game.states[0], game.box
        self.asked = ASKED_NAMES[self.s.asked]
        self.frame: Any = self.s.stack[self.s.depth - 1] if self.s.depth else None

    def words(self) -> str:
        move = self.move
        kind = move["kind"]
        special: dict[str, Callable[[], str]] = {
            "pass": lambda: _PASSES[self.asked],
            "stop": lambda: _PASSES[self.asked],
            "move": lambda: "declares a Move",
            "side": self._side,
            "branch": lambda: f'chooses "{branch_text(self.deck, self._card(), move["number"])}"',
            "may": lambda: f"{'uses' if move['answer'] else 'declines'} the effect of {self._card_name()}",
            "collect": self._collect,
            "step": lambda: f"flies to {self._hex(int(NEIGHBOURS[self._ship(), self.action - TO_TURN]))}",
            "replace": lambda: f"puts {self._named(move['card'])} in place of {self._hex(self.frame.hex)}",
            "target_seat": lambda: f"aims at player_{move['player']}",
            "delete_upload": self._deleted,
        }
        if kind in special:
            return special[kind]()
        if "card" in move:
            return _WITH_CARD[kind].format(self._named(move["card"]))
        if "direction" in move:
            return f"turns {self._turned()} to {360 // EDGES * move['direction']}°"
        return self._at_cell(_AT_CELL[kind])

    def _named(self, card_id: str) -> str:
        return name_within(self.deck.names[card_id])

    def _card(self) -> Any:
        """The card that is played or whose effect it is; a Map card that an effect lays."""
        f = self.frame
        return self.deck.cards[f.held if f.kind == CARRYING_OUT and f.held != NOTHING else f.card]

    def _card_name(self) -> str:
        return name_within(self._card().name)

    def _ship(self) -> int:
        return int(self.s.ship[self.s.player])

    def _hex(self, cell: int) -> str:
        """A hex with its coordinates: several can have one name."""
        return f"{name_within(self.deck.cards[self.s.hex[cell]].name)} {COORDINATES[cell]}"

    def _side(self) -> str:
        own = [m for m in self.deck.missions if m.file == self.s.file[self.s.player]]
        side = next(m for m in own if m.side == self.move["number"])
        return f"takes the mission {side.name.capitalize()}: {', '.join(side.points)}"

    def _collect(self) -> str:
        data = self.move["data"]
        if data is None:
            return f"Collects by the effect of {self._hex(self._ship())}"
        f = self.frame
        if data:
            data = int(collected(self.s, f.seat, f.cell, 1 + int(f.more)))
        return f"Collects {data} Data" if data else "Collects nothing"

    def _turned(self) -> str:
        return self._hex(self.frame.hex) if self.asked == "rotate" else self._card_name()

    def _deleted(self) -> str:
        seat, point = self.move["player"], self.move["point"]
        name = name_within(self.deck.cards[self.s.filled[seat, point]].name)
        return f"deletes {name}, point {point + 1} of player_{seat}"

    def _at_cell(self, words: str) -> str:
        """Cells of hexes have their names, empty ones only coordinates."""
        f, cell = self.frame, self.action - TO_CELL
        said = {"place": str(COORDINATES[cell])}
        if "{there}" in words:
            said["there"] = self._hex(cell)
        if "{here}" in words:
            said["here"] = self._hex(f.hex)
        if "{card}" in words:
            said["card"] = self._card_name()
        if "{ship}" in words:
            whose = int(f.target if self.t.code[f.pc, 3] == TARGET else f.seat)
            said["ship"] = "its ship" if whose == self.s.player else f"the ship of player_{whose}"
        return words.format(**said)
