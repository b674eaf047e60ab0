"""Reads cards and Mission Files from the deck file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

Json = dict[str, Any]  # a table of a deck file
Statement = list[Any]
Program = list[Statement]

ROOT = Path(__file__).parents[3]
DECK_FILE = ROOT / "spacemission_env" / "games" / "planet_hexx" / "data" / "deck.toml"
TINY_FILE = DECK_FILE.with_name("tiny.toml")
OWN_FILE = ROOT / "tests" / "support" / "planet_hexx_deck.toml"  # its cards never change
TYPES = ("alien", "dilemma", "object", "planet", "space")
DOUBLED = ["dilemma"] * 4 + ["alien"] * 3 + ["object"] * 3 + ["planet"] * 3 + ["space"] * 3
FILES = 8


def words(program: object) -> list[str]:
    """The words of all statements in an effect, nested ones included."""
    if not isinstance(program, list):
        return []
    first = program[:1] if program and isinstance(program[0], str) else []
    return first + [word for part in program for word in words(part)]


def priced(program: Program) -> tuple[Program, Program]:
    """The price of an option (HR-39), and the rest of its effect."""
    first, rest = program[:1], program[1:]
    return (first[0][1:], rest) if first and first[0][0] == "cost" else ([], program)


def numbered(part: object, numbers: Iterator[int]) -> object:
    """A part of a card with a number appended to each `once`."""
    if isinstance(part, dict):
        return {key: numbered(value, numbers) for key, value in part.items()}
    if not isinstance(part, list):
        return part
    inside = [numbered(each, numbers) for each in part]
    return [*inside, next(numbers)] if part[:1] == ["once"] else inside


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of card."""

    number: int
    id: str
    type: str
    copies: int
    data: int = 0
    walls: frozenset[int] = frozenset()
    related: tuple[str, ...] = ()
    leave_roll: int = 0
    start_ban: str | None = None
    beside_planets: bool = False
    enter_if: Statement | None = None
    must_stop: bool = False
    fixed: bool = False
    icons: dict[str, Program] = field(default_factory=dict)
    may_collect: bool = False
    only_if: Statement | None = None
    cost: Program = field(default_factory=list)
    branches: list[Program] = field(default_factory=list)
    answers: tuple[str, ...] = ()
    own_turn: bool = False
    other_cost: Program | None = None
    anywhere: bool = False
    on_upload: Program = field(default_factory=list)
    on_turn: Program = field(default_factory=list)

    @property
    def is_map(self) -> bool:
        return self.type in ("planet", "space")

    @property
    def is_surprise(self) -> bool:
        return bool(self.answers)

    def price(self, branch: Program) -> Program:
        """HR-39: what Playing a branch costs."""
        return self.cost + priced(branch)[0]

    @property
    def copies_another(self) -> bool:
        return "copy" in words(self.branches)


@dataclass(eq=False)
class Card:
    """One card; `known`: to all seats; `epoch`: number of shuffles before it was drawn."""

    kind: Kind
    known: bool = False
    epoch: int = 0


ICONS = ("on_enter", "on_collect", "on_through", "on_stop", "on_start")


def read_kind(number: int, row: Json) -> Kind:
    surprise = row.get("surprise", {})
    alternative = row.get("alt_upload", {})
    data = row.get("data", 0)
    return Kind(
        number,
        row["id"],
        row["type"],
        row["copies"],
        data=0 if data == "X" else data,
        walls=frozenset(row.get("walls", ())),
        related=tuple(row.get("related", ())),
        leave_roll=row.get("leave_roll", 0),
        start_ban=row.get("start_ban"),
        beside_planets=row.get("beside_planets", False),
        enter_if=row.get("enter_if"),
        must_stop=row.get("must_stop", False),
        fixed=row.get("fixed", False),
        icons={icon: row[icon] for icon in ICONS if icon in row},
        may_collect=row.get("may_collect", False),
        only_if=row.get("only_if"),
        cost=row.get("cost", []),
        branches=row.get("play", []),
        answers=tuple(surprise.get("on", ())),
        own_turn=surprise.get("own_turn", False),
        other_cost=alternative.get("cost"),
        anywhere=alternative.get("anywhere", False),
        on_upload=row.get("on_upload", []),
        on_turn=row.get("on_turn", []),
    )


def sides_without_stories() -> dict[tuple[int, int], list[str]]:
    """Sides for a deck file without sides: each type once, one type twice."""
    sides = {}
    for place, doubled in enumerate(DOUBLED):
        sides[divmod(place, 2)] = sorted([*TYPES, doubled], key=TYPES.index)
    return sides


class Deck:
    """A deck file: kinds of cards, and the types of mission points by (file, side) (HX-2)."""

    def __init__(self, data: Json) -> None:
        onces = count()
        cards = [numbered(row, onces) for row in data["card"]]
        self.kinds = [read_kind(number, row) for number, row in enumerate(cards)]
        self.by_id = {kind.id: kind for kind in self.kinds}
        rows = data.get("mission", [])
        self.sides = {(row["file"], row["side"]): list(row["points"]) for row in rows}
        if not rows:
            self.sides = sides_without_stories()


@cache
def rows_of(file: Path) -> Json:
    """The table of a deck file."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def shipped() -> Deck:
    """The deck that ships."""
    return Deck(rows_of(DECK_FILE))


def with_changes(data: Json, changes: Mapping[str, Json]) -> Json:
    """A deck file with changed keys of some cards; None removes a key."""
    if not changes:
        return data
    rows = [dict(row) | dict(changes.get(row["id"], {})) for row in data["card"]]
    return data | {"card": [{k: v for k, v in row.items() if v is not None} for row in rows]}
