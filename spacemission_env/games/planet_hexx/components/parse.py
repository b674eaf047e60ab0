"""Reads and validates deck files; errors name the card and the key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacemission_env.core.components_files import check_format, check_keys, check_text, load_source
from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.components import deck
from spacemission_env.games.planet_hexx.components import language as lang
from spacemission_env.games.planet_hexx.components.deck import Card, Deck, Effect, Mission
from spacemission_env.games.planet_hexx.engine import constants as c

FIRST_ONLY = frozenset({"option", "blue"})  # needs that only the first statement of a list can meet
NEEDED = {
    "target": "needs a target_seat before it",
    "hex": "needs a target_hex before it",
    "roll": "needs a roll or roll_table before it",
    "window": "needs a card with 'surprise', to answer something",
    "once": "needs a 'once' around it on a hex or an uploaded card",
    "option": "stands only first in a branch of 'play', in a 'may', or in an 'on_collect' with 'may_collect'",
}


@dataclass
class Checks:
    """Checks the entries of one card: `where` is its name in errors, `key` the current key."""

    where: str
    key: str = ""
    map_ids: set[str] = field(default_factory=set)
    statements: int = 0

    def refuse(self, place: str, problem: str) -> ComponentsError:
        return ComponentsError(f"{self.where}: {place}: {problem}")

    def effect(
        self, value: object, place: str, known: frozenset[str] = frozenset(), depth: int = 1
    ) -> Effect:
        """Read a list of statements; `known`: those of `Statement.needs` that are met here."""
        if depth > lang.DEPTH:
            raise self.refuse(place, f"effects more than {lang.DEPTH} deep")
        entries = self.entries(value, place, lang.MOST_STATEMENTS, "statements")
        statements = []
        for i, entry in enumerate(entries):
            statement, read = self.statement(entry, f"{place}[{i}]", lang.STATEMENTS, known, depth)
            known = known - FIRST_ONLY | {statement.sets}
            statements.append(read)
        self.statements += len(statements)
        if self.statements > lang.ALL_STATEMENTS:
            raise self.refuse(place, f"more than {lang.ALL_STATEMENTS} statements in one card")
        return tuple(statements)

    def costs(self, value: object, place: str) -> Effect:
        entries = self.entries(value, place, lang.MOST_COSTS, "costs")
        return tuple(
            self.statement(entry, f"{place}[{i}]", lang.COSTS, frozenset(), 1)[1]
            for i, entry in enumerate(entries)
        )

    def condition(self, value: object, place: str, known: frozenset[str]) -> Effect:
        return self.statement(value, place, lang.CONDITIONS, known, 1)[1]

    def entries(self, value: object, place: str, most: int, what: str) -> list[Any]:
        """Check that a value is a list of at most `most` entries, and return it."""
        if not isinstance(value, list | tuple):
            raise self.refuse(place, f"expected a list of {what}, not {shown(value)}")
        if len(value) > most:
            raise self.refuse(place, f"at most {most} {what}, not {len(value)}")
        return list(value)

    def statement(
        self, entry: object, place: str, table: dict[str, lang.Statement], known: frozenset[str], depth: int
    ) -> tuple[lang.Statement, Effect]:
        if not isinstance(entry, list | tuple) or not entry:
            raise self.refuse(place, f"expected a list such as {_example(table)}, not {shown(entry)}")
        statement = table.get(entry[0]) if isinstance(entry[0], str) else None
        if statement is None:
            raise self.refuse(place, f"expected one of {', '.join(table)}, not {shown(entry[0])}")
        if table is not lang.COSTS and self.key not in statement.where:
            raise self.refuse(place, f"{statement.name} may not stand in {self.key}")
        place = f"{place}: {statement.name}"
        if statement.needs and statement.needs not in known:
            raise self.refuse(place, NEEDED[statement.needs])
        if statement.name == "cost":
            if len(entry) == 1:
                raise self.refuse(place, "expected at least one cost")
            return statement, ("cost", *self.costs(entry[1:], place))
        is_blue_if = "blue" in known and statement.name == "if" and len(entry) == 4 and entry[3] in ([], ())
        known -= FIRST_ONLY
        if statement.name == "once":
            known |= {"once"}
        if statement.name == "may" or is_blue_if:
            known |= {"option"}
        if statement.takes_rest:
            rows = self.table(list(entry[1:]), place, known | {statement.sets}, depth)
            return statement, (statement.name, *rows)
        fewest = sum(argument.default is lang.REQUIRED for argument in statement.arguments)
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

    def argument(
        self, argument: lang.Argument, value: object, place: str, known: frozenset[str], depth: int
    ) -> Any:
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
            self.word(value, place, lang.AMOUNTS, f"a number from {argument.low} to {argument.high}, ")
            need = {"roll": "roll", "counters": "target"}.get(value)
            if need is not None and need not in known:
                raise self.refuse(place, f"{value!r} {NEEDED[need]}")
            return value
        return self.number(value, place, argument.low, argument.high)

    def table(self, rows: list[Any], place: str, known: frozenset[str], depth: int) -> list[Effect]:
        """Read the rows of a `roll_table`, which must cover 1 to 6 without a gap."""
        read = []
        next_low = 1
        for i, row in enumerate(self.entries(rows, place, lang.DIE, "rows")):
            here = f"{place}: row {i}"
            if not isinstance(row, list | tuple) or len(row) != 3:
                raise self.refuse(here, f"expected [lowest, highest, effect], not {shown(row)}")
            low = self.number(row[0], f"{here}: lowest", next_low, next_low)
            high = self.number(row[1], f"{here}: highest", low, lang.DIE)
            read.append((low, high, self.effect(row[2], here, known, depth + 1)))
            next_low = high + 1
            if high == lang.DIE and i < len(rows) - 1:
                raise self.refuse(f"{place}: row {i + 1}", f"the rows before it end with {lang.DIE} already")
        if next_low <= lang.DIE:
            raise self.refuse(place, f"expected rows for 1 to {lang.DIE}, got none for {next_low}")
        return read

    def number(self, value: object, place: str, low: int, high: int) -> int:
        if type(value) is not int or not low <= value <= high:
            expected = f"{low}" if low == high else f"a number from {low} to {high}"
            raise self.refuse(place, f"expected {expected}, not {shown(value)}")
        return value

    def word(self, value: object, place: str, words: tuple[str, ...], before: str = "") -> str:
        if not isinstance(value, str) or value not in words:
            raise self.refuse(place, f"expected {before}one of {', '.join(words)}, not {shown(value)}")
        return value

    def map_id(self, value: object, place: str) -> str:
        """Check that a value is the id of a Planet or Space of this file, and return it."""
        if not isinstance(value, str) or value not in self.map_ids:
            raise self.refuse(place, f"expected the id of a planet or space of this file, not {shown(value)}")
        return value


def _example(table: dict[str, lang.Statement]) -> str:
    return repr(next(iter(table.values())).form.split())


ORIGINS = ("rulebook", "box", "ours")
OF_ALL = ("id", "name", "type", "copies", "alt_upload", *lang.FILE_EFFECTS, "origin", "effect_origin")
OF_MAPS = (*lang.HEX_EFFECTS, "walls", "fixed", "related", "leave_roll", "start_ban", "enter_if", "must_stop")
OF_PLANETS = ("data", "beside_planets", "on_collect", "may_collect")
OF_EVENTS = ("cost", "play", "surprise", "only_if")
WORDS = {"origin": ORIGINS, "effect_origin": ORIGINS, "start_ban": lang.ACTIONS}  # possible values
FLAGS = ("must_stop", "fixed", "beside_planets", "may_collect")
_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_BLANK = re.compile(r"\{([1-9])\}")


def read_id(entry: object, what: str) -> str:
    """Read the id of a card; later errors name the card by this id."""
    if not isinstance(entry, dict):
        raise ComponentsError(f"{what}: expected a table, not {shown(entry)}")
    card_id = entry.get("id")
    if not isinstance(card_id, str) or not _ID.fullmatch(card_id):
        raise ComponentsError(
            f"{what}: id: expected 1 to 32 of a to z, 0 to 9 and _, a letter first, not {shown(card_id)}"
        )
    return card_id


class CardReader(Checks):
    """Reads the TOML table of a card; the card's type determines which keys it may have."""

    def __init__(self, entry: Json, map_ids: set[str], where: str) -> None:
        super().__init__(f"{where}: card {entry['id']!r}", "", map_ids)
        self.entry, self.starting = entry, entry["id"] in lang.STARTING

    def read(self) -> Card:
        entry = self.entry
        kind = self.word(entry.get("type"), "type", lang.TYPES)
        own = (*OF_MAPS, *OF_PLANETS) if kind in lang.MAPS else OF_EVENTS
        known = tuple(key for key in (*OF_ALL, *own) if kind == "planet" or key not in OF_PLANETS)
        needed = {"planet": ("data",), "space": ()}.get(kind, ("play",))
        check_keys(entry, known, ("name", "copies", *needed), self.where)
        values = {key: self.value(key, given) for key, given in entry.items()}
        if self.starting and {"on_enter", "alt_upload", *lang.FILE_EFFECTS} & set(entry):
            raise ComponentsError(f"{self.where}: a starting hex is never Played nor uploaded")
        if self.starting and "walls" in entry:
            raise self.refuse("walls", "a starting hex has none, so all arrangements are the same (HR-3)")
        for key, about in (("may_collect", "on_collect"), ("fixed", "walls")):
            if key in entry and about not in entry:
                raise self.refuse(key, f"needs the key {about!r}")
        return Card(**values, x=entry.get("data") == "X")

    def value(self, key: str, given: Any) -> Any:
        """Check the value of a key, and return it."""
        self.key = key
        if key in (*lang.HEX_EFFECTS, *lang.FILE_EFFECTS):
            return self.whole_effect(given, key)
        if key in lang.CONDITION_KEYS:
            return self.condition(given, key, frozenset())
        if key in WORDS:
            return self.word(given, key, WORDS[key])
        if key in FLAGS:
            return self.flag(given, key)
        match key:
            case "name":
                return check_text(given, f"{self.where}: name", lang.NAME)
            case "copies":
                return self.number(given, key, *((0, 0) if self.starting else (1, lang.MOST)))
            case "data":
                return 0 if given == "X" else self.number(given, key, 0, c.MOST_DATA)
            case "leave_roll":
                return self.number(given, key, 2, lang.DIE)
            case "walls":
                edges = self.entries(given, key, lang.WALLS, "walls")
                numbers = [self.number(edge, key, 0, lang.DIRECTIONS - 1) for edge in edges]
                self.each_once(numbers, key, "an edge")
                return tuple(sorted(numbers))
            case "related":
                ids = [self.map_id(one, key) for one in self.entries(given, key, lang.RELATED, "ids")]
                self.each_once(ids, key, "an id")
                return tuple(ids)
            case "cost":
                return self.costs(given, key)
            case "play":
                branches = self.entries(given, key, c.BRANCHES, "branches")
                if not branches:
                    raise self.refuse(key, "expected a branch")
                return tuple(self.whole_effect(branch, f"play[{i}]") for i, branch in enumerate(branches))
            case "surprise":
                check_keys(given, ("on", "own_turn"), ("on",), f"{self.where}: surprise")
                windows = self.entries(given["on"], "surprise: on", len(lang.WINDOWS), "windows")
                on = tuple(self.word(window, "surprise: on", lang.WINDOWS) for window in windows)
                if not on or len(set(on)) < len(on):
                    raise self.refuse("surprise: on", f"expected different windows, not {list(on)}")
                return deck.Surprise(on, self.flag(given.get("own_turn", False), "surprise: own_turn"))
            case "alt_upload":
                check_keys(given, ("cost", "anywhere"), ("cost",), f"{self.where}: alt_upload")
                cost = self.costs(given["cost"], "alt_upload: cost")
                return deck.AltUpload(cost, self.flag(given.get("anywhere", False), "alt_upload: anywhere"))
        return given  # the keys `id` and `type`, which are checked before

    def whole_effect(self, value: object, place: str) -> Effect:
        """Read an effect with at least one statement."""
        known = {"hex"} if self.key == "on_enter" else set()  # the target is the hex that came into play
        known |= {"window"} if "surprise" in self.entry else set()
        if self.key == "play":
            known |= {"once", "option"}
        elif self.key == "on_collect" and self.entry.get("may_collect") is True:
            known |= {"option", "blue"} if isinstance(value, list | tuple) and len(value) == 1 else {"option"}
        effect = self.effect(value, place, frozenset(known))
        if not effect:
            raise self.refuse(place, "expected a statement")
        return effect

    def flag(self, value: object, place: str) -> bool:
        if not isinstance(value, bool):
            raise self.refuse(place, f"expected true or false, not {shown(value)}")
        return value

    def each_once(self, values: Sequence[object], place: str, what: str) -> None:
        if len(set(values)) < len(values):
            raise self.refuse(place, f"{what} stands twice in {values}")


def counts_by_type(cards: Iterable[Card]) -> dict[str, int]:
    """The number of cards of each type, with copies."""
    counts = dict.fromkeys(lang.TYPES, 0)
    for card in cards:
        counts[card.type] += card.copies
    return counts


FORMAT = 1


def load_components(source: object = None) -> Deck:
    """Load and validate a deck file; ``None`` is the deck that ships, ``"tiny"`` the tiny one.

    Raises:
        ComponentsError: the deck is not valid; the message names the file, the card and the key.
    """
    data = "spacemission_env.games.planet_hexx.data"
    return load_source(source, Deck, data, "deck.toml", components_from_data)


def components_from_data(given: object, where: str) -> Deck:
    """Validate a deck given as plain data (a parsed file, or a record's header)."""
    return DeckReader(where).read(given)


class DeckReader(Checks):
    """Reads a whole deck."""

    def read(self, given: object) -> Deck:
        known = ("format", "name", "size", "files", "card", "mission")
        data = check_keys(given, known, ("name",), self.where)
        check_format(data, FORMAT, self.where)
        name = check_text(data["name"], f"{self.where}: name", lang.NAME)
        size = self.number(data.get("size", lang.SIZE), "size", lang.FEWEST, lang.MOST)
        files = self.number(data.get("files", c.FILES), "files", c.MIN_PLAYERS, c.FILES)
        cards = self.cards(data.get("card", []))
        missions = self.missions(data.get("mission", []), files)
        self.check_starting_and_related(cards)
        self.check_steps(cards)
        self.check_counts(counts_by_type(cards), size, files * c.SIDES - len(missions), files * c.SIDES)
        return Deck(name, cards, missions)

    def cards(self, given: object) -> tuple[Card, ...]:
        entries = self.entries(given, "card", c.KINDS, "kinds of cards")
        ids = [read_id(entry, f"{self.where}: card[{i}]") for i, entry in enumerate(entries)]
        self.refuse_twice((one, f"card {one!r}: id") for one in ids)
        map_ids = {entry["id"] for entry in entries if entry.get("type") in lang.MAPS}
        cards = tuple(CardReader(entry, map_ids, self.where).read() for entry in entries)
        self.refuse_twice((card.name, f"card {card.id!r}: name") for card in cards)
        return cards

    def missions(self, given: object, files: int) -> tuple[Mission, ...]:
        entries = self.entries(given, "mission", files * c.SIDES, "sides of Mission Files")
        missions = tuple(self.mission(entry, i, files) for i, entry in enumerate(entries))
        self.refuse_twice((m.name, f"mission {m.name!r}: name") for m in missions)
        self.refuse_twice(((m.file, m.side), f"mission {m.name!r}: file and side") for m in missions)
        return tuple(sorted(missions, key=lambda m: (m.file, m.side)))

    def mission(self, given: object, index: int, files: int) -> Mission:
        """Read one side of a Mission File; `files`: the number of files."""
        needed = ("file", "side", "name", "points", "story")
        at = f"{self.where}: mission[{index}]"
        entry = check_keys(given, (*needed, "origin", "effect_origin"), needed, at)
        name = check_text(entry["name"], f"{at}: name", lang.NAME)
        checks = Checks(f"{self.where}: mission {name!r}")
        points = checks.entries(entry["points"], "points", c.POINTS, "types")
        if len(points) != c.POINTS:
            raise checks.refuse("points", f"expected {c.POINTS} types, not {len(points)}")
        story = check_text(entry["story"], f"{checks.where}: story", lang.STORY)
        blanks = sorted(_BLANK.findall(story))
        if blanks != [str(i) for i in range(1, c.POINTS + 1)] or "{" in _BLANK.sub("", story):
            raise checks.refuse("story", f"expected each of {{1}} to {{{c.POINTS}}} once, and no other {{")
        return Mission(
            checks.number(entry["file"], "file", 0, files - 1),
            checks.number(entry["side"], "side", 0, c.SIDES - 1),
            name,
            tuple(checks.word(kind, "points", lang.TYPES) for kind in points),
            story,
            *(checks.word(entry.get(key, "ours"), key, ORIGINS) for key in ("origin", "effect_origin")),
        )

    def refuse_twice(self, keys: Iterable[tuple[object, str]]) -> None:
        """Refuse a key that occurs twice; `keys` has pairs of a key and the place to name in the error."""
        seen = set()
        for key, place in keys:
            if key in seen:
                raise self.refuse(place, "stands twice")
            seen.add(key)

    def check_starting_and_related(self, cards: tuple[Card, ...]) -> None:
        """HX-4: require the two starting hexes. HX-15: require that related hexes name each other."""
        by_id = {card.id: card for card in cards}
        for card_id, kind in ((lang.SPACE_BASE, "space"), (lang.DELTA_COLONY, "planet")):
            if card_id not in by_id:
                raise ComponentsError(f"{self.where}: card {card_id!r} is missing: a starting hex (HX-4)")
            if by_id[card_id].type != kind:
                raise self.refuse(f"card {card_id!r}: type", f"expected {kind}, not {by_id[card_id].type}")
        for card in cards:
            for other in card.related:
                if card.id not in by_id[other].related:
                    problem = f"{other!r} does not name it in return (HX-15)"
                    raise self.refuse(f"card {card.id!r}: related", problem)

    def check_steps(self, cards: tuple[Card, ...]) -> None:
        effects = tuple(effect for card in cards for effect in card.effects)
        onces, total = deck.count_of(effects, "once"), sum(map(deck.steps, effects))
        if onces > c.MOST_ONCE:
            raise self.refuse("card", f"at most {c.MOST_ONCE} statements 'once' in all, not {onces}")
        if total > lang.STEPS:
            raise self.refuse(
                "card", f"at most {lang.STEPS} statements and rows of tables in all, not {total}"
            )

    def check_counts(self, counts: dict[str, int], size: int, sides_left: int, sides: int) -> None:
        """HX-56: require `size` cards, with the types in the ratio of `RATIO`."""
        total = sum(counts.values())
        hint = f"; a deck of another size says 'size = {total}'" if lang.FEWEST <= total <= lang.MOST else ""
        left = []
        if total < size:
            there = ", ".join(f"{kind} {count}" for kind, count in counts.items())
            left.append(f"cards: {size - total} of {size}, there are {there}")
        if sides_left:
            left.append(f"mission: {sides_left} of {sides} sides")
        if left:  # an unfinished file
            more = hint if total < size else ""
            raise ComponentsError(f"{self.where}: still to be filled in: {'; '.join(left)}{more}")
        if total != size:
            raise self.refuse("card", f"expected {size} cards in all, got {total}{hint}")
        whole = sum(lang.RATIO.values())
        for kind, share in lang.RATIO.items():
            # The test |count - size * share / whole| <= 1 in whole numbers.
            if abs(counts[kind] * whole - size * share) > whole:
                low, high = -((whole - size * share) // whole), (size * share + whole) // whole
                expected = f"{low} to {high} cards of type {kind} among {size} (HX-56)"
                raise self.refuse("card", f"expected {expected}, got {counts[kind]}")
