"""What a card says to people, made from its effects, so that they cannot differ; and the stories."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from spacemission_env.games.planet_hexx.conditions import CONDITIONS, COSTS
from spacemission_env.games.planet_hexx.deck_parts import Card, Deck, Effect, Mission
from spacemission_env.games.planet_hexx.language import ACTIONS, Statement
from spacemission_env.games.planet_hexx.phrases import (
    PHRASES,
    SUBJECTS,
    Context,
    listed,
    name_within,
    with_article,
)
from spacemission_env.games.planet_hexx.statements import STATEMENTS

_PLACE = re.compile(r"\{(\w+)\}|\[(\w+)\]")
_BLANK = re.compile(r"\{([1-6])\}")
_WINDOWS = {
    "roll": "rolls the die",
    "landed": "Lands",
    "surprise": "plays a Surprise",
    "turn_begins": "begins a turn",
    "turn_ends": "has ended their Actions",
    "stopped": "Stops on a Hex",
    "uploaded": "has Uploaded a card",
}
_WITH_ROWS = ("if", "roll_table")  # statements of several effects
_WHEN = {
    "on_enter": "When this is Played",
    "on_through": "When you Move through here",
    "on_stop": "If you Stop here",
    "on_start": "If you Start here",
    "on_upload": "When you Upload this",
    "on_turn": "While this is in your Mission File, when your turn begins",
}
NORMAL = (("collect", 1),)
NEVER = ("never",)


def card_text(deck: Deck, card: Card) -> str:
    """The text of a card, without its name, type and printed Data; "" where it says nothing."""
    parts = [*_hex_rules(deck, card)]
    if card.play:
        parts.append(_event_text(Context(deck, card, "play")))
    if card.on_collect:
        parts.append(_collect_text(Context(deck, card, "on_collect")))
    for key, when in _WHEN.items():
        if getattr(card, key):
            hex_name = "this Planet" if card.type == "planet" else "this Hex"
            context = Context(deck, card, key, hex=hex_name if key == "on_enter" else "")
            parts.append(_sentence(_when_text(when, getattr(card, key), context)))
    if card.alt_upload is not None:
        cost = _costs(card.alt_upload.cost, Context(deck, card, "alt_upload")) or "nothing"
        where = "wherever you are" if card.alt_upload.anywhere else "on a Space"
        parts.append(f"Alternative Upload cost: {cost}, {where}.")
    return " ".join(parts)


def branch_text(deck: Deck, card: Card, number: int) -> str:
    """What one branch of an Event does (HX-42)."""
    return _sentence(_sentences(card.play[number], Context(deck, card, "play")))


def _hex_rules(deck: Deck, card: Card) -> list[str]:
    said = []
    if card.beside_planets:
        said.append("Planets may lie next to this Planet.")
    if card.walls:
        always = ", always in the same directions" if card.fixed else ""
        said.append(f"Walls on {len(card.walls)} edge{'s' * (len(card.walls) > 1)}{always}.")
    if card.enter_if == NEVER:
        said.append("No Ship may Move onto this Hex.")
    elif card.enter_if:
        context = Context(deck, card, "enter_if")
        said.append(f"You may Move onto this Hex only if {_condition(card.enter_if, context)}.")
    if card.must_stop:
        said.append("Your Move ends when you Move onto this Hex.")
    if card.leave_roll:
        said.append(f"You leave here only with a Move roll of {card.leave_roll} or more.")
    if card.start_ban is not None:
        said.append(f"You may take no {card.start_ban.capitalize()} Action here.")
    return said


def _collect_text(context: Context) -> str:
    """The blue text: what there is instead of the normal Collecting (HX-30)."""
    effect, instead = context.card.on_collect, "instead of Collecting 1 Data here"
    if not context.card.may_collect:
        return _sentence(_after(instead, _one_sentence(effect, context)))
    when = ""
    if len(effect) == 1 and effect[0][0] == "if" and effect[0][3] in (NORMAL, ()):
        when, effect = f"if {_condition(effect[0][1], context)}, ", effect[0][2]
    if len(effect) == 1 and effect[0][0] == "collect":
        return _sentence(f"{when}you may {_clause(effect[0], context)} here instead of 1")
    if effect and effect[0][0] in _WITH_ROWS:
        return _sentence(f"{instead}, {_you_may(effect, context)}")
    return _sentence(f"{when}{_you_may(effect, context)} {instead}")


def _when_text(when: str, effect: Effect, context: Context) -> str:
    """An effect of a card with what triggers it."""
    while len(effect) == 1 and effect[0][0] == "if" and effect[0][3] == ():
        when, effect = f"{when} and {_condition(effect[0][1], context)}", effect[0][2]
    if len(effect) == 1 and effect[0][0] == "once":
        when, effect = f"{when}, once per turn", effect[0][1]
    if len(effect) == 1 and effect[0][0] == "may":
        return f"{when}, {_you_may(effect[0][1], context)}"
    return _after(when, _one_sentence(effect, context))


def _after(when: str, said: str) -> str:
    return f"{when}{':' if said.startswith('if ') else ','} {said}"


def _you_may(effect: Effect, context: Context) -> str:
    """An effect that a player may have: "you may draw a card"."""
    context = context.but(may=True)
    said = _inline(effect, context) if len(effect) > 1 else _sentences(effect, context)
    others = said.startswith(("if ", *(f"{subject} " for subject in SUBJECTS.values())))
    return f"you may do this: {said}" if others else f"you may {said}"


def _one_sentence(effect: Effect, context: Context) -> str:
    """An effect that what comes before it belongs to as a whole."""
    return (
        "; ".join(_clauses(effect, context.but(inline=True)))
        if len(effect) > 1
        else _sentences(effect, context)
    )


def _event_text(context: Context) -> str:
    card = context.card
    branches = [_sentence(_sentences(branch, context)) for branch in card.play]
    said = " OR: ".join(branches)
    if card.surprise is not None:
        own = ", or an Event on your own turn" if card.surprise.own_turn else ""
        said = f"Surprise, when another player {_windows(card.surprise.on)}{own}: {said[0].lower()}{said[1:]}"
    cost = _costs(card.cost, context)
    if cost:
        said = f"{_upper(cost)} to Play this. {said}"
    return f"Play this only if {_condition(card.only_if, context)}. {said}" if card.only_if else said


def _windows(on: tuple[str, ...]) -> str:
    actions = [window.capitalize() for window in on if window in ACTIONS]
    said = [f"declares {with_article(listed(actions))} Action"] if actions else []
    return listed(said + [_WINDOWS[window] for window in on if window in _WINDOWS])


def _costs(costs: Effect, context: Context) -> str:
    return listed([_fill(COSTS[cost[0]], cost, context) for cost in costs], "and")


def _condition(condition: Any, context: Context) -> str:
    return _fill(CONDITIONS[condition[0]], condition, context)


def _clauses(effect: Effect, context: Context) -> list[str]:
    """Each statement of an effect, in a context that knows what came before."""
    said, noun = [], "Hex"
    for statement in effect:
        said.append(_clause(statement, context))
        if STATEMENTS[statement[0]].sets == "hex":
            noun = "Planet" if statement[1] == "planet" else "Hex"
            context = context.but(hex="it")
        elif context.hex == "it":
            context = context.but(hex=f"that {noun}")
    return said


def _sentences(effect: Effect, context: Context) -> str:
    """An effect as sentences; the first begins small and the last has no full stop."""
    said = ""
    before = ""
    for statement, clause in zip(effect, _clauses(effect, context), strict=True):
        if before:
            joined = STATEMENTS[before].sets and before not in _WITH_ROWS and statement[0] not in _WITH_ROWS
            after = "after that, " if before == "roll_table" else ""
            said += f"; {clause}" if joined else f". {_upper(after + clause)}"
        else:
            said = clause
        before = statement[0]
    return said or "nothing happens"


def _inline(effect: Effect, context: Context) -> str:
    """An effect as part of a sentence."""
    clauses = _clauses(effect, context.but(inline=True))
    if not clauses:
        return "nothing happens"
    said = clauses[0]
    for i, clause in enumerate(clauses[1:], 1):
        last = i == len(clauses) - 1
        said += f"{' and' if last and not clause.startswith('you may') else ','} {clause}"
    return said


def _clause(statement: Effect, context: Context) -> str:
    said = _fill(STATEMENTS[statement[0]], statement, context)
    return f"({said})" if context.inline and statement[0] == "if" and statement[3] else said


def _fill(statement: Statement, given: Effect, context: Context) -> str:
    """The words of a statement with its phrases filled in and its verb bent."""
    values = statement.values(given)

    def put(place: re.Match[str]) -> str:
        name, verb = place.groups()
        if verb:
            return _bent(verb, values.get("who", "you"))
        deeper = _DEEPER.get((statement.name, name))
        return deeper(values, context) if deeper else PHRASES[name](values, context)

    return _PLACE.sub(put, statement.words)


def _bent(verb: str, who: str) -> str:
    if who == "you":
        return verb
    return f"they {verb}" if who == "target" else f"{SUBJECTS[who]} {verb}s"


def _rows(values: dict[str, Any], context: Context) -> str:
    rows = [
        f"{low if low == high else f'{low}–{high}'}: {_inline(effect, context)}"
        for low, high, effect in values["rows"]
    ]
    return f" ({'; '.join(rows)})" if context.inline else f". {'. '.join(rows)}"


def _otherwise(values: dict[str, Any], context: Context) -> str:
    return f"; otherwise, {_inline(values['else'], context)}" if values["else"] else ""


_DEEPER = {
    ("roll_table", "rows"): _rows,
    ("if", "condition"): lambda values, context: _condition(values["condition"], context),
    ("if", "then"): lambda values, context: _inline(values["then"], context),
    ("if", "otherwise"): _otherwise,
    ("once", "effect"): lambda values, context: _inline(values["effect"], context),
    ("may", "effect"): lambda values, context: _inline(values["effect"], context.but(may=True)),
}


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_upper(text)}."


def story(mission: Mission, names: Sequence[str | None] | None = None) -> str:
    """The story with the names of the uploaded cards in its blanks; `[Alien]` where there is none yet."""
    names = names or [None] * len(mission.points)

    def put(blank: re.Match[str]) -> str:
        point = int(blank[1]) - 1
        name = names[point]
        if name is None:
            return f"[{mission.points[point].capitalize()}]"
        before = mission.story[: blank.start()].rstrip()
        return name if not before or before[-1] in ".!?" else name_within(name)

    return _BLANK.sub(put, mission.story)
