"""Model folders of older observation layouts, brought up to this one without changing a move.

A newer layout has all pieces of the older ones, in the same order, and more (`Piece.since`). A layer that
reads numbers which the older layout had not gets columns of zeros for them, at the places where they stand
now; the kernel passes over such inputs (models/layers.py), so each sum is the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.network import first_since, planet_since
from spacemission_agents.models.card import CONVERTED
from spacemission_env.games.space_mission.engine.layout import LAYOUT, LAYOUT_VERSION
from spacemission_env.games.space_mission.options import LATER_OPTIONS

# Options that came with a layout, each with the value by which games were played before.
NEW_OPTIONS: dict[int, dict[str, Any]] = {2: LATER_OPTIONS}


def known_layout(version: Any) -> bool:
    """Whether folders of this layout version are read."""
    return type(version) is int and 1 <= version <= LAYOUT_VERSION


def observation_size(version: int) -> int:
    """How many numbers an observation of a layout version has."""
    return sum(piece.size for piece in LAYOUT.values() if piece.since <= version)


def upgraded_card(card: dict[str, Any], version: int) -> dict[str, Any]:
    """The card of a layout version, which it names, as one of this version; `training` tells of it.

    Its entries are not checked here (models/card.py); what does not fit is left as it is.
    """
    if version == LAYOUT_VERSION:
        return card
    new = {**card, "layout_version": LAYOUT_VERSION}
    if card.get("observation_size") == observation_size(version):
        new["observation_size"] = observation_size(LAYOUT_VERSION)
    if isinstance(card.get("rules"), dict):
        new["rules"] = dict(card["rules"])
        for since in range(version + 1, LAYOUT_VERSION + 1):
            new["rules"] |= NEW_OPTIONS.get(since, {})
    if isinstance(card.get("training"), dict):
        new["training"] = {**card["training"], CONVERTED: version}
    return new


def read_columns(network: dict[str, Any]) -> dict[str, np.ndarray]:
    """The layout version that each column came with, int64 (in,), for each tensor that reads inputs.

    `network`: of a card (models/card.py).
    """
    columns = {}
    for name in ("policy", "value") if "value" in network else ("policy",):
        if network.get("planets", 0):
            columns[f"{name}.planet.weight"] = planet_since(network, name)
        if network.get("cards", 0):
            columns[f"{name}.pair.weight"] = planet_since(network, name)
        columns[f"{name}.0.weight"] = first_since(network, name)
    return columns


def shapes_of_version(
    shapes: dict[str, tuple[int, ...]], network: dict[str, Any], version: int
) -> dict[str, tuple[int, ...]]:
    """The shapes that a network's tensors (models.folder.tensor_shapes) had with a layout version."""
    columns = read_columns(network).items()
    return shapes | {name: (shapes[name][0], int((since <= version).sum())) for name, since in columns}


def upgraded_arrays(
    arrays: dict[str, np.ndarray], network: dict[str, Any], version: int
) -> dict[str, np.ndarray]:
    """Tensors of a network that was trained on a layout version, as they are for this one."""
    upgraded = dict(arrays)
    for name, since in read_columns(network).items():
        upgraded[name] = np.zeros((len(arrays[name]), len(since)), np.float32)
        upgraded[name][:, since <= version] = arrays[name]
    return upgraded
