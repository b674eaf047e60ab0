"""Effects of a deck file, checked against the table of statements and made into tuples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.games.planet_hexx.conditions import CONDITIONS, COSTS
from spacemission_env.games.planet_hexx.deck_parts import Effect
from spacemission_env.games.planet_hexx.language import (
    ALL_STATEMENTS,
    AMOUNTS,
    DEPTH,
    DIE,
    MOST_COSTS,
    MOST_STATEMENTS,
    REQUIRED,
    Argument,
    Statement,
)
from spacemission_env.games.planet_hexx.statements import STATEMENTS

NEEDED = {
    "target": "needs a target_seat before it",
    "hex": "needs a target_hex before it",
    "roll": "needs a roll or roll_table before it",
    "window": "needs a card with 'surprise', to answer something",
}


@dataclass
class Checks:
    """The checks of one card: where errors are, ids that may be named, and what has been counted."""

    where: str
    key: str
    map_ids: set[str] = field(default_factory=set)
    statements: int = 0

    def refuse(self, place: str, problem: str) -> ComponentsError:
        """The error to raise."""
        return ComponentsError(f"{self.where}: {place}: {problem}")

    def effect(self, value: Any, place: str, known: frozenset[str] = frozenset(), depth: int = 1) -> Effect:
        """A list of statements; `known` is what those before it have set."""
        if depth > DEPTH:
            raise self.refuse(place, f"effects more than {DEPTH} deep")
        entries = self.entries(value, place, MOST_STATEMENTS, "statements")
        statements = []
        for i, entry in enumerate(entries):
            statement, checked = self.statement(entry, f"{place}[{i}]", STATEMENTS, known, depth)
            known |= {statement.sets}
            statements.append(checked)
        self.statements += len(statements)
        if self.statements > ALL_STATEMENTS:
            raise self.refuse(place, f"more than {ALL_STATEMENTS} statements in one card")
        return tuple(statements)

    def costs(self, value: Any, place: str) -> Effect:
        """A list of costs."""
        entries = self.entries(value, place, MOST_COSTS, "costs")
        return tuple(
            self.statement(entry, f"{place}[{i}]", COSTS, frozenset(), 1)[1]
            for i, entry in enumerate(entries)
        )

    def condition(self, value: Any, place: str, known: frozenset[str] = frozenset()) -> Effect:
        """A condition."""
        return self.statement(value, place, CONDITIONS, known, 1)[1]

    def entries(self, value: Any, place: str, most: int, what: str) -> list[Any] | tuple[Any, ...]:
        """A list of so many entries at most."""
        if not isinstance(value, list | tuple):
            raise self.refuse(place, f"expected a list of {what}, not {shown(value)}")
        if len(value) > most:
            raise self.refuse(place, f"at most {most} {what}, not {len(value)}")
        return value

    def statement(
        self, entry: Any, place: str, table: dict[str, Statement], known: frozenset[str], depth: int
    ) -> tuple[Statement, Effect]:
        """A statement, condition or cost, and its tuple."""
        if not isinstance(entry, list | tuple) or not entry:
            raise self.refuse(place, f"expected a list such as {_example(table)}, not {shown(entry)}")
        statement = table.get(entry[0]) if isinstance(entry[0], str) else None
        if statement is None:
            raise self.refuse(place, f"expected one of {', '.join(table)}, not {shown(entry[0])}")
        if table is not COSTS and self.key not in statement.where:
            raise self.refuse(place, f"{statement.name} may not stand in {self.key}")
        place = f"{place}: {statement.name}"
        if statement.needs and statement.needs not in known:
            raise self.refuse(place, NEEDED[statement.needs])
        if statement.arguments and statement.arguments[0].kind == "table":
            rows = self.table(entry[1:], place, known | {statement.sets}, depth)
            return statement, (statement.name, *rows)
        fewest = sum(argument.default is REQUIRED for argument in statement.arguments)
        if not fewest <= len(entry) - 1 <= len(statement.arguments):
            raise self.refuse(place, f"is written {statement.form!r}, got {len(entry) - 1} arguments")
        values = [
            self.argument(argument, value, place, known, depth)
            for argument, value in zip(statement.arguments, entry[1:], strict=False)
        ]
        given = dict(zip([a.name for a in statement.arguments], values, strict=False))
        if "min" in given and given["min"] > given["max"]:
            raise self.refuse(place, f"min {given['min']} is above max {given['max']}")
        return statement, (statement.name, *values)

    def argument(self, argument: Argument, value: Any, place: str, known: frozenset[str], depth: int) -> Any:
        """The value of an argument."""
        if argument.kind == "effect":
            return self.effect(value, place, known, depth + 1)
        place = f"{place}: {argument.name}"
        if argument.kind == "condition":
            return self.condition(value, place, known)
        if argument.kind == "id":
            return self.map_id(value, place)
        if argument.kind == "word":
            self.word(value, place, argument.words)
            if value == "target" and "target" not in known:
                raise self.refuse(place, f"'target' {NEEDED['target']}")
            return value
        if argument.kind == "amount" and isinstance(value, str):
            self.word(value, place, AMOUNTS, f"a number from {argument.low} to {argument.high}, ")
            need = {"roll": "roll", "counters": "target"}.get(value)
            if need is not None and need not in known:
                raise self.refuse(place, f"{value!r} {NEEDED[need]}")
            return value
        return self.number(value, place, argument.low, argument.high)

    def table(self, rows: Any, place: str, known: frozenset[str], depth: int) -> list[Effect]:
        """The rows of a `roll_table`: from 1 to 6 without a gap."""
        checked = []
        next_low = 1
        for i, row in enumerate(self.entries(rows, place, DIE, "rows")):
            here = f"{place}: row {i}"
            if not isinstance(row, list | tuple) or len(row) != 3:
                raise self.refuse(here, f"expected [lowest, highest, effect], not {shown(row)}")
            low = self.number(row[0], f"{here}: lowest", next_low, next_low)
            high = self.number(row[1], f"{here}: highest", low, DIE)
            checked.append((low, high, self.effect(row[2], here, known, depth + 1)))
            next_low = high + 1
            if high == DIE and i < len(rows) - 1:
                raise self.refuse(f"{place}: row {i + 1}", f"the rows before it end with {DIE} already")
        if next_low <= DIE:
            raise self.refuse(place, f"expected rows for 1 to {DIE}, got none for {next_low}")
        return checked

    def number(self, value: Any, place: str, low: int, high: int) -> int:
        """A whole number within bounds."""
        if type(value) is not int or not low <= value <= high:
            expected = f"{low}" if low == high else f"a number from {low} to {high}"
            raise self.refuse(place, f"expected {expected}, not {shown(value)}")
        return value

    def word(self, value: Any, place: str, words: tuple[str, ...], before: str = "") -> str:
        """One of some words."""
        if not isinstance(value, str) or value not in words:
            raise self.refuse(place, f"expected {before}one of {', '.join(words)}, not {shown(value)}")
        return value

    def map_id(self, value: Any, place: str) -> str:
        """The id of a Planet or Space of this file."""
        if not isinstance(value, str) or value not in self.map_ids:
            raise self.refuse(place, f"expected the id of a planet or space of this file, not {shown(value)}")
        return value


def _example(table: dict[str, Statement]) -> str:
    return repr(next(iter(table.values())).form.split())
