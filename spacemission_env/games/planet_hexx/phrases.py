"""The phrases that fill the words of statements: amounts, cards, players, hexes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from spacemission_env.games.planet_hexx.deck_parts import Card, Deck
from spacemission_env.games.planet_hexx.language import FILE_EFFECTS, MOST_DATA

SUBJECTS = {
    "you": "you",
    "target": "they",
    "active": "the active player",
    "all": "each player",
    "others": "each other player",
}
ANYONES = {"all": "any player's", "others": "another player's"}  # where one of them is chosen
AWAY = ("play", "only_if", "enter_if", *FILE_EFFECTS)  # keys whose text is not of the hex under the ship
NOUNS = {"hex": "Hex", "planet": "Planet", "space": "Space", "walled": "Hex with walls"}


@dataclass(frozen=True)
class Context:
    """Where a statement stands.

    Attributes:
        deck, card, key: whose effect it is.
        may: "you may" has been said already.
        inline: it is part of a sentence.
        hex: what the target hex is called here, "" where there is none.
    """

    deck: Deck
    card: Card
    key: str
    may: bool = False
    inline: bool = False
    hex: str = ""

    def but(self, **changed: Any) -> Context:
        """The same with something changed."""
        return replace(self, **changed)


def name_within(name: str) -> str:
    """A card's name within a sentence: its article is small."""
    article, _, rest = name.partition(" ")
    return f"{article.lower()} {rest}" if rest and article in ("A", "An", "The") else name


def with_article(noun: str) -> str:
    """A thing of that kind."""
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"


def listed(parts: list[str], word: str = "or") -> str:
    """Parts joined by commas and a word: a, b or c."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def some(n: Any, noun: str) -> str:
    """So many of a noun."""
    if n == "roll":
        return f"that many {noun}s"
    if n == "counters":
        return f"{with_article(noun)} for each of their Snooger counters"
    if n == "printed":
        return f"as many {noun}s as the Data printed there"
    return with_article(noun) if n == 1 else f"{n} {noun}s"


def _data(values: dict[str, Any], context: Context) -> str:
    special = {
        "roll": "that much Data",
        "counters": "1 Data for each of their Snooger counters",
        "printed": "as much Data as is printed there",
    }
    return special.get(values["n"]) or f"{values['n']} Data"


def _noun(values: dict[str, Any]) -> str:
    return values["type"].capitalize() if values.get("type") else "card"


def _actions(values: dict[str, Any], context: Context) -> str:
    kind = values.get("kind", "any")
    return some(values["n"], "Action" if kind == "any" else f"{kind.capitalize()} Action")


def _hexes(values: dict[str, Any], context: Context) -> str:
    if isinstance(values["n"], str):
        return some(values["n"], "Hex").replace("Hexs", "Hexes")
    return f"{values['n']} Hex{'es' * (values['n'] > 1)} without rolling"


def _whose(values: dict[str, Any], context: Context) -> str:
    who = values["who"]
    return {"you": "your", "target": "their"}.get(who) or f"{SUBJECTS[who]}'s"


def _there(values: dict[str, Any], context: Context) -> str:
    noun = NOUNS[values["what"]]
    if values["where"] == "linked":
        return _related(values, context) or f"a related {noun}"
    return {"anywhere": "any", "elsewhere": "another", "adjacent": "a neighbouring"}[
        values["where"]
    ] + f" {noun}"


def _related(values: dict[str, Any], context: Context) -> str:
    """The related hexes of the card by name, if it is sure that the ship is on it."""
    if context.key in (*AWAY, "on_enter") or values.get("who", "you") != "you":
        return ""
    names = []
    for card in context.deck.cards:
        if card.id in context.card.related and values["what"] in ("hex", card.type):
            within = name_within(card.name)
            names.append(f"another {within.removeprefix('a ')}" if card.id == context.card.id else within)
    return listed(names) if names else ""


def _a_hex(values: dict[str, Any], context: Context) -> str:
    noun = NOUNS[values["what"]]
    low, high = values["min"], values["max"]
    if low > 0 or high < MOST_DATA:
        data = (
            f"{low} to {high}"
            if low > 0 and high < MOST_DATA
            else f"at {'least' if low else 'most'} {low or high}"
        )
        printed = "printed " * (values["of"] == "printed")
        noun += f" {'and ' if 'with' in noun else ''}with {data if low < high else low} {printed}Data"
    where = values["where"]
    if where == "linked":
        return _related(values, context) or f"a related {noun}"
    if where == "elsewhere":
        return f"{with_article(noun)} that you are not on"
    return f"a neighbouring {noun}" if where == "adjacent" else with_article(noun)


def _planet(values: dict[str, Any], context: Context) -> str:
    if context.hex:
        return context.hex
    return "the Planet you are on" if context.key in AWAY else "this Planet"


def _modify_collect(values: dict[str, Any], context: Context) -> str:
    change = f"{abs(values['n'])} Data {'less' if values['n'] < 0 else 'more'}"
    verb = "Collect" if values["who"] in ("you", "target") else "Collects"
    surprise = context.card.surprise
    if surprise is None or "landed" not in surprise.on:
        return f"{SUBJECTS[values['who']]} {verb} {change} each time this turn"
    also = surprise.own_turn or len(surprise.on) > 1
    return f"that Planet gives {change} this time{' (or each time you Collect this turn)' * also}"


def _modify(values: dict[str, Any], context: Context) -> str:
    n = values["n"]
    change, link = (f"subtract {-n}", "from") if n < 0 else (f"add {n}", "to")
    surprise = context.card.surprise
    if surprise is None or "roll" not in surprise.on:
        return f"{change} {link} your Move rolls this turn"
    also = f" (or {link} your Move rolls this turn)" if surprise.own_turn or len(surprise.on) > 1 else ""
    return f"{change} {link} that roll{also}"


PHRASES: dict[str, Callable[[dict[str, Any], Context], str]] = {
    "data": _data,
    "cards": lambda values, _: some(values["n"], _noun(values)),
    "card": lambda values, _: with_article(_noun(values)),
    "few_cards": lambda values, _: "card" if values["n"] == 1 else f"{values['n']} cards",
    "actions": _actions,
    "more_actions": lambda values, _: f"{values['n']} more Action{'s' * (values['n'] > 1)}",
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
    "here": lambda _, context: (
        "the Planet you are on" if context.key in (*AWAY, "on_enter") else "this Planet"
    ),
    "what": lambda values, _: NOUNS[values["what"]],
    "id": lambda values, context: name_within(context.deck.names[values["id"]]),
    "may": lambda _, context: "" if context.may else "you may ",
    "beside": lambda values, _: ", next to any Hex" if values["mode"] == "any" else "",
    "modify": _modify,
    "modify_collect": _modify_collect,
    "n": lambda values, _: str(values["n"]),
}
