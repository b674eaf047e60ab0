"""Builds the `PARAMETERS` record of compiled code from a deck and rules options."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from spacemission_env.core.errors import ComponentsError
from spacemission_env.core.rules_options import RANDOM
from spacemission_env.games.planet_hexx.components.deck import (
    Card,
    Deck,
    choice_of,
    count_of,
    split_cost,
)
from spacemission_env.games.planet_hexx.components.programs import Programs
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import layout
from spacemission_env.games.planet_hexx.engine.effect_codes import RELYING
from spacemission_env.games.planet_hexx.engine.grid import EDGES
from spacemission_env.games.planet_hexx.engine.state import MOST_CODE, MOST_COSTS, PARAMETERS
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
    for kind in range(len(kinds)):
        _write_shown(t, kind)
    t.scale[:] = 1 / layout.units()
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
    """HR-37: after so many rotations by one edge the walls lie as before; 0 without walls."""
    turned = ({(edge + turn) % EDGES for edge in walls} for turn in range(1, EDGES + 1))
    return 1 + [set(walls) == edges for edges in turned].index(True) if walls else 0


def _write_programs(t: np.record, kind: int, card: Card, programs: Programs) -> None:
    for name in PROGRAMS:
        effect = getattr(card, name)
        t[name][kind] = programs.add(effect) if effect else c.NOTHING
    if card.type == "planet":
        relying = (count_of(getattr(card, name), "collect") > 0 for name in RELYING)
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
