"""Builds the `PARAMETERS` record for compiled code from a deck and rules options.

Each card effect becomes a program, which is a list of rows of numbers. A row is an instruction
(`engine/effect_codes.py`) with up to six numbers. Conditions, tables and `may` become jumps, so the index of
the current row tells how far an effect has got. Row 0 is the empty program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from spacemission_env.core.errors import ComponentsError
from spacemission_env.core.layout import scale_of
from spacemission_env.core.reading import Json
from spacemission_env.core.rules_options import RANDOM
from spacemission_env.games.planet_hexx.components.deck import (
    Card,
    Deck,
    Effect,
    choice_of,
    count_of,
    split_cost,
)
from spacemission_env.games.planet_hexx.components.language import CONDITIONS, COSTS, STATEMENTS
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine import layout
from spacemission_env.games.planet_hexx.engine.grid import EDGES
from spacemission_env.games.planet_hexx.engine.state import (
    CODE,
    MOST_CODE,
    MOST_COSTS,
    NORMAL_UPLOAD,
    PARAMETERS,
)
from spacemission_env.games.planet_hexx.options import Rules

ICONS = ("collect", "through", "stop", "start")
PROGRAMS = ("on_enter", *(f"on_{name}" for name in ICONS), "on_upload", "on_turn")


@lru_cache(maxsize=16)
def make_parameters(deck: Deck, rules: Rules) -> np.ndarray:
    """The read-only `PARAMETERS` record, shape (1,), of a deck and rules options."""
    parameters = np.zeros(1, PARAMETERS)
    t: np.record = parameters[0]
    kinds = {card.id: kind for kind, card in enumerate(deck.cards)}
    programs = Programs(kinds)
    t.kinds = len(kinds)
    if deck.size > c.MOST_CARDS:
        raise ComponentsError(f"components: expected at most {c.MOST_CARDS} cards, got {deck.size}")
    t.space_base, t.delta_colony = kinds["space_base"], kinds["delta_colony"]
    upload = (("expend", rules.upload_cost),) if rules.upload_cost else ()
    programs.costs.append((upload, programs.add((("cost", *upload),))))  # row NORMAL_UPLOAD
    for kind, card in enumerate(deck.cards):
        _write_card(t, kind, card)
        _write_programs(t, kind, card, programs)
        t.alt_cost[kind] = c.NOTHING
        if card.alt_upload is not None:
            t.alt_cost[kind] = programs.add_cost(card.alt_upload.cost)
            t.alt_anywhere[kind] = card.alt_upload.anywhere
        for other in card.related:
            t.related[kind, kinds[other]] = 1
    for mission in deck.missions:
        points = [c.TYPE_NAMES.index(point) for point in mission.points]
        t.missions[mission.file, mission.side] = points
    if len(programs.rows) > MOST_CODE:
        raise ComponentsError(f"components: expected at most {MOST_CODE} steps of effects in all")
    t.code[: len(programs.rows)] = programs.rows
    _write_costs(t, programs)
    t.scale[:] = scale_of(layout.LAYOUT, {})
    for kind in range(len(kinds)):
        _write_shown(t, kind)
    t.windows = int(np.bitwise_or.reduce(t.answers[: len(kinds)]))
    for name, value in rules.to_json().items():
        t[name] = c.NOBODY if value == RANDOM else value
    t.files = deck.files
    return np.frombuffer(parameters.tobytes(), PARAMETERS)


def _write_costs(t: np.record, programs: Programs) -> None:
    """Write the rows of `PARAMETERS.costs`; row 0 costs nothing."""
    if len(programs.costs) > MOST_COSTS:
        raise ComponentsError(f"components: expected at most {MOST_COSTS} costs in all")
    for entry, (cost, code) in zip(t.costs, programs.costs, strict=False):
        entry.code = code
        for name, number, *wanted in cost:
            if name == "expend":
                entry.expend += number
            elif name == "use_action":
                entry.actions += number
                if wanted != []:
                    entry.kinds[c.ACTION_NAMES.index(wanted[0])] += number
            else:
                kind = c.TYPE_NAMES.index(wanted[0]) if wanted else c.ANY_TYPE
                entry.cards[kind] += number
                entry.discards += number


def _write_card(t: np.record, kind: int, card: Card) -> None:
    t.type[kind] = c.TYPE_NAMES.index(card.type)
    t.copies[kind] = card.copies
    t.printed[kind] = card.data
    t.walls[kind] = sum(1 << edge for edge in card.walls)
    is_map = card.type in ("planet", "space")
    planet = c.SOCIABLE if card.beside_planets else c.PLAIN
    t.placing[kind] = (c.LOOSE if card.type == "space" else planet) if is_map else c.NOTHING
    t.leave_roll[kind] = card.leave_roll
    t.start_ban[kind] = 0 if card.start_ban is None else 1 << c.ACTION_NAMES.index(card.start_ban)
    t.must_stop[kind] = card.must_stop
    t.turns[kind] = 0 if card.fixed else _turns(card.walls)
    t.may_collect[kind] = card.may_collect
    t.answers[kind] = 0
    t.own_turn[kind] = not is_map
    if card.surprise is not None:
        t.answers[kind] = sum(1 << c.WINDOW_NAMES.index(name) for name in card.surprise.on)
        t.own_turn[kind] = card.surprise.own_turn


def _turns(walls: tuple[int, ...]) -> int:
    """HR-37: the number of rotations by one edge after which the walls lie as before; 0 without walls."""
    turned = ({(edge + turn) % EDGES for edge in walls} for turn in range(1, EDGES + 1))
    return 1 + [set(walls) == edges for edges in turned].index(True) if walls else 0


def _write_programs(t: np.record, kind: int, card: Card, programs: Programs) -> None:
    for name in PROGRAMS:
        effect = getattr(card, name)
        t[name][kind] = programs.add(effect) if effect else c.NOTHING
    if card.type == "planet":
        relying = (count_of(getattr(card, name), "collect") > 0 for name in codes.RELYING)
        t.relies[kind] = sum(relies << bit for bit, relies in enumerate(relying))
    for name in ("only_if", "enter_if"):
        condition = getattr(card, name)
        t[name][kind] = programs.condition(condition) if condition else c.NOTHING
    condition, price = choice_of(card)
    t.collect_if[kind] = programs.condition(condition) if condition else c.NOTHING
    t.collect_cost[kind] = programs.price(price)
    t.branches[kind] = len(card.play)
    t.copies_event[kind] = count_of(card.play, "copy") > 0
    for b, branch in enumerate(card.play):
        price, effect = split_cost(branch)
        t.cost[kind, b] = programs.add_cost(card.cost + price)
        t.play[kind, b] = programs.add(effect)


def _write_shown(t: np.record, kind: int) -> None:
    """Write the features of a card for observations: in a hand, and as a hex on the board."""
    is_map = t.placing[kind] != c.NOTHING
    branches = t.costs[t.cost[kind, : max(1, t.branches[kind])]]
    alt = t.alt_cost[kind]
    conditions = [name for name in ("enter_if", "only_if") if t[name][kind, 0] != c.NOTHING]
    shown = {name: int(t.type[kind] == number) for number, name in enumerate(c.TYPE_NAMES)}
    shown |= {name: int(t[f"on_{name}"][kind] != c.NOTHING) for name in ("enter", *ICONS)}
    shown |= {f"answers_{w}": int(t.answers[kind]) >> w & 1 for w in range(len(c.WINDOW_NAMES))}
    shown |= {
        "printed": int(t.printed[kind]),
        "walls": int(t.walls[kind]).bit_count(),
        "beside_planets": int(t.placing[kind] == c.SOCIABLE),
        "restricts": int(
            max(t.leave_roll[kind], t.start_ban[kind], t.must_stop[kind]) > 0 or bool(conditions)
        ),
        "branches": int(t.branches[kind]),
        "cost_data": int(branches["expend"].min()),
        "cost_actions": int(branches["actions"].min()),
        "cost_cards": int(branches["discards"].min()),
        "own_turn": int(t.own_turn[kind]),
        "alt_upload": int(alt != c.NOTHING),
        "alt_anywhere": int(t.alt_anywhere[kind]),
        "alt_data": 0 if alt == c.NOTHING else int(t.costs[alt].expend),
    }
    for name, unit in layout.CARD_FEATURES:
        t.card_shown[kind, layout.CARD[name]] = min(shown.get(name, 0), unit)
    if is_map:
        shown["kind"] = 1 + kind
        on_board = ("planet", "space", "printed", "kind", *ICONS)
        cell = [min(shown[name], unit) if name in on_board else 0 for name, unit in layout.CELL_FEATURES]
        t.cell_words[kind] = layout.cell_words(cell)
        t.cell_pairs[kind] = layout.cell_pairs(cell)


# ---------------------------------------------------------------- programs of effects

Row = list[int]
DEEDS = {"disintegrate": codes.TO_GO, "replace_hex": codes.TO_REPLACE}
CARRIES = {"legal": codes.TO_CARRY, "any": codes.TO_CARRY_ANYWHERE}
# For each argument: its words (the number of a word is its index), and the number that means no word.
WORDS: dict[str, tuple[tuple[str, ...], int]] = {
    "who": (codes.WHO_NAMES, 0),
    "what": (codes.WHAT_NAMES, 0),
    "where": (codes.WHERE_NAMES, 0),
    "type": (c.TYPE_NAMES, c.ANY_TYPE),
    "kind": (c.ACTION_NAMES, c.ANY),
    "mode": (("legal", "any"), 0),
    "of": (("data", "printed"), 0),
}
# The argument in each column of a row, where the columns are not all arguments in order; "" gives a 0.
COLUMNS = {
    "show_hand": ("", "who"),
    "recover": ("", "", "type"),
    "gain_action": ("n", "kind"),
    "use_action": ("n", "who", "kind"),
    "target_seat": ("", "who"),
    "target_hex": ("what", "where", "min", "max", "deed", "of"),
    "upload_now": ("", "", "type"),
    "delete_upload": ("", "who"),
}
AMOUNTS = {"roll": codes.BY_ROLL, "counters": codes.BY_COUNTERS, "printed": codes.BY_PRINTED}


class Programs:
    """The programs of a deck in one list of rows."""

    def __init__(self, kinds: dict[str, int]) -> None:
        """`kinds`: the number of each card, by its id."""
        self.rows: list[Row] = [_row("end")]
        self.costs: list[tuple[Effect, int]] = [((), c.NOTHING)]  # each cost, and the program that pays it
        self._kinds = kinds
        self._onces = 0

    def add(self, effect: Effect) -> int:
        """Add an effect; return its first row."""
        start = len(self.rows)
        self._effect(effect)
        self.rows.append(_row("end"))
        return start

    def price(self, cost: Effect) -> int:
        """Add a cost that an option itself pays; return the cost's row in `costs`, or 0 if it is empty."""
        self.costs += [(cost, c.NOTHING)] if cost else []
        return len(self.costs) - 1 if cost else 0

    def add_cost(self, cost: Effect) -> int:
        """Add a cost and a program that pays it; return the cost's row in `costs`, or 0 if it is empty."""
        if not cost:
            return 0
        for row, (given, code) in enumerate(self.costs[NORMAL_UPLOAD + 1 :], NORMAL_UPLOAD + 1):
            if given == cost and code != c.NOTHING:
                return row
        self.costs.append((cost, self.add((("cost", *cost),))))
        return len(self.costs) - 1

    def _pay(self, costs: Effect) -> None:
        """HR-39: pay last the costs that any card or Action can pay, so that these leave what others need."""
        full = [(cost[0], COSTS[cost[0]].values(cost)) for cost in costs]
        for name, given in sorted(full, key=lambda cost: None in cost[1].values()):
            self.rows.append(self._statement(name, {"n": 0, "who": "you"} | given))

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
                if given[0] == "target_hex":
                    arguments["deed"] = _deed(effect[i + 1 :])
                self.rows.append(self._statement(given[0], arguments))

    def condition(self, condition: Effect) -> tuple[int, int]:
        """The code of a condition, and its argument as a number."""
        name, *_ = condition
        numbers = (self.number(*given) for given in CONDITIONS[name].values(condition).items())
        return codes.CONDITION_NAMES.index(name), sum(numbers)

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
        """HR-34: if the effect is a single `may`, only the answer yes uses up the `once`."""
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

    def number(self, argument: str, value: Any) -> int:
        """An argument as a number."""
        if argument in WORDS:
            words, missing = WORDS[argument]
            return missing if value is None else words.index(value)
        return self._kinds[value] if argument == "id" else int(AMOUNTS.get(value, value))

    def _statement(self, name: str, given: Json) -> Row:
        """The row of a statement without nested effects."""
        if name == "move_hex":
            return _row(name, CARRIES[given["mode"]])
        return _row(name, *(self.number(a, given.get(a)) if a else 0 for a in COLUMNS.get(name, given)))

    def _jump(self, op: str, *numbers: int) -> int:
        self.rows.append(_row(op, 0, *numbers))
        return len(self.rows) - 1

    def _land(self, jump: int) -> None:
        self.rows[jump][1] = len(self.rows)


def _row(op: str, *numbers: int) -> Row:
    return [codes.OPS[op], *numbers, *[0] * (CODE - 1 - len(numbers))]


def _deed(following: Effect) -> int:
    """The first thing that later statements do to a target hex; only hexes that allow it may be chosen."""
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
