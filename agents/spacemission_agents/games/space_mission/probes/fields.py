"""The fields of a position as probe files write them, read and checked one by one.

    players, player (to act), start, round, actions_left, phase
    ring      names of the eight planets, clockwise
    hand      cards of the player to act; all other seats hold five unknown ones
    draw      cards in the draw pile; the rest lies on the discard pile
    gate      probes on the jump gate, by seat
    ships     planet of each ship, by seat; "" is the gate
    planets   by name: {station = seat, taken = "0:water 1:?*2", pile = "medal space*3"}

`taken` lists in order who took which tile from the pile: on a planet without a station these are the
reserved tiles. `?` is some point tile. A seat remembers the pile as it last left it (SM-71).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_agents.probing.asking import ProbeError
from spacemission_env.games.space_mission.engine.constants import CARDS, KIND_NAMES, PHASE_NAMES, RING, SPACE

RING_NAMES = (
    "Freezer",  # jump 1, scan 1, landing 1 2
    "Hazard",  # 1 2 3 4
    "Caldera",  # 1 3 1 3
    "Green Heggar",  # 2 2 1 4
    "Tidefall",  # 2 3 2 3
    "Ironvale",  # 2 4 2 4
    "Ruby Red",  # 3 3 1 2
    "Duskmere",  # 3 4 3 4
)
DEFAULTS: dict[str, Any] = {
    "players": 2,
    "player": 0,
    "start": 0,
    "round": 1,
    "actions_left": 2,
    "phase": "action",
    "ring": list(RING_NAMES),
    "hand": "",
    "draw": 25,
    "gate": [],
    "ships": [],
    "planets": {},
    "seed": 1,
}
COUNTS = [str(i) for i in range(1, CARDS + 1)]  # what may stand after a "*"
PLANET_FIELDS = {"station": int, "taken": str, "pile": str}


def words(text: str, field: str) -> list[str]:
    """Words of a list, `medal*3` standing for three of them."""
    out = []
    for word in text.split():
        name, star, count = word.rpartition("*")
        if star and count not in COUNTS:
            raise ProbeError(f"{field}: {word!r}: expected a number from 1 to {len(COUNTS)} after '*'")
        out += [name] * int(count) if star else [word]
    return out


def filled(table: Mapping[str, Any]) -> dict[str, Any]:
    """The position with its defaults; ProbeError: a field is unknown, of another type or out of range."""
    for key, value in table.items():
        if key not in DEFAULTS:
            raise ProbeError(f"{key}: unknown field; known: {', '.join(DEFAULTS)}")
        if type(value) is not type(DEFAULTS[key]):
            raise ProbeError(f"{key}: expected {_typed(DEFAULTS[key])}, not {value!r}")
    at = {**DEFAULTS, **table}
    n = at["players"]
    limits = {"players": (2, 5), "player": (0, n - 1), "start": (0, n - 1), "round": (1, 100)}
    limits |= {"actions_left": (0, 2), "draw": (0, CARDS), "seed": (0, 2**62)}
    for key, (low, high) in limits.items():
        if not low <= at[key] <= high:
            raise ProbeError(f"{key}: expected {low} to {high}, not {at[key]}")
    _listed(at["ring"], "ring", str, RING)
    for key, kind, blank in (("gate", int, 0), ("ships", str, "")):
        at[key] = _listed(at[key] or [blank] * n, key, kind, n)
    if at["phase"] not in PHASE_NAMES[:-1]:
        raise ProbeError(f"phase: expected one of {', '.join(PHASE_NAMES[:-1])}, not {at['phase']!r}")
    for name, entry in at["planets"].items():
        _check_planet(name, entry)
    return at


def _typed(value: Any) -> str:
    return {int: "a whole number", str: "a text", list: "a list", dict: "a table"}[type(value)]


def _listed(value: list[Any], field: str, kind: type, count: int) -> list[Any]:
    if len(value) != count or any(type(entry) is not kind for entry in value):
        raise ProbeError(f"{field}: expected {count} entries, each {_typed(kind())}, not {value!r}")
    return value


def _check_planet(name: str, entry: Any) -> None:
    if not isinstance(entry, dict):
        raise ProbeError(f"planets.{name}: expected a table, not {entry!r}")
    for key, value in entry.items():
        if key not in PLANET_FIELDS:
            raise ProbeError(f"planets.{name}.{key}: unknown field; known: {', '.join(PLANET_FIELDS)}")
        if type(value) is not PLANET_FIELDS[key]:
            raise ProbeError(f"planets.{name}.{key}: expected {_typed(PLANET_FIELDS[key]())}, not {value!r}")


def index_of(name: str, known: Sequence[str], field: str, noun: str) -> int:
    """Place of a name among the known ones; ProbeError where it is none of them."""
    if name not in known:
        raise ProbeError(f"{field}: unknown {noun} {name!r}")
    return list(known).index(name)


def taken_by(word: str, field: str, players: int) -> tuple[int, int | None]:
    """Seat and kind of a taken tile, `1:water`; None for `?`, some point tile."""
    seat, colon, name = word.partition(":")
    if not colon or seat not in map(str, range(players)):
        raise ProbeError(f"{field}: {word!r}: expected seat:tile")
    return int(seat), None if name == "?" else index_of(name, KIND_NAMES[:SPACE], field, "tile")
