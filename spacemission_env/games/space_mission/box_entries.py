"""The entries of a components file, each read and checked; what is wrong is refused with one line."""

from __future__ import annotations

from typing import Any

from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.games.space_mission.box_parts import Card, Planet, read_face
from spacemission_env.games.space_mission.engine.constants import (
    CARDS,
    COLOURS,
    JOKER,
    KIND_NAMES,
    POINT_TILES,
    SPACE_TILES,
)

ORIGINS = ("rulebook", "review", "box", "ours")


def check_keys(entry: Any, known: set[str], optional: set[str], where: str, what: str) -> None:
    """Refuse what is no table, has an entry that is not known, or lacks one that is not optional."""
    if not isinstance(entry, dict):
        raise ComponentsError(f"{where}: {what}: expected a table, not {shown(entry)}")
    unknown = sorted(set(entry) - known, key=shown)  # as plain data they need not all be texts
    if unknown:
        raise ComponentsError(f"{where}: {what}: unknown entry {shown(unknown[0])}")
    missing = sorted(known - optional - set(entry))
    if missing:
        raise ComponentsError(f"{where}: {what}: {missing[0]!r} is missing")


def read_list(data: dict[str, Any], key: str, count: int, where: str) -> list[Any]:
    """A list of the file, which must have that many entries."""
    entries = data[key]
    if not isinstance(entries, list) or len(entries) != count:
        got = len(entries) if isinstance(entries, list) else repr(entries)
        raise ComponentsError(f"{where}: {key}: expected exactly {count} entries, got {got}")
    return entries


def read_number(value: Any, where: str, what: str) -> int:
    """A coordinate of a planet or card."""
    if type(value) is not int or not 1 <= value <= 4:
        raise ComponentsError(f"{where}: {what}: expected a number from 1 to 4, not {value!r}")
    return value


def read_planet(entry: Any, index: int, where: str) -> Planet:
    """A planet: a table of its name and numbers."""
    what = f"planets[{index}]"
    check_keys(entry, {"name", "jump", "scan", "landing", "origin"}, {"origin"}, where, what)
    name = entry["name"]
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ComponentsError(f"{where}: {what}: name: expected a text, not {name!r}")
    what = f"{what} {name!r}"
    check_origin(entry, where, what)
    landing = entry["landing"]
    if not isinstance(landing, list) or len(landing) != 2:
        raise ComponentsError(f"{where}: {what}: landing: expected two numbers, not {landing!r}")
    a, b = (read_number(v, where, f"{what}: landing") for v in landing)
    return Planet(
        name,
        read_number(entry["jump"], where, f"{what}: jump"),
        read_number(entry["scan"], where, f"{what}: scan"),
        (a, b),
    )


def read_card(entry: Any, index: int, where: str) -> Card:
    """A card: its id alone, which is then its face; or a table of an id and the numbers by colour."""
    what = f"cards[{index}]"
    if isinstance(entry, str):
        try:
            return Card.from_face(entry)
        except ValueError as error:
            raise ComponentsError(f"{where}: {what} {entry!r}: {error}") from None
    if not isinstance(entry, dict):
        raise ComponentsError(f"{where}: {what}: expected an id such as 'J1S3' or a table, not {entry!r}")
    check_keys(entry, {"id", "origin", *COLOURS}, {"origin", *COLOURS}, where, what)
    card_id = entry["id"]
    if not isinstance(card_id, str) or not card_id.strip() or not card_id.isprintable():
        raise ComponentsError(f"{where}: {what}: id: expected a text, not {card_id!r}")
    what = f"{what} {card_id!r}"
    check_origin(entry, where, what)
    values = {c: read_values(entry[c], where, f"{what}: {c}") for c in COLOURS if c in entry}
    count = sum(map(len, values.values()))
    if count != 2:
        raise ComponentsError(
            f"{where}: {what}: expected two of the colours jump, scan, landing, or two numbers of one, "
            f"got {count} coordinate{'s' * (count != 1)}"
        )
    card = Card(card_id, **values)
    read = read_face(card_id)
    if read is not None and {c: tuple(sorted(v)) for c, v in read.items()} != values:
        raise ComponentsError(f"{where}: {what}: the id reads as a face, but its numbers are {card.face}")
    return card


def read_values(value: Any, where: str, what: str) -> tuple[int, ...]:
    """What stands for one colour of a card: a number, a joker, or two different numbers."""
    if isinstance(value, list):
        if len(value) != 2 or value[0] == value[1]:
            raise ComponentsError(f"{where}: {what}: expected two different numbers, not {value!r}")
        return tuple(sorted(read_number(v, where, what) for v in value))
    return (JOKER,) if value == "?" else (read_number(value, where, f"{what} (a number or '?')"),)


def check_origin(entry: dict[str, Any], where: str, what: str) -> None:
    """Where values come from is for people; it is only checked to be one of `ORIGINS`."""
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


def read_tiles(entry: Any, where: str) -> tuple[int, ...]:
    """The number of tiles of each kind, in the order of `KIND_NAMES`."""
    check_keys(entry, set(KIND_NAMES), set(), where, "tiles")
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


def refuse_unfilled(data: dict[str, Any], where: str) -> None:
    """Say what is left to fill in, in a file as `spacemission components new` writes it, or half filled in.

    There a name is empty or a number 0. Nothing happens where no planet lacks a value and there is any card.
    """
    planets, cards, tiles = data["planets"], data["cards"], data["tiles"]
    empty = _empty_places(planets) if isinstance(planets, list) else []
    if not empty and cards != []:
        return
    left = []
    if empty:
        are = "value is" if len(empty) == 1 else "values are"
        left.append(f"planets: {len(empty)} {are} empty or 0, the first is {empty[0]}")
    if isinstance(cards, list) and len(cards) < CARDS:
        left.append(f"cards: {CARDS - len(cards)} of {CARDS}")
    if isinstance(tiles, dict):
        counts = [tiles.get(kind, 0) for kind in KIND_NAMES[:-1]]
        missing = POINT_TILES - sum(count for count in counts if type(count) is int)
        if missing > 0:
            left.append(f"tiles: {missing} of {POINT_TILES} point tiles")
    raise ComponentsError(f"{where}: still to be filled in: {'; '.join(left)}")


def _empty_places(planets: list[Any]) -> list[str]:
    """The entries of planets that are empty or 0, by their names."""
    places = []
    for i, planet in enumerate(planets):
        entries = planet if isinstance(planet, dict) else {}
        name = entries.get("name")
        label = f"planets[{i}] {name!r}" if name else f"planets[{i}]"
        for key in ("name", "jump", "scan", "landing"):
            value = entries.get(key)
            values = value if isinstance(value, list) else [value]
            places += [f"{label}: {key}" for v in values if v == "" or (type(v) is int and v == 0)]
    return places
