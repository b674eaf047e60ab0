"""Translates card effects to programs: rows of numbers for compiled code.

A row is an instruction (`engine/effect_codes.py`) with up to six numbers. Conditions, tables and `may` become
jumps, so that the index of a row describes the progress of an effect. Row 0 is the empty program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components.deck import Effect, split_cost
from spacemission_env.games.planet_hexx.components.language import CONDITIONS, COSTS, STATEMENTS
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTION_NAMES,
    ANY,
    ANY_TYPE,
    NOTHING,
    TYPE_NAMES,
)
from spacemission_env.games.planet_hexx.engine.effect_codes import OPS, WHAT_NAMES, WHERE_NAMES, WHO_NAMES
from spacemission_env.games.planet_hexx.engine.state import CODE, NORMAL_UPLOAD

Row = list[int]
DEEDS = {"disintegrate": codes.TO_GO, "replace_hex": codes.TO_REPLACE}
CARRIES = {"legal": codes.TO_CARRY, "any": codes.TO_CARRY_ANYWHERE}
AMOUNTS = {"roll": codes.BY_ROLL, "counters": codes.BY_COUNTERS, "printed": codes.BY_PRINTED}


class Programs:
    """The programs of a deck in one list of rows."""

    def __init__(self, kinds: dict[str, int]) -> None:
        """`kinds`: the number of each card id."""
        self.rows: list[Row] = [_row("end")]
        self.costs: list[tuple[Effect, int]] = [((), NOTHING)]  # each cost, and the program that pays it
        self._kinds = kinds
        self._onces = 0

    def add(self, effect: Effect) -> int:
        """Add an effect; return its first row."""
        start = len(self.rows)
        self._effect(effect)
        self.rows.append(_row("end"))
        return start

    def price(self, cost: Effect) -> int:
        """Add the cost of an option whose program pays it; return its row in `costs`, 0 if it is empty."""
        self.costs += [(cost, NOTHING)] if cost else []
        return len(self.costs) - 1 if cost else 0

    def add_cost(self, cost: Effect) -> int:
        """Add a cost and a program that pays it; return its row in `costs`, 0 if it is empty."""
        if not cost:
            return 0
        for row, (given, code) in enumerate(self.costs[NORMAL_UPLOAD + 1 :], NORMAL_UPLOAD + 1):
            if given == cost and code != NOTHING:
                return row
        self.costs.append((cost, self.add((("cost", *cost),))))
        return len(self.costs) - 1

    def _pay(self, costs: Effect) -> None:
        """HR-39: what any card or Action can pay comes last: it must take nothing that another cost needs."""
        full = [(given[0], *COSTS[given[0]].values(given).values()) for given in costs]
        for name, n, *kind in sorted(full, key=lambda cost: cost[2:] == (None,)):
            words, any_kind = (TYPE_NAMES, ANY_TYPE) if name == "discard" else (ACTION_NAMES, ANY)
            numbers = [any_kind if word is None else words.index(word) for word in kind]
            self.rows.append(_row(name, n, codes.YOU, *numbers))

    def _effect(self, effect: Effect) -> None:
        for i, given in enumerate(effect):
            arguments = STATEMENTS[given[0]].values(given)
            nested: dict[str, Callable[..., None]] = {
                "if": self._if,
                "may": self._may,
                "once": self._once,
                "roll_table": self._table,
                "cost": self._pay,
            }
            if given[0] in nested:
                nested[given[0]](**arguments)
            else:
                deed = _deed(effect[i + 1 :]) if given[0] == "target_hex" else codes.TO_STAY
                self.rows.append(_statement(given[0], arguments, deed))

    def condition(self, condition: Effect) -> tuple[int, int]:
        """The code of a condition, and its argument as a number."""
        name, *_ = condition
        values = CONDITIONS[name].values(condition).values()
        return codes.CONDITION_NAMES.index(name), sum(self._number(name, value) for value in values)

    def _if(self, condition: Effect, then: Effect, **rest: Effect) -> None:
        test = self._jump("if", *self.condition(condition))
        self._effect(then)
        done = self._jump("jump")
        self._land(test)
        self._effect(rest["else"])
        self._land(done)

    def _may(self, effect: Effect) -> None:
        asked = self._jump("may", self.price(split_cost(effect)[0]))
        self._effect(effect)
        self._land(asked)

    def _once(self, effect: Effect) -> None:
        """HR-34: if the effect is one `may`, only a yes uses it up."""
        number, self._onces = self._onces, self._onces + 1
        used = [self._jump("once", number)]
        if len(effect) == 1 and effect[0][0] == "may":
            (_, effect) = effect[0]
            used.append(self._jump("may", self.price(split_cost(effect)[0])))
        self.rows.append(_row("use_once", 0, number))
        self._effect(effect)
        for jump in used:
            self._land(jump)

    def _table(self, rows: Iterable[tuple[int, int, Effect]]) -> None:
        self.rows.append(_row("roll", 1))
        done = []
        for low, high, effect in rows:
            test = self._jump("range", low, high)
            self._effect(effect)
            done.append(self._jump("jump"))
            self._land(test)
        for jump in done:
            self._land(jump)

    def _number(self, condition: str, value: str | int) -> int:
        if condition == "on":
            return WHAT_NAMES.index(value)
        if condition == "on_board":
            return self._kinds[str(value)]
        return TYPE_NAMES.index(value) if condition == "top_is" else int(value)

    def _jump(self, op: str, *numbers: int) -> int:
        self.rows.append(_row(op, 0, *numbers))
        return len(self.rows) - 1

    def _land(self, jump: int) -> None:
        self.rows[jump][1] = len(self.rows)


def _row(op: str, *numbers: int) -> Row:
    return [OPS[op], *numbers, *[0] * (CODE - 1 - len(numbers))]


def _deed(following: Effect) -> int:
    """What later statements first do to a target hex: it restricts which hexes may be chosen."""
    for given in following:
        if given[0] == "target_hex":
            return codes.TO_STAY
        if given[0] == "move_hex":
            return CARRIES[STATEMENTS["move_hex"].values(given)["mode"]]
        if given[0] in DEEDS:
            return DEEDS[given[0]]
        if given[0] == "cost":
            continue
        inner = [part for part in given[1:] if isinstance(part, tuple)]
        if given[0] == "if":
            inner = list(given[2:])
        elif given[0] == "roll_table":
            inner = [effect for _, _, effect in inner]
        for effect in inner:
            if (deed := _deed(effect)) != codes.TO_STAY:
                return deed
    return codes.TO_STAY


def _statement(name: str, a: Json, deed: int) -> Row:
    """The row of a statement without nested effects."""
    if name in ("gain_action", "forbid"):
        kind = ACTION_NAMES.index(a["kind"])
        if name == "forbid":
            return _row(name, kind, WHO_NAMES.index(a["who"]))
        return _row(name, a["n"], kind)
    if name in ("relocate", "target_hex"):
        row = [WHAT_NAMES.index(a["what"]), WHERE_NAMES.index(a["where"])]
        if name == "relocate":
            return _row(name, *row, WHO_NAMES.index(a["who"]))
        return _row(name, *row, a["min"], a["max"], deed, int(a["of"] == "printed"))
    if name == "move_hex":
        return _row(name, CARRIES[a["mode"]])
    if name in ("place", "replace_hex"):
        return _row(name, int(a["mode"] == "any"))
    amount = a.get("n", 0)
    numbers = [AMOUNTS[amount] if isinstance(amount, str) else amount]
    numbers.append(WHO_NAMES.index(a["who"]) if "who" in a else 0)
    if name == "use_action":
        numbers.append(ANY)
    if "type" in a:
        numbers.append(ANY_TYPE if a["type"] is None else TYPE_NAMES.index(a["type"]))
    return _row(name, *numbers)
