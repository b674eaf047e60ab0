"""Declares decks (cards and Mission Files) with their JSON form and their digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, cast

from spacemission_env.core.game import Game
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.language import (
    CONDITIONS,
    COSTS,
    FILE_EFFECTS,
    HEX_EFFECTS,
    STATEMENTS,
    Statement,
)

FOR_PEOPLE = ("name", "story", "origin", "effect_origin")  # keys that do not change the rules

# A statement is a tuple of its name and its arguments, as in the file; an effect is a tuple of statements.
Effect = tuple[Any, ...]


@dataclass(frozen=True)
class Surprise:
    """The windows that a Surprise answers, and whether it is also an Event in its owner's turn."""

    on: tuple[str, ...]
    own_turn: bool = False


@dataclass(frozen=True)
class AltUpload:
    """An alternative upload cost, and whether it can be paid anywhere (HX-39)."""

    cost: Effect
    anywhere: bool = False


@dataclass(frozen=True)
class Card:
    """A kind of card. Keys that the file leaves out have the defaults below.

    `data` is the printed Data of a Planet, 0 for "X" (then `x` is true). `play` is a tuple of branches, each
    an effect; the keys that begin with `on_` hold one effect each.
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
        """All effects, in the order in which `components/parameters.py` compiles them."""
        return (*(getattr(self, key) for key in (*HEX_EFFECTS, *FILE_EFFECTS)), *self.play)

    def to_json(self) -> Json:
        """The card as in a deck file, without keys that have their default value."""
        table: Json = {}
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

    def to_json(self) -> Json:
        """The side as in a deck file."""
        return {
            entry.name: _plain(getattr(self, entry.name))
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        }


@dataclass(frozen=True)
class Deck:
    """A validated deck: cards in the order of the file, sides of Mission Files sorted by number."""

    name: str
    cards: tuple[Card, ...]
    missions: tuple[Mission, ...]

    def __hash__(self) -> int:
        """Hash the digest, because it is computed only once for each deck."""
        return hash(self.sha256)

    @property
    def size(self) -> int:
        """The number of cards, without the starting hexes."""
        return sum(card.copies for card in self.cards)

    @property
    def files(self) -> int:
        """The number of Mission Files."""
        return 1 + self.missions[-1].file

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of each card by its id, in the order of the cards."""
        return {card.id: card.name for card in self.cards}

    @cached_property
    def onces(self) -> list[str]:
        """The id of the card of each `once` statement, in the order in which the effects are compiled."""
        return [card.id for card in self.cards for _ in range(count_of(card.effects, "once"))]

    @cached_property
    def sha256(self) -> str:
        """The digest of all that matters for the rules, which leaves out names, stories and origins."""
        return hashlib.sha256(
            json.dumps(
                [[_meaning(card) for card in self.cards], [_meaning(mission) for mission in self.missions]],
                sort_keys=True,
                separators=(",", ":"),
            ).encode()
        ).hexdigest()

    def to_json(self) -> Json:
        """The deck as in the header of a record: the content of the deck file, and the digest."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "size": self.size,
            "files": self.files,
            "card": [card.to_json() for card in self.cards],
            "mission": [mission.to_json() for mission in self.missions],
        }


def deck_of(game: Game) -> Deck:
    """The deck of a game of Planet Hexx."""
    return cast(Deck, game.components)


def _meaning(part: Card | Mission) -> Json:
    """A card or a mission in a normal form, with only what matters for the rules."""
    table = {key: value for key, value in part.to_json().items() if key not in FOR_PEOPLE}
    if isinstance(part, Card):
        table |= {key: full(getattr(part, key)) for key in (*HEX_EFFECTS, *FILE_EFFECTS)}
        table["play"] = [full(branch) for branch in part.play]
    return table


def full(effect: Effect) -> list[object]:
    """An effect with all arguments of its statements, also those that the file leaves out."""
    return [[given[0], *_full_arguments(given)] for given in effect]


def _full_arguments(given: Effect) -> list[object]:
    statement = STATEMENTS[given[0]]
    values: list[object] = []
    for argument, value in zip(statement.arguments, statement.values(given).values(), strict=True):
        if argument.kind == "table":
            value = [[low, high, full(effect)] for low, high, effect in value]
        elif argument.kind == "costs":
            value = [[cost[0], *COSTS[cost[0]].values(cost).values()] for cost in value]
        values.append(full(value) if argument.kind == "effect" else value)
    return values


def split_cost(effect: Effect) -> tuple[Effect, Effect]:
    """The price of an option (HR-39), which may be empty, and the rest of its effect."""
    if effect and effect[0][0] == "cost":
        return effect[0][1:], effect[1:]
    return (), effect


def choice_of(card: Card) -> tuple[Effect, Effect]:
    """The condition and the price of choosing a hex's `on_collect` (HR-39); each may be empty."""
    effect, condition = card.on_collect, ()
    if not card.may_collect:
        return (), ()
    if len(effect) == 1 and effect[0][0] == "if" and effect[0][3] == ():
        condition, effect = effect[0][1], effect[0][2]
    return condition, split_cost(effect)[0]


def count_of(part: object, name: str) -> int:
    """How often a statement occurs in an effect or in a tuple of effects."""
    if not isinstance(part, tuple):
        return 0
    return (part[:1] == (name,)) + sum(count_of(inner, name) for inner in part)


def nested(given: Effect, table: Mapping[str, Statement] = STATEMENTS) -> Iterator[tuple[Statement, Effect]]:
    """Yield a statement, condition or cost that `table` declares, then all that is nested in it."""
    statement = table[given[0]]
    yield statement, given
    for argument, value in zip(statement.arguments, statement.values(given).values(), strict=True):
        if argument.kind == "condition":
            yield from nested(value, CONDITIONS)
        elif argument.kind == "costs":
            for cost in value:
                yield from nested(cost, COSTS)
        elif argument.kind in ("effect", "table"):
            for effect in [value] if argument.kind == "effect" else [row[-1] for row in value]:
                for inner in effect:
                    yield from nested(inner)


def steps(effect: Effect) -> int:
    """The number of statements and table rows in an effect, nested ones included."""
    parts = (part for given in effect for part in nested(given))
    every = [given for statement, given in parts if STATEMENTS.get(given[0]) is statement]
    return sum(len(given) if given[0] == "roll_table" else 1 for given in every)


def _plain(value: object) -> object:
    """Convert tuples to lists, and a `Surprise` or `AltUpload` to a dict."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Surprise | AltUpload):
        return {key: _plain(part) for key, part in vars(value).items()}
    return value
