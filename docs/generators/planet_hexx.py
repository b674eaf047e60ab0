"""Generates the pages of Planet Hexx about its deck and its card language."""

from __future__ import annotations

import re
from pathlib import Path

from spacemission_env.games.planet_hexx.components import language as lang
from spacemission_env.games.planet_hexx.components.command import points_in_words
from spacemission_env.games.planet_hexx.components.deck import Card, Deck, Mission
from spacemission_env.games.planet_hexx.components.language import Argument, Statement
from spacemission_env.games.planet_hexx.components.parse import counts_by_type, load_components
from spacemission_env.games.planet_hexx.words.cards import card_text, story
from spacemission_env.games.planet_hexx.words.icons import ICONS, card_icons

CARDS_PAGE = Path(__file__).parents[1] / "planet_hexx_cards.md"
NOTE = "<!-- Made by `make docs` from the tables in the code; do not edit. -->\n\n"
NEEDS = {
    "window": "of a Surprise",
    "once": "on hexes and uploaded cards within a `once`",
    "option": "first in a branch, in a `may`, in an `on_collect` with `may_collect`",
}
BEGIN, END = "<!-- made by `make docs` -->\n", "<!-- until here -->"


def deck_page() -> str:
    """docs/planet_hexx_deck.md."""
    deck = load_components(None)
    parts = [
        "# The shipped deck of Planet Hexx\n\n"
        f"{NOTE}Read this page to know what each card does.\n\n"
        "The cards of `spacemission_env/games/planet_hexx/data/deck.toml`. The printed card texts are not "
        "public; *origin* names the\nsource of the name and of the effect. Texts and icons are made from the effects "
        "([cards](planet_hexx_cards.md)).\n[Balance](planet_hexx_balance.md) shows how even the deck is among equal players.\n"
    ]
    for kind, count in counts_by_type(deck.cards).items():
        parts.append(f"## {kind.capitalize()}s: {count}\n\n{_card_table(deck, kind)}\n")
    parts.append(f"## Mission Files\n\n{_missions(deck)}")
    parts.append(f"## Icons\n\n{_icon_table(deck)}\n\nsha256 of the rules of the deck: `{deck.sha256}`\n")
    return "\n".join(parts)


def _card_table(deck: Deck, kind: str) -> str:
    is_planet = kind == "planet"
    data = " data |" if is_planet else ""
    rows = [
        f"| card | copies |{data} text | icons | origin |",
        f"| --- | --- |{data and ' --- |'} --- | --- | --- |",
    ]
    for card in deck.cards:
        if card.type == kind:
            printed = f" {'X' if card.x else card.data} |" if is_planet else ""
            icons = ", ".join(card_icons(card))
            said = card_text(deck, card) or "–"
            rows.append(f"| {card.name} | {card.copies} |{printed} {said} | {icons} | {_origin(card)} |")
    return "\n".join(rows)


def _origin(part: Card | Mission) -> str:
    what = "effect" if isinstance(part, Card) else "points"
    same = part.origin == part.effect_origin
    return part.origin if same else f"{part.origin}, {what} {part.effect_origin}"


def _missions(deck: Deck) -> str:
    lines = []
    for mission in deck.missions:
        points = points_in_words(mission.points)
        lines.append(
            f"**{mission.file}.{mission.side} {mission.name}** ({points}, {_origin(mission)})  \n{story(mission)}\n"
        )
    return "\n".join(lines)


def _icon_table(deck: Deck) -> str:
    counts = dict.fromkeys(ICONS, 0)
    for card in deck.cards:
        for icon in card_icons(card):
            counts[icon] += 1
    rows = ["| icon | meaning | kinds of cards |", "| --- | --- | --- |"]
    return "\n".join(rows + [f"| {icon} | {ICONS[icon]} | {count} |" for icon, count in counts.items()])


def cards_page() -> str:
    """docs/planet_hexx_cards.md; only the syntax of statements and the last table are generated."""
    page = CARDS_PAGE.read_text(encoding="utf-8")
    effects, after = page.split("## Effects\n", 1)[1].split("*What*:", 1)
    head, tail = page[: page.index("## Effects\n")], after
    written = "\n".join(_with_forms(line) for line in effects.split("\n"))
    whole = f"{head}## Effects\n{written}*What*:{tail}"
    before, made = whole.split(BEGIN, 1)
    return f"{before}{BEGIN}\n{language_table()}\n{END}{made.split(END, 1)[1]}"


def _with_forms(line: str) -> str:
    """A row of the table of effects, with the syntax of its statements from the code."""
    row = re.match(r"\| (`\w+.*?`(?:, `\w+.*?`)*) \| ", line)
    if row is None:
        return line
    names = [re.split(r"\W", form, maxsplit=1)[0] for form in re.findall("`(.*?)`", row[1])]
    forms = ", ".join(f"`{lang.STATEMENTS[name].form}`" for name in names)
    return f"| {forms} | {line[row.end() :]}"


def language_table() -> str:
    """The tables of statements, conditions and costs: arguments, words, icons."""
    parts = []
    for what, table in (("statement", lang.STATEMENTS), ("condition", lang.CONDITIONS), ("cost", lang.COSTS)):
        rows = [f"| {what} | arguments | words | icons |", "| --- | --- | --- | --- |"]
        rows += [
            f"| `{s.name}` | {_arguments(s)} | {s.words}{_only(s)} | {', '.join(_icons(s))} |"
            for s in table.values()
        ]
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def _arguments(statement: Statement) -> str:
    return "; ".join(_argument(argument) for argument in statement.arguments) or "none"


def _argument(argument: Argument) -> str:
    bounds = f"{argument.low} to {argument.high}"
    meaning = {
        "number": bounds,
        "amount": f'{bounds}, "roll", "counters" or "printed"',
        "word": "one of *who*"
        if argument.words == lang.WHO
        else "a type"
        if argument.words == lang.TYPES
        else ", ".join(argument.words),
        "id": "of a Planet or Space of the file",
        "condition": "below",
        "effect": "an effect",
        "table": f"lowest, highest, effect; together {bounds}",
        "costs": f"1 to {lang.MOST_COSTS}, see below",
    }[argument.kind]
    if argument.default is lang.REQUIRED:
        return f"{argument.name}: {meaning}"
    return f"[{argument.name}]: {meaning}" + (
        "" if argument.default is None else f", else {argument.default}"
    )


def _only(statement: Statement) -> str:
    notes = []
    missing = [key for key in lang.EFFECTS if key not in statement.where]
    if missing:
        notes.append(
            f"only in `{statement.where[0]}`" if len(statement.where) == 1 else f"not in `{missing[0]}`"
        )
    if statement.needs:
        notes.append(NEEDS.get(statement.needs, f"after a target_{_target(statement)}"))
    return f" *({', '.join(notes)})*" if notes else ""


def _target(statement: Statement) -> str:
    return "seat" if statement.needs == "target" else statement.needs


def _icons(statement: Statement) -> list[str]:
    found = [*statement.icons]
    for argument in statement.arguments:
        found += [icon for icon in dict.fromkeys(argument.icons.values()) if icon not in found]
    return found


PAGES = {"planet_hexx_deck.md": deck_page, "planet_hexx_cards.md": cards_page}
