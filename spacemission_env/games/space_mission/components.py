"""The box as data: planets, cards and tile counts from a components file (TOML), validated on load.

The default table ships with the package (``data/default.toml``); any user may replace it. See
SM-11, SM-12 and docs/components.md.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.core.reading import COMPONENTS_BYTES, parse_toml, read_bytes
from spacemission_env.games.space_mission.box_entries import (
    check_keys,
    check_origin,
    read_card,
    read_list,
    read_planet,
    read_tiles,
    refuse_unfilled,
)
from spacemission_env.games.space_mission.box_parts import Card, Components, Planet
from spacemission_env.games.space_mission.engine.constants import CARDS, PLANETS

__all__ = ["Card", "Components", "Planet", "components_from_data", "load_components", "parse_components"]

FORMAT = 1


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
        raise ComponentsError(f"components: expected a path or None, not {shown(source)}")
    text = read_bytes(source, COMPONENTS_BYTES, ComponentsError, f"components file {str(source)!r}")
    return parse_components(text, str(source))


@lru_cache(maxsize=1)
def _default() -> Components:
    file = resources.files("spacemission_env.games.space_mission.data").joinpath("default.toml")
    return parse_components(file.read_bytes(), "default.toml")


def parse_components(text: bytes, where: str) -> Components:
    """Parse and validate the bytes of a components file; ``where`` names it in errors."""
    if not isinstance(text, bytes):
        raise ComponentsError(f"{where}: expected the bytes of a file, not {shown(text)}")
    return components_from_data(parse_toml(text, ComponentsError, where), where)


def components_from_data(data: dict[str, Any], where: str) -> Components:
    """Validate a components table given as plain data (a parsed file, or a record's header)."""
    known = {"format", "name", "origin", "tiles", "planets", "cards"}
    check_keys(data, known, {"format", "origin"}, where, "the file")
    if data.get("format", FORMAT) is True or data.get("format", FORMAT) != FORMAT:
        raise ComponentsError(
            f"{where}: format: {data['format']!r} is not known, this version reads {FORMAT}"
        )
    name = data["name"]
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ComponentsError(f"{where}: name: expected a text, not {name!r}")
    check_origin(data, where, "the file")
    refuse_unfilled(data, where)
    planets = [
        read_planet(entry, i, where) for i, entry in enumerate(read_list(data, "planets", PLANETS, where))
    ]
    seen: set[str] = set()
    for i, planet in enumerate(planets):
        if planet.name in seen:
            raise ComponentsError(f"{where}: planets[{i}] {planet.name!r}: the name stands twice")
        seen.add(planet.name)
    cards = [read_card(entry, i, where) for i, entry in enumerate(read_list(data, "cards", CARDS, where))]
    faces: dict[str, Card] = {}
    for i, card in enumerate(cards):
        if faces.setdefault(card.id, card) != card:
            raise ComponentsError(
                f"{where}: cards[{i}] {card.id!r}: the same id stands for another card before"
            )
    tiles = read_tiles(data["tiles"], where)
    loaded = Components(name, tuple(planets), tuple(cards), tiles)
    return Components(name, loaded.planets, loaded.cards, tiles, _digest(loaded))


def _digest(components: Components) -> str:
    # Over the meaning, not the bytes: comments and origins may change without making another game.
    plain = {**components.to_json(), "tiles": list(components.tiles)}
    for key in ("sha256", "name"):
        del plain[key]
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
