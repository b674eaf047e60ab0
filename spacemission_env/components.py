"""The box as data: planets, cards and tile counts from a components file (TOML), validated on load.

The default table ships with the package (``data/default.toml``); any user may replace it. See
SM-11, SM-12 and docs/components.md.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from spacemission_env.engine.constants import (
    CARDS,
    COLOURS,
    JOKER,
    KIND_NAMES,
    PLANETS,
    POINT_TILES,
    SPACE_TILES,
)
from spacemission_env.errors import ComponentsError

FORMAT = 1
ORIGINS = ("rulebook", "review", "ours")


@dataclass(frozen=True)
class Planet:
    """One planet: a jump, a scan and two landing numbers, each 1 to 4 (SM-11)."""

    name: str
    jump: int
    scan: int
    landing: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """The planet as the record header writes it."""
        return {"name": self.name, "jump": self.jump, "scan": self.scan, "landing": list(self.landing)}


@dataclass(frozen=True)
class Card:
    """One card: two coordinates, of two colours or two numbers of one colour (SM-10, SM-12).

    Each colour has a tuple of values: empty where it is absent, ``(3,)`` a number, ``(JOKER,)`` a joker,
    ``(1, 3)`` two numbers of one colour, ascending.
    """

    id: str
    jump: tuple[int, ...] = ()
    scan: tuple[int, ...] = ()
    landing: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The card as the record header writes it.

        Absent colours are left out; ``"?"`` is a joker; two numbers of one colour are a list of both.
        """
        shown = {c: ["?" if v == JOKER else v for v in getattr(self, c)] for c in COLOURS}
        return {"id": self.id, **{c: v if len(v) > 1 else v[0] for c, v in shown.items() if v}}


@dataclass(frozen=True)
class Components:
    """A validated box: 12 planets, 60 cards (in hand-sorting order), and the count of each tile kind."""

    name: str
    planets: tuple[Planet, ...]
    cards: tuple[Card, ...]
    tiles: tuple[int, ...] = field(default=())
    sha256: str = ""

    def to_json(self) -> dict[str, Any]:
        """The header entry of a game record: name, sha256, planets, cards."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "planets": [p.to_json() for p in self.planets],
            "cards": [c.to_json() for c in self.cards],
        }


def load_components(source: str | Path | Components | None = None) -> Components:
    """Load and validate a components file; ``None`` is the default table.

    Raises:
        ComponentsError: naming the file, the entry and what is wrong; nothing is half-loaded.
    """
    if isinstance(source, Components):
        return source
    if source is None:
        return _default()
    if not isinstance(source, str | Path):
        raise ComponentsError(f"components: expected a path or None, not {source!r}")
    try:
        text = Path(source).read_bytes()
    except OSError as error:
        raise ComponentsError(f"components file {str(source)!r}: {error.strerror or error}") from None
    except ValueError as error:  # a path with a NUL
        raise ComponentsError(f"components file {str(source)!r}: {error}") from None
    return parse_components(text, str(source))


@lru_cache(maxsize=1)
def _default() -> Components:
    file = resources.files("spacemission_env.data").joinpath("default.toml")
    return parse_components(file.read_bytes(), "default.toml")


def parse_components(text: bytes, where: str) -> Components:
    """Parse and validate the bytes of a components file; ``where`` names it in errors."""
    try:
        data = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # of the reader, of UTF-8, of a number of 5,000 digits
        raise ComponentsError(f"{where}: not a TOML file: {str(error).splitlines()[0]}") from None
    return components_from_data(data, where)


def components_from_data(data: dict[str, Any], where: str) -> Components:
    """Validate a components table given as plain data (a parsed file, or a record's header)."""
    _keys(data, {"format", "name", "tiles", "planets", "cards"}, {"format"}, where, "the file")
    if data.get("format", FORMAT) is True or data.get("format", FORMAT) != FORMAT:
        raise ComponentsError(
            f"{where}: format: {data['format']!r} is not known, this version reads {FORMAT}"
        )
    name = data["name"]
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ComponentsError(f"{where}: name: expected a text, not {name!r}")
    planets = [_planet(entry, i, where) for i, entry in enumerate(_list(data, "planets", PLANETS, where))]
    seen: set[str] = set()
    for i, planet in enumerate(planets):
        if planet.name in seen:
            raise ComponentsError(f"{where}: planets[{i}] {planet.name!r}: the name stands twice")
        seen.add(planet.name)
    cards = [_card(entry, i, where) for i, entry in enumerate(_list(data, "cards", CARDS, where))]
    faces: dict[str, Card] = {}
    for i, card in enumerate(cards):
        if faces.setdefault(card.id, card) != card:
            raise ComponentsError(
                f"{where}: cards[{i}] {card.id!r}: the same id stands for another card before"
            )
    tiles = _tiles(data["tiles"], where)
    loaded = Components(name, tuple(planets), tuple(cards), tiles)
    return Components(name, loaded.planets, loaded.cards, tiles, _digest(loaded))


def _digest(components: Components) -> str:
    # Over the meaning, not the bytes: comments and origins may change without making another game.
    plain = {**components.to_json(), "tiles": list(components.tiles)}
    for key in ("sha256", "name"):
        del plain[key]
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _keys(entry: Any, known: set[str], optional: set[str], where: str, what: str) -> None:
    if not isinstance(entry, dict):
        raise ComponentsError(f"{where}: {what}: expected a table, not {entry!r}")
    unknown = sorted(set(entry) - known)
    if unknown:
        raise ComponentsError(f"{where}: {what}: unknown entry {unknown[0]!r}")
    missing = sorted(known - optional - set(entry))
    if missing:
        raise ComponentsError(f"{where}: {what}: {missing[0]!r} is missing")


def _list(data: dict[str, Any], key: str, count: int, where: str) -> list[Any]:
    entries = data[key]
    if not isinstance(entries, list) or len(entries) != count:
        got = len(entries) if isinstance(entries, list) else repr(entries)
        raise ComponentsError(f"{where}: {key}: expected exactly {count} entries, got {got}")
    return entries


def _number(value: Any, where: str, what: str) -> int:
    if type(value) is not int or not 1 <= value <= 4:
        raise ComponentsError(f"{where}: {what}: expected a number from 1 to 4, not {value!r}")
    return value


def _planet(entry: Any, index: int, where: str) -> Planet:
    what = f"planets[{index}]"
    _keys(entry, {"name", "jump", "scan", "landing", "origin"}, {"origin"}, where, what)
    name = entry["name"]
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ComponentsError(f"{where}: {what}: name: expected a text, not {name!r}")
    what = f"{what} {name!r}"
    _origin(entry, where, what)
    landing = entry["landing"]
    if not isinstance(landing, list) or len(landing) != 2:
        raise ComponentsError(f"{where}: {what}: landing: expected two numbers, not {landing!r}")
    a, b = (_number(v, where, f"{what}: landing") for v in landing)
    return Planet(
        name,
        _number(entry["jump"], where, f"{what}: jump"),
        _number(entry["scan"], where, f"{what}: scan"),
        (a, b),
    )


def _card(entry: Any, index: int, where: str) -> Card:
    what = f"cards[{index}]"
    _keys(entry, {"id", "origin", *COLOURS}, {"origin", *COLOURS}, where, what)
    card_id = entry["id"]
    if not isinstance(card_id, str) or not card_id.strip() or not card_id.isprintable():
        raise ComponentsError(f"{where}: {what}: id: expected a text, not {card_id!r}")
    what = f"{what} {card_id!r}"
    _origin(entry, where, what)
    values = {c: _values(entry[c], where, f"{what}: {c}") for c in COLOURS if c in entry}
    count = sum(map(len, values.values()))
    if count != 2:
        raise ComponentsError(
            f"{where}: {what}: expected two of the colours jump, scan, landing, or two numbers of one, "
            f"got {count} coordinate{'s' * (count != 1)}"
        )
    return Card(card_id, **values)


def _values(value: Any, where: str, what: str) -> tuple[int, ...]:
    """What stands for one colour of a card: a number, a joker, or two different numbers."""
    if isinstance(value, list):
        if len(value) != 2 or value[0] == value[1]:
            raise ComponentsError(f"{where}: {what}: expected two different numbers, not {value!r}")
        return tuple(sorted(_number(v, where, what) for v in value))
    return (JOKER,) if value == "?" else (_number(value, where, f"{what} (a number or '?')"),)


def _origin(entry: dict[str, Any], where: str, what: str) -> None:
    origin = entry.get("origin")
    for key in origin if isinstance(origin, dict) else ():
        if key not in entry or key == "origin":
            raise ComponentsError(f"{where}: {what}: origin: there is no entry {key!r}")
    # One origin for the whole entry, or a table of one for each of its values.
    values = list(origin.values()) if isinstance(origin, dict) else [] if origin is None else [origin]
    for value in values:
        if value not in ORIGINS:
            raise ComponentsError(
                f"{where}: {what}: origin: expected one of {', '.join(ORIGINS)}, not {value!r}"
            )


def _tiles(entry: Any, where: str) -> tuple[int, ...]:
    _keys(entry, set(KIND_NAMES), set(), where, "tiles")
    for kind in KIND_NAMES:
        if type(entry[kind]) is not int or not 0 <= entry[kind] <= POINT_TILES:
            raise ComponentsError(
                f"{where}: tiles: {kind}: expected a count from 0 to 48, not {entry[kind]!r}"
            )
    counts = tuple(entry[kind] for kind in KIND_NAMES)
    if sum(counts[:-1]) != POINT_TILES or counts[-1] != SPACE_TILES:
        raise ComponentsError(
            f"{where}: tiles: expected {POINT_TILES} point and {SPACE_TILES} space tiles, "
            f"got {sum(counts[:-1])} and {counts[-1]}"
        )
    return counts
