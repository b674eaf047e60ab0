"""What the first line of a record says of Space Mission: its options and its box, both checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import Any

from spacemission_env.core.errors import RecordError
from spacemission_env.games.space_mission.components import Components, components_from_data
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, POINT_TILES, SPACE, SPACE_TILES
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.records.lines import short


def recorded_rules(header: dict[str, Any]) -> dict[str, Any]:
    """The options, every one of which must be there: defaults may change, a record may not."""
    entry = header.get("rules")
    if not isinstance(entry, dict):
        raise RecordError(f"rules: expected an object of options, not {short(entry)}")
    for option in fields(Rules):
        if entry.get(option.name) is None:
            raise RecordError(f"rules: {option.name!r} is missing")
    return entry


def recorded_components(header: dict[str, Any]) -> Components:
    """The box from the record alone; its sha256 is compared afterwards."""
    tiles = _tile_counts(header.get("setup"))
    entry = header.get("components")
    if not isinstance(entry, dict):
        raise RecordError(f"components: expected an object, not {short(entry)}")
    return components_from_data(
        {**{key: value for key, value in entry.items() if key != "sha256"}, "tiles": tiles}, "components"
    )


def _tile_counts(setup: Any) -> dict[str, int]:
    """How many tiles of each kind the box has: all of them lie in the piles of the set-up (SM-03)."""
    piles = setup.get("piles") if isinstance(setup, dict) else None
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise RecordError("setup: piles: expected lists of tile names")
    counts = Counter(tile for pile in piles for tile in pile if isinstance(tile, str))
    point = sum(counts[kind] for kind in KIND_NAMES[:SPACE])
    if (point, counts[KIND_NAMES[SPACE]]) != (POINT_TILES, SPACE_TILES):
        raise RecordError(
            f"setup: piles: expected {POINT_TILES} point and {SPACE_TILES} space tiles, "
            f"got {point} and {counts[KIND_NAMES[SPACE]]}"
        )
    return {kind: counts[kind] for kind in KIND_NAMES}
