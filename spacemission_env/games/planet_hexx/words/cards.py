"""Writes card texts from card effects, and mission stories from uploaded cards."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components import language as lang
from spacemission_env.games.planet_hexx.components.deck import Card, Deck, Effect, Mission, split_cost
from spacemission_env.games.planet_hexx.engine.constants import MOST_DATA

SUBJECTS = {
    "you": "you",
    "target": "they",
    "active": "the active player",
    "all": "each player",
    "others": "each other player",
}
ANYONES = {"all": "any player's", "others": "another player's"}  # if the effect chooses one of these seats
# Keys of a card whose effects are not about the hex under the ship.
AWAY = ("play", "only_if", "enter_if", *lang.FILE_EFFECTS)
ON_PLANET = "the Planet you are on"
NOUNS = {"hex": "Hex", "planet": "Planet", "space": "Space", "walled": "Hex with walls"}


@dataclass(frozen=True)
class Context:
    """The place of a statement in a card's text.

    Attributes:
        deck, card, key: the deck, the card, and the key of the card that holds the effect.
        may: whether the sentence already says "you may".
        inline: whether the statement becomes a part of a sentence.
        hex: words for the target hex, such as "it"; "" without a target hex.
    """

    deck: Deck
    card: Card
    key: str
    may: bool = False
    inline: bool = False
    hex: str = ""


def without_article(name: str) -> str:
    article, _, rest = name.partition(" ")
    return rest if rest and article in ("A", "An", "The") else name


def name_within(name: str) -> str:
    """A card's name inside a sentence: the article is in lower case."""
    return name if name == without_article(name) else name[0].lower() + name[1:]


def with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"


def listed(parts: list[str], word: str = "or") -> str:
    """Join parts: "a, b or c"."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def some(n: int | str, noun: str) -> str:
    """An amount: "a card", "2 cards", "that many cards"."""
    if n == "roll":
        return f"that many {noun}s"
    if n == "counters":
        return f"{with_article(noun)} for each of their Snooger counters"
    if n == "printed":
        return f"as many {noun}s as the Data printed there"
    return with_article(noun) if n == 1 else f"{n} {noun}s"


def _data(values: Json, context: Context) -> str:
    special = {
        "roll": "that much Data",
        "counters": "1 Data for each of their Snooger counters",
        "printed": "as much Data as is printed there",
    }
    return special.get(values["n"]) or f"{values['n']} Data"


def _noun(values: Json) -> str:
    return values["type"].capitalize() if values.get("type") else "card"


def _actions(values: Json, context: Context) -> str:
    kind = values.get("kind", "any")
    return some(values["n"], "Action" if kind == "any" else f"{kind.capitalize()} Action")


def _more_actions(values: Json, context: Context) -> str:
    kind = f"{values['kind'].capitalize()} " if values.get("kind") else ""
    return f"{values['n']} more {kind}Action{'s' * (values['n'] > 1)}"


def _hexes(values: Json, context: Context) -> str:
    if isinstance(values["n"], str):
        return some(values["n"], "Hex").replace("Hexs", "Hexes")
    return f"{values['n']} Hex{'es' * (values['n'] > 1)} without rolling"


def _whose(values: Json, context: Context) -> str:
    who = values["who"]
    return {"you": "your", "target": "their"}.get(who) or f"{SUBJECTS[who]}'s"


def _there(values: Json, context: Context) -> str:
    noun = NOUNS[values["what"]]
    if values["where"] == "linked":
        return _related(values, context) or f"a related {noun}"
    which = {"anywhere": "any", "elsewhere": "another", "adjacent": "a neighbouring"}
    return f"{which[values['where']]} {noun}"


def _related(values: Json, context: Context) -> str:
    """Names of the related hexes; "" if the effect also works while the ship is on another hex."""
    if context.key in (*AWAY, "on_enter") or values.get("who", "you") != "you":
        return ""
    names = []
    for card in context.deck.cards:
        if card.id in context.card.related and values["what"] in ("hex", card.type):
            within = name_within(card.name)
            names.append(f"another {within.removeprefix('a ')}" if card.id == context.card.id else within)
    return listed(names) if names else ""


def _a_hex(values: Json, context: Context) -> str:
    noun = NOUNS[values["what"]]
    low, high = values["min"], values["max"]
    if low > 0 or high < MOST_DATA:
        both = low > 0 and high < MOST_DATA
        data = f"{low} to {high}" if both else f"at {'least' if low else 'most'} {low or high}"
        printed = "printed " * (values["of"] == "printed")
        noun += f" {'and ' if 'with' in noun else ''}with {data if low < high else low} {printed}Data"
    where = values["where"]
    if where == "linked":
        return _related(values, context) or f"a related {noun}"
    if where == "elsewhere":
        return f"{with_article(noun)} that you are not on"
    return f"a neighbouring {noun}" if where == "adjacent" else with_article(noun)


def _planet(values: Json, context: Context) -> str:
    if context.hex:
        return context.hex
    return ON_PLANET if context.key in AWAY else "this Planet"


def _modify_collect(values: Json, context: Context) -> str:
    change = f"{abs(values['n'])} Data {'less' if values['n'] < 0 else 'more'}"
    verb = "Collect" if values["who"] in ("you", "target") else "Collects"
    surprise = context.card.surprise
    if surprise is None or "landed" not in surprise.on:
        return f"{SUBJECTS[values['who']]} {verb} {change} each time this turn"
    also = surprise.own_turn or len(surprise.on) > 1
    return f"that Planet gives {change} this time{' (or each time you Collect this turn)' * also}"


def _modify(values: Json, context: Context) -> str:
    n = values["n"]
    change, link = (f"subtract {-n}", "from") if n < 0 else (f"add {n}", "to")
    surprise = context.card.surprise
    if surprise is None or "roll" not in surprise.on:
        return f"{change} {link} your Move rolls this turn"
    also = f" (or {link} your Move rolls this turn)" if surprise.own_turn or len(surprise.on) > 1 else ""
    return f"{change} {link} that roll{also}"


PHRASES: dict[str, Callable[[Json, Context], str]] = {
    "data": _data,
    "cards": lambda values, _: some(values["n"], _noun(values)),
    "card": lambda values, _: with_article(_noun(values)),
    "few_cards": lambda values, _: "card" if values["n"] == 1 else f"{values['n']} cards",
    "actions": _actions,
    "more_actions": _more_actions,
    "counters": lambda values, _: some(values["n"], "Snooger counter"),
    "hexes": _hexes,
    "kind": lambda values, _: values["kind"].capitalize(),
    "subject": lambda values, _: SUBJECTS[values["who"]],
    "own": lambda values, _: "your" if values["who"] == "you" else "their",
    "whose": _whose,
    "anyones": lambda values, context: ANYONES.get(values["who"]) or _whose(values, context),
    "a_player": lambda values, _: "another player" if values["who"] == "others" else "a player",
    "there": _there,
    "a_hex": _a_hex,
    "hex": lambda _, context: context.hex,
    "planet": _planet,
    "here": lambda _, context: ON_PLANET if context.key in (*AWAY, "on_enter") else "this Planet",
    "what": lambda values, _: NOUNS[values["what"]],
    "id": lambda values, context: name_within(context.deck.names[values["id"]]),
    "may": lambda _, context: "" if context.may else "you may ",
    "a_place": lambda values, _: (
        "another legal place" if values["mode"] == "legal" else "any other place next to a Hex"
    ),
    "a_map_hex": lambda values, _: f"{'any' if values['mode'] == 'any' else 'a legal'} Map Hex",
    "beside": lambda values, _: ", next to any Hex" if values["mode"] == "any" else "",
    "modify": _modify,
    "modify_collect": _modify_collect,
    "n": lambda values, _: str(values["n"]),
}


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
_WITH_ROWS = ("if", "roll_table")  # statements that contain several effects
_WHEN = {
    "on_enter": "When this is Played",
    "on_through": "When you Move through here",
    "on_stop": "If you Stop here",
    "on_start": "If you Start here",
    "on_upload": "When you Upload this",
    "on_turn": "While this is in your Mission File, when your turn begins",
}
NORMAL = (("collect", 1),)  # Collecting without an `on_collect` effect
NEVER = ("never",)


def card_text(deck: Deck, card: Card) -> str:
    """The text of a card without its name, type and printed Data; may be empty."""
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
    """The text of one branch of an Event (HX-42)."""
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
    """The text printed in blue: the effect that replaces normal Collecting (HX-30)."""
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
    """An optional effect: "you may draw a card"."""
    context = replace(context, may=True)
    cost, effect = split_cost(effect)
    said = _inline(effect, context) if len(effect) > 1 else _sentences(effect, context)
    if cost:
        return f"you may {_priced(cost, said, context)}"
    return f"you may do this: {said}" if _is_sentence(said) else f"you may {said}"


def _is_sentence(said: str) -> bool:
    """Whether words begin with a subject or a condition, so that "to" cannot stand before them."""
    return said.startswith(("if ", "nothing ", *(f"{subject} " for subject in SUBJECTS.values())))


def _priced(cost: Effect, said: str, context: Context) -> str:
    """An effect with its price (HR-39): "discard a card to draw 2 cards"."""
    whole = _is_sentence(said) or ". " in said or "; " in said
    return f"{_costs(cost, context)} to {'do this: ' * whole}{said}"


def _one_sentence(effect: Effect, context: Context) -> str:
    if len(effect) > 1:
        return "; ".join(_clauses(effect, replace(context, inline=True)))
    return _sentences(effect, context)


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
    actions = [window.capitalize() for window in on if window in lang.ACTIONS]
    said = [f"declares {with_article(listed(actions))} Action"] if actions else []
    return listed(said + [_WINDOWS[window] for window in on if window in _WINDOWS])


def _costs(costs: Effect, context: Context) -> str:
    return listed([_fill(lang.COSTS[cost[0]], cost, context) for cost in costs], "and")


def _condition(condition: Effect, context: Context) -> str:
    return _fill(lang.CONDITIONS[condition[0]], condition, context)


def _clauses(effect: Effect, context: Context) -> list[str]:
    """The statements as clauses; later clauses refer to a target hex that was chosen before."""
    said, noun = [], "Hex"
    for statement in effect:
        said.append(_clause(statement, context))
        if lang.STATEMENTS[statement[0]].sets == "hex":
            noun = "Planet" if statement[1] == "planet" else "Hex"
            context = replace(context, hex="it")
        elif context.hex == "it":
            context = replace(context, hex=f"that {noun}")
    return said


def _sentences(effect: Effect, context: Context) -> str:
    """An effect as sentences, without the first capital and the last full stop."""
    cost, effect = split_cost(effect)
    if cost:
        return _priced(cost, _sentences(effect, context), context)
    said = before = ""
    for statement, clause in zip(effect, _clauses(effect, context), strict=True):
        if before:
            joined = lang.STATEMENTS[before].sets and not {before, statement[0]} & set(_WITH_ROWS)
            after = "after that, " if before == "roll_table" else ""
            said += f"; {clause}" if joined else f". {_upper(after + clause)}"
        else:
            said = clause
        before = statement[0]
    return said or "nothing happens"


def _inline(effect: Effect, context: Context) -> str:
    cost, effect = split_cost(effect)
    if cost:
        return _priced(cost, _inline(effect, context), context)
    clauses = _clauses(effect, replace(context, inline=True))
    if not clauses:
        return "nothing happens"
    said = clauses[0]
    for i, clause in enumerate(clauses[1:], 1):
        last = i == len(clauses) - 1
        said += f"{' and' if last and not clause.startswith('you may') else ','} {clause}"
    return said


def _clause(statement: Effect, context: Context) -> str:
    said = _fill(lang.STATEMENTS[statement[0]], statement, context)
    return f"({said})" if context.inline and statement[0] == "if" and statement[3] else said


def _fill(statement: lang.Statement, given: Effect, context: Context) -> str:
    """The words of a statement, with its phrases filled in and its verb inflected."""
    values = statement.values(given)

    def put(place: re.Match[str]) -> str:
        name, verb = place.groups()
        if verb:
            return _inflected(verb, values.get("who", "you"))
        nested = _NESTED_PHRASES.get((statement.name, name))
        return nested(values, context) if nested else PHRASES[name](values, context)

    return _PLACE.sub(put, statement.words)


def _inflected(verb: str, who: str) -> str:
    if who == "you":
        return verb
    return f"they {verb}" if who == "target" else f"{SUBJECTS[who]} {verb}s"


def _rows(values: Json, context: Context) -> str:
    rows = [
        f"{low if low == high else f'{low}–{high}'}: {_inline(effect, context)}"
        for low, high, effect in values["rows"]
    ]
    return f" ({'; '.join(rows)})" if context.inline else f". {'. '.join(rows)}"


_NESTED_PHRASES = {
    ("roll_table", "rows"): _rows,
    ("if", "condition"): lambda values, context: _condition(values["condition"], context),
    ("if", "then"): lambda values, context: _inline(values["then"], context),
    ("if", "otherwise"): lambda values, context: (
        f"; otherwise, {_inline(values['else'], context)}" if values["else"] else ""
    ),
    ("once", "effect"): lambda values, context: _inline(values["effect"], context),
    ("may", "effect"): lambda values, context: _inline(values["effect"], replace(context, may=True)),
}


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_upper(text)}."


def story(mission: Mission, names: Sequence[str | None] | None = None) -> str:
    """The story of a mission with card names in its blanks; an unfilled point reads `[Alien]`."""
    names = names or [None] * len(mission.points)

    def put(blank: re.Match[str]) -> str:
        point = int(blank[1]) - 1
        name = names[point]
        if name is None:
            return f"[{mission.points[point].capitalize()}]"
        before = mission.story[: blank.start()].rstrip()
        return name if not before or before[-1] in ".!?" else name_within(name)

    return _BLANK.sub(put, mission.story)
