"""Loads and validates components files (TOML)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from spacemission_env.core.components_files import check_format, check_keys, check_text, load_source
from spacemission_env.core.errors import ComponentsError
from spacemission_env.core.move_texts import move_key
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.actions import CARD_JOINT
from spacemission_env.games.space_mission.components.parts import Card, Components, Planet, read_face
from spacemission_env.games.space_mission.engine import constants as c

FORMAT = 1
ORIGINS = ("rulebook", "review", "box", "ours")


def load_components(source: object = None) -> Components:
    """Load and validate a components file; ``None`` means the default file, ``"tiny"`` the tiny one.

    Raises:
        ComponentsError: the file is not valid; the message names the file, the entry and the fault.
    """
    data = "spacemission_env.games.space_mission.data"
    return load_source(source, Components, data, "default.toml", components_from_data)


def components_from_data(data: Json, where: str) -> Components:
    """Validate components given as plain data (a parsed file, or a record's header)."""
    needed = ("cards", "name", "planets", "tiles")
    check_keys(data, (*needed, "format", "origin", "ring"), needed, f"{where}: the file")
    check_format(data, FORMAT, where)
    name = check_text(data["name"], f"{where}: name")
    _check_origin(data, f"{where}: the file")
    small = "ring" in data
    ring = _read_ring(data["ring"], where) if small else c.RING
    if not small:
        _refuse_unfilled(data, where)
    planets = [
        _read_planet(one, f"{where}: planets[{i}]")
        for i, one in enumerate(_read_list(data, "planets", ring if small else c.PLANETS, c.PLANETS, where))
    ]
    names: set[str] = set()
    for i, planet in enumerate(planets):
        if planet.name in names:
            raise ComponentsError(f"{where}: planets[{i}] {planet.name!r}: the name stands twice")
        names.add(planet.name)
    cards = [
        _read_card(one, f"{where}: cards[{i}]")
        for i, one in enumerate(_read_list(data, "cards", 1 if small else c.CARDS, c.CARDS, where))
    ]
    faces: dict[str, Card] = {}
    for i, card in enumerate(cards):
        if faces.setdefault(card.id, card) != card:
            raise ComponentsError(
                f"{where}: cards[{i}] {card.id!r}: the same id stands for another card before"
            )
    _refuse_alike(planets, faces, where)
    tiles = _read_tiles(data["tiles"], ring if small else None, f"{where}: tiles")
    loaded = Components(name, tuple(planets), tuple(cards), tiles, ring=ring)
    return replace(loaded, sha256=_digest(loaded))


def _refuse_alike(planets: Iterable[Planet], cards: Iterable[str], where: str) -> None:
    """Refuse names that moves cannot tell apart, because `Game.parse_move` ignores case and blanks."""
    texts: dict[str, str] = {}
    for text in (f"{planet.name} {card}" for planet, card in product(planets, cards)):
        other = texts.setdefault(move_key(text), text)
        if other != text:
            raise ComponentsError(
                f"{where}: planets and cards: {other!r} and {text!r} differ only in case or blanks"
            )


def _digest(components: Components) -> str:
    # The digest covers the meaning, not the bytes: other comments or origins do not make another game.
    plain = {**components.to_json(), "tiles": list(components.tiles)}
    for key in ("sha256", "name"):
        del plain[key]
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


# ---------------------------------------------------------------- entries; `at` names the place in errors


def _read_ring(value: object, where: str) -> int:
    """Read the number of planets in the ring, 2 to 8; only a file for a smaller box gives it."""
    if type(value) is not int or not 2 <= value <= c.RING:
        raise ComponentsError(
            f"{where}: ring: expected a number of planets from 2 to {c.RING}, not {value!r}"
        )
    return value


def _read_list(data: Json, key: str, fewest: int, most: int, where: str) -> list[object]:
    entries = data[key]
    if not isinstance(entries, list) or not fewest <= len(entries) <= most:
        got = len(entries) if isinstance(entries, list) else repr(entries)
        expected = f"exactly {most}" if fewest == most else f"{fewest} to {most}"
        raise ComponentsError(f"{where}: {key}: expected {expected} entries, got {got}")
    return entries


def _read_number(value: object, at: str) -> int:
    if type(value) is not int or not 1 <= value <= 4:
        raise ComponentsError(f"{at}: expected a number from 1 to 4, not {value!r}")
    return value


def _read_planet(given: object, at: str) -> Planet:
    needed = ("name", "jump", "scan", "landing")
    entry = check_keys(given, (*needed, "origin"), needed, at)
    name = check_text(entry["name"], f"{at}: name")
    at = f"{at} {name!r}"
    _check_origin(entry, at)
    landing = entry["landing"]
    if not isinstance(landing, list) or len(landing) != 2:
        raise ComponentsError(f"{at}: landing: expected two numbers, not {landing!r}")
    a, b = (_read_number(v, f"{at}: landing") for v in landing)
    jump, scan = (_read_number(entry[key], f"{at}: {key}") for key in ("jump", "scan"))
    return Planet(name, jump, scan, (a, b))


def _read_card(given: object, at: str) -> Card:
    """Read a card, which is given as its face or as a table of its id and its numbers by colour."""
    if isinstance(given, str):
        try:
            return Card.from_face(given)
        except ValueError as error:
            raise ComponentsError(f"{at} {given!r}: {error}") from None
    if not isinstance(given, dict):
        raise ComponentsError(f"{at}: expected an id such as 'J1S3' or a table, not {given!r}")
    entry = check_keys(given, ("id", "origin", *c.COLOURS), ("id",), at)
    card_id = check_text(entry["id"], f"{at}: id")
    at = f"{at} {card_id!r}"
    if CARD_JOINT in card_id:
        raise ComponentsError(f"{at}: id: {CARD_JOINT!r} stands between the cards of a move")
    _check_origin(entry, at)
    values = {
        colour: _read_values(entry[colour], f"{at}: {colour}") for colour in c.COLOURS if colour in entry
    }
    count = sum(map(len, values.values()))
    if count != 2:
        raise ComponentsError(
            f"{at}: expected two of the colours jump, scan, landing, or two numbers of one, "
            f"got {count} coordinate{'s' * (count != 1)}"
        )
    card = Card(card_id, **values)
    if read_face(card_id) not in (None, values):
        raise ComponentsError(f"{at}: the id reads as a face, but its numbers are {card.face}")
    return card


def _read_values(value: object, at: str) -> tuple[int, ...]:
    """Read one colour of a card: a number, a joker, or two different numbers."""
    if isinstance(value, list):
        if len(value) != 2 or value[0] == value[1]:
            raise ComponentsError(f"{at}: expected two different numbers, not {value!r}")
        return tuple(sorted(_read_number(v, at) for v in value))
    return (c.JOKER,) if value == "?" else (_read_number(value, f"{at} (a number or '?')"),)


def _check_origin(entry: Json, at: str) -> None:
    """Check the origin of an entry: one of `ORIGINS`, or a table with one of them for each value."""
    origin = {} if entry.get("origin") is None else entry["origin"]
    for key in origin if isinstance(origin, dict) else ():
        if key not in entry or key == "origin":
            raise ComponentsError(f"{at}: origin: there is no entry {key!r}")
    for value in origin.values() if isinstance(origin, dict) else (origin,):
        if value not in ORIGINS:
            raise ComponentsError(f"{at}: origin: expected one of {', '.join(ORIGINS)}, not {value!r}")


def _read_tiles(given: object, ring: int | None, at: str) -> tuple[int, ...]:
    entry = check_keys(given, c.KIND_NAMES, c.KIND_NAMES, at)
    for kind in c.KIND_NAMES:
        if type(entry[kind]) is not int or not 0 <= entry[kind] <= c.POINT_TILES:
            raise ComponentsError(f"{at}: {kind}: expected a count from 0 to 48, not {entry[kind]!r}")
    counts = tuple(entry[kind] for kind in c.KIND_NAMES)
    if ring is not None:  # a smaller box
        if sum(counts) % ring or not 1 <= sum(counts) // ring <= c.PILE or counts[-1] > c.SPACE_TILES:
            raise ComponentsError(
                f"{at}: expected 1 to {c.PILE} tiles for each of {ring} planets and at most "
                f"{c.SPACE_TILES} space tiles, got {sum(counts)} and {counts[-1]}"
            )
    elif sum(counts[:-1]) != c.POINT_TILES or counts[-1] != c.SPACE_TILES:
        raise ComponentsError(
            f"{at}: expected {c.POINT_TILES} point and {c.SPACE_TILES} space tiles, "
            f"got {sum(counts[:-1])} and {counts[-1]}"
        )
    return counts


def _refuse_unfilled(data: Json, where: str) -> None:
    """Refuse a file of `spacemission components new` that still has empty names or zeros."""
    planets, cards, tiles = data["planets"], data["cards"], data["tiles"]
    entries = enumerate(planets if isinstance(planets, list) else [])
    empty = [
        f"planets[{i}] {planet.get('name')!r}: {key}"
        for i, planet in entries
        if isinstance(planet, dict)
        for key in ("name", "jump", "scan", "landing")
        if planet.get(key) in ("", 0) or (isinstance(planet.get(key), list) and 0 in planet[key])
    ]
    if not empty and cards != []:
        return
    left = []
    if empty:
        left.append(f"planets: empty or 0 in {len(empty)} places, the first is {empty[0]}")
    if isinstance(cards, list) and len(cards) < c.CARDS:
        left.append(f"cards: {c.CARDS - len(cards)} of {c.CARDS}")
    if isinstance(tiles, dict):
        counts = [tiles.get(kind, 0) for kind in c.KIND_NAMES[:-1]]
        missing = c.POINT_TILES - sum(count for count in counts if type(count) is int)
        if missing > 0:
            left.append(f"tiles: {missing} of {c.POINT_TILES} point tiles")
    raise ComponentsError(f"{where}: still to be filled in: {'; '.join(left)}")
