"""Holds a deck as values: cards, Mission Files, digest."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from spacemission_env.games.planet_hexx.components.language import FILE_EFFECTS, HEX_EFFECTS, STATEMENTS

FOR_PEOPLE = ("name", "story", "origin", "effect_origin")  # what makes no other game

# A statement is a tuple of its name and its arguments as the file has them; an effect is a tuple of those.
Effect = tuple[Any, ...]


@dataclass(frozen=True)
class Surprise:
    """When a card is a Surprise: windows that it answers, and whether it is an Event on the own turn too."""

    on: tuple[str, ...]
    own_turn: bool = False


@dataclass(frozen=True)
class AltUpload:
    """Another cost at which a card can be uploaded, and whether from anywhere (HX-39)."""

    cost: Effect
    anywhere: bool = False


@dataclass(frozen=True)
class Card:
    """A kind of card. What a key of the file leaves out is empty, 0, False or None.

    `data` is the printed Data of a Planet; 0 for "X", which `x` tells, and for all others. `play` is a tuple
    of branches, each an effect; the keys that begin with `on_` are one effect each.
    """

    id: str
    name: str
    type: str
    copies: int
    data: int = 0
    x: bool = False
    walls: tuple[int, ...] = ()
    related: tuple[str, ...] = ()
    leave_roll: int = 0
    start_ban: str | None = None
    enter_if: Effect = ()
    must_stop: bool = False
    fixed: bool = False
    beside_planets: bool = False
    on_enter: Effect = ()
    on_collect: Effect = ()
    on_through: Effect = ()
    on_stop: Effect = ()
    on_start: Effect = ()
    may_collect: bool = False
    on_upload: Effect = ()
    on_turn: Effect = ()
    only_if: Effect = ()
    cost: Effect = ()
    play: tuple[Effect, ...] = ()
    surprise: Surprise | None = None
    alt_upload: AltUpload | None = None
    origin: str = "ours"
    effect_origin: str = "ours"

    @property
    def effects(self) -> tuple[Effect, ...]:
        """All of its effects, in the order in which their programs stand."""
        return (*(getattr(self, key) for key in (*HEX_EFFECTS, *FILE_EFFECTS)), *self.play)

    def to_json(self) -> dict[str, Any]:
        """The card as a deck file has it: a table without what it leaves out."""
        table: dict[str, Any] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "data":
                if self.type == "planet":
                    table["data"] = "X" if self.x else value
            elif entry.name != "x" and value != entry.default:
                table[entry.name] = _plain(value)
        return table


@dataclass(frozen=True)
class Mission:
    """A side of a Mission File: the types of its six points, and a story with blanks `{1}` to `{6}`."""

    file: int
    side: int
    name: str
    points: tuple[str, ...]
    story: str
    origin: str = "ours"
    effect_origin: str = "ours"

    def to_json(self) -> dict[str, Any]:
        """The side as a deck file has it."""
        return {
            entry.name: _plain(getattr(self, entry.name))
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        }


@dataclass(frozen=True)
class Deck:
    """A validated deck: cards in the order of the file, and the sides of the Mission Files in theirs."""

    name: str
    cards: tuple[Card, ...]
    missions: tuple[Mission, ...]

    @property
    def size(self) -> int:
        """Cards of the deck: all but the starting hexes."""
        return sum(card.copies for card in self.cards)

    @cached_property
    def names(self) -> dict[str, str]:
        return {card.id: card.name for card in self.cards}

    @cached_property
    def sha256(self) -> str:
        """Digest of all that counts for the rules: not of names, stories and origins."""
        return hashlib.sha256(
            json.dumps(
                [[_meaning(card) for card in self.cards], [_meaning(mission) for mission in self.missions]],
                sort_keys=True,
                separators=(",", ":"),
            ).encode()
        ).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The header entry of a game record: name and sha256, and else as the deck file."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "size": self.size,
            "card": [card.to_json() for card in self.cards],
            "mission": [mission.to_json() for mission in self.missions],
        }


def _meaning(part: Card | Mission) -> dict[str, Any]:
    """What a part says to the rules, in one form: each statement with all of its arguments."""
    table = {key: value for key, value in part.to_json().items() if key not in FOR_PEOPLE}
    if isinstance(part, Card):
        table |= {key: full(getattr(part, key)) for key in (*HEX_EFFECTS, *FILE_EFFECTS)}
        table["play"] = [full(branch) for branch in part.play]
    return table


def full(effect: Effect) -> list[Any]:
    """An effect with every argument of its statements, also those that the file leaves out."""
    return [[given[0], *_full_arguments(given)] for given in effect]


def _full_arguments(given: Effect) -> list[Any]:
    statement = STATEMENTS[given[0]]
    values: list[Any] = []
    for argument, value in zip(statement.arguments, statement.values(given).values(), strict=True):
        if argument.kind == "table":
            value = [[low, high, full(effect)] for low, high, effect in value]
        values.append(full(value) if argument.kind == "effect" else value)
    return values


def count_of(part: Any, name: str) -> int:
    """How many statements of a name there are in an effect, or in several."""
    if not isinstance(part, tuple):
        return 0
    return (part[:1] == (name,)) + sum(count_of(inner, name) for inner in part)


def steps(effect: Effect) -> int:
    """How many statements and rows of tables there are in an effect and within it."""
    total = 0
    for given in effect:
        statement = STATEMENTS[given[0]]
        total += 1
        for argument, value in zip(statement.arguments, statement.values(given).values(), strict=True):
            if argument.kind == "effect":
                total += steps(value)
            elif argument.kind == "table":
                total += sum(1 + steps(row[-1]) for row in value)
    return total


def _plain(value: Any) -> Any:
    """Tuples as lists, parts as tables."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Surprise):
        return {"on": _plain(value.on), "own_turn": value.own_turn}
    if isinstance(value, AltUpload):
        return {"cost": _plain(value.cost), "anywhere": value.anywhere}
    return value
