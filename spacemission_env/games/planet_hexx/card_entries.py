"""The entries of a deck file, each read and checked; what is wrong is refused with one line."""

from __future__ import annotations

import re
from typing import Any

from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.games.planet_hexx.deck_parts import AltUpload, Card, Effect, Mission, Surprise
from spacemission_env.games.planet_hexx.effect_checks import Checks
from spacemission_env.games.planet_hexx.language import (
    ACTIONS,
    BRANCHES,
    DIE,
    DIRECTIONS,
    FILE_EFFECTS,
    FILES,
    HEX_EFFECTS,
    MAPS,
    MOST,
    MOST_DATA,
    NAME,
    POINTS,
    RELATED,
    SIDES,
    STARTING,
    STORY,
    TYPES,
    WALLS,
    WINDOWS,
)

ORIGINS = ("rulebook", "box", "ours")
OF_ALL = ("id", "name", "type", "copies", "alt_upload", *FILE_EFFECTS, "origin", "effect_origin")
OF_MAPS = (*HEX_EFFECTS, "walls", "fixed", "related", "leave_roll", "start_ban", "enter_if", "must_stop")
OF_PLANETS = ("data", "beside_planets", "on_collect", "may_collect")
OF_EVENTS = ("cost", "play", "surprise", "only_if")
_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_BLANK = re.compile(r"\{([1-9])\}")


def check_keys(entry: Any, known: tuple[str, ...], needed: tuple[str, ...], what: str) -> None:
    """Refuse what is no table, has a key that is not known, or lacks one that is needed."""
    if not isinstance(entry, dict):
        raise ComponentsError(f"{what}: expected a table, not {shown(entry)}")
    unknown = sorted(set(entry) - set(known), key=shown)
    if unknown:
        raise ComponentsError(f"{what}: unknown key {shown(unknown[0])}")
    for key in needed:
        if key not in entry:
            raise ComponentsError(f"{what}: {key!r} is missing")


def read_name(value: Any, what: str, most: int = NAME) -> str:
    """A text for people, of one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > most:
        raise ComponentsError(
            f"{what}: expected a text of 1 to {most} printable characters, not {shown(value)}"
        )
    return value


def read_id(entry: Any, index: int, where: str) -> str:
    """The id of a card, by which all else of it is named in errors."""
    what = f"{where}: card[{index}]"
    if not isinstance(entry, dict):
        raise ComponentsError(f"{what}: expected a table, not {shown(entry)}")
    card_id = entry.get("id")
    if not isinstance(card_id, str) or not _ID.fullmatch(card_id):
        raise ComponentsError(
            f"{what}: id: expected 1 to 32 of a to z, 0 to 9 and _, a letter first, not {shown(card_id)}"
        )
    return card_id


def read_card(entry: dict[str, Any], map_ids: set[str], where: str) -> Card:
    """A card: its keys are those of its type."""
    return _CardEntry(entry, map_ids, where).read()


class _CardEntry:
    """A card's table while it is read."""

    def __init__(self, entry: dict[str, Any], map_ids: set[str], where: str) -> None:
        self.entry = entry
        self.what = f"{where}: card {entry['id']!r}"
        self.checks = Checks(self.what, "", map_ids)

    def read(self) -> Card:
        entry, what = self.entry, self.what
        kind = self.checks.word(entry.get("type"), "type", TYPES)
        is_map, starting = kind in MAPS, entry["id"] in STARTING
        own = (*OF_MAPS, *(OF_PLANETS if kind == "planet" else ())) if is_map else OF_EVENTS
        known = tuple(key for key in (*OF_ALL, *own) if kind == "planet" or key not in OF_PLANETS)
        check_keys(entry, known, ("name", "copies", *(("data",) if kind == "planet" else ())), what)
        if not is_map and "play" not in entry:
            raise ComponentsError(f"{what}: 'play' is missing: what the Event does")
        values: dict[str, Any] = {
            "id": entry["id"],
            "name": read_name(entry["name"], f"{what}: name"),
            "type": kind,
            "copies": self.number("copies", 0 if starting else 1, 0 if starting else MOST),
            "origin": self.word("origin", ORIGINS, "ours"),
            "effect_origin": self.word("effect_origin", ORIGINS, "ours"),
            "alt_upload": self.alt_upload(),
            **{key: self.effect(entry[key], key, key) for key in FILE_EFFECTS if key in entry},
        }
        if starting and {"on_enter", "alt_upload", *FILE_EFFECTS} & set(entry):
            raise ComponentsError(f"{what}: a starting hex is never Played nor uploaded")
        return Card(**values, **(self.of_map() if is_map else self.of_event()))

    def of_map(self) -> dict[str, Any]:
        entry = self.entry
        for key, about in (("may_collect", "on_collect"), ("fixed", "walls")):
            if key in entry and about not in entry:
                raise ComponentsError(f"{self.what}: {key}: there is no {about!r} that it is about")
        x = entry.get("data") == "X"
        return {
            "data": 0 if x or "data" not in entry else self.number("data", 0, MOST_DATA),
            "x": x,
            "walls": self.walls(),
            "related": self.related(),
            "leave_roll": self.number("leave_roll", 2, DIE, 0),
            "start_ban": self.word("start_ban", ACTIONS, None),
            "enter_if": self.condition("enter_if"),
            "must_stop": self.flag("must_stop"),
            "fixed": self.flag("fixed"),
            "beside_planets": self.flag("beside_planets"),
            "may_collect": self.flag("may_collect"),
            **{key: self.effect(entry[key], key, key) for key in HEX_EFFECTS if key in entry},
        }

    def of_event(self) -> dict[str, Any]:
        branches = self.checks.entries(self.entry["play"], "play", BRANCHES, "branches")
        if not branches:
            raise ComponentsError(f"{self.what}: play: expected a branch")
        return {
            "cost": self.checks.costs(self.entry.get("cost", []), "cost"),
            "play": tuple(self.effect(branch, f"play[{i}]", "play") for i, branch in enumerate(branches)),
            "surprise": self.surprise(),
            "only_if": self.condition("only_if"),
        }

    def effect(self, value: Any, place: str, key: str) -> Effect:
        self.checks.key = key
        known = {"hex"} if key == "on_enter" else set()  # the hex that came into play
        known |= {"window"} if "surprise" in self.entry else set()
        effect = self.checks.effect(value, place, frozenset(known))
        if not effect:
            raise ComponentsError(f"{self.what}: {place}: expected a statement")
        return effect

    def condition(self, key: str) -> Effect:
        self.checks.key = key
        return self.checks.condition(self.entry[key], key) if key in self.entry else ()

    def walls(self) -> tuple[int, ...]:
        walls = self.checks.entries(self.entry.get("walls", []), "walls", WALLS, "walls")
        numbers = [self.checks.number(w, "walls", 0, DIRECTIONS - 1) for w in walls]
        if len(set(numbers)) < len(numbers):
            raise ComponentsError(f"{self.what}: walls: an edge stands twice in {numbers}")
        return tuple(sorted(numbers))

    def related(self) -> tuple[str, ...]:
        related = self.checks.entries(self.entry.get("related", []), "related", RELATED, "ids")
        ids = [self.checks.map_id(value, "related") for value in related]
        if len(set(ids)) < len(ids):
            raise ComponentsError(f"{self.what}: related: an id stands twice in {ids}")
        return tuple(ids)

    def surprise(self) -> Surprise | None:
        if "surprise" not in self.entry:
            return None
        table = self.entry["surprise"]
        check_keys(table, ("on", "own_turn"), ("on",), f"{self.what}: surprise")
        windows = self.checks.entries(table["on"], "surprise: on", len(WINDOWS), "windows")
        on = tuple(self.checks.word(window, "surprise: on", WINDOWS) for window in windows)
        if not on or len(set(on)) < len(on):
            raise ComponentsError(f"{self.what}: surprise: on: expected different windows, not {list(on)}")
        return Surprise(on, self.flag("own_turn", table, "surprise: "))

    def alt_upload(self) -> AltUpload | None:
        if "alt_upload" not in self.entry:
            return None
        table = self.entry["alt_upload"]
        check_keys(table, ("cost", "anywhere"), ("cost",), f"{self.what}: alt_upload")
        cost = self.checks.costs(table["cost"], "alt_upload: cost")
        return AltUpload(cost, self.flag("anywhere", table, "alt_upload: "))

    def number(self, key: str, low: int, high: int, default: int | None = None) -> int:
        if key not in self.entry and default is not None:
            return default
        return self.checks.number(self.entry.get(key), key, low, high)

    def word(self, key: str, words: tuple[str, ...], default: str | None) -> str | None:
        return self.checks.word(self.entry[key], key, words) if key in self.entry else default

    def flag(self, key: str, table: dict[str, Any] | None = None, before: str = "") -> bool:
        value = (self.entry if table is None else table).get(key, False)
        if not isinstance(value, bool):
            raise ComponentsError(f"{self.what}: {before}{key}: expected true or false, not {shown(value)}")
        return value


def read_mission(entry: Any, index: int, where: str) -> Mission:
    """A side of a Mission File."""
    what = f"{where}: mission[{index}]"
    needed = ("file", "side", "name", "points", "story")
    check_keys(entry, (*needed, "origin", "effect_origin"), needed, what)
    name = read_name(entry["name"], f"{what}: name")
    what = f"{where}: mission {name!r}"
    checks = Checks(what, "")
    points = checks.entries(entry["points"], "points", POINTS, "types")
    if len(points) != POINTS:
        raise ComponentsError(f"{what}: points: expected {POINTS} types, not {len(points)}")
    story = read_name(entry["story"], f"{what}: story", STORY)
    blanks = sorted(_BLANK.findall(story))
    if blanks != [str(i) for i in range(1, POINTS + 1)] or "{" in _BLANK.sub("", story):
        raise ComponentsError(f"{what}: story: expected each of {{1}} to {{{POINTS}}} once, and no other {{")
    return Mission(
        checks.number(entry["file"], "file", 0, FILES - 1),
        checks.number(entry["side"], "side", 0, SIDES - 1),
        name,
        tuple(checks.word(kind, "points", TYPES) for kind in points),
        story,
        checks.word(entry.get("origin", "ours"), "origin", ORIGINS),
        checks.word(entry.get("effect_origin", "ours"), "effect_origin", ORIGINS),
    )
