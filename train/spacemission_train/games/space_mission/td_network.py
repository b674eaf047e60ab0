"""Several values as one network, wider by all of them, that says the mean of what they say.

The values of independent runs miss in different ways, so their mean misses less than each of them (Hansen
and Salamon, "Neural Network Ensembles", 1990); and the one network can be trained on.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.value.features import RATED
from spacemission_agents.games.space_mission.value.network import INPUT, POOLS

Arrays = dict[str, np.ndarray]  # the tensors of a value (afterstate/network.py)
TABLES = ("table.weight", "table.bias", "rated.weight")  # rows: for the planets, then of the table alone


def side_by_side(values: list[Arrays]) -> Arrays:
    """One network of them, whose layers hold theirs; one that reads no ratings reads none there either."""
    rated = any(f"{INPUT}.rated.weight" in value for value in values)
    values = [_named(value, rated) for value in values]
    wide = [len(value["planet.weight"]) for value in values]
    joined = {"planet.weight": np.concatenate([value["planet.weight"] for value in values])}
    for name in TABLES if rated else TABLES[:2]:
        both = [(value[name][:w], value[name][w:]) for value, w in zip(values, wide, strict=True)]
        joined[name] = np.concatenate([part[0] for part in both] + [part[1] for part in both])
    joined["joined.weight"] = _blocks([_pooled(value) for value in values])
    joined["joined.bias"] = np.concatenate([value["joined.bias"] for value in values])
    joined["told.weight"] = np.concatenate([value["told.weight"] for value in values], 1) / len(values)
    joined["told.bias"] = np.mean([value["told.bias"] for value in values], axis=0)
    return {f"{INPUT}.{name}": array.astype(np.float32) for name, array in joined.items()}


def _named(value: Arrays, rated: bool) -> Arrays:
    short = {name.removeprefix(f"{INPUT}."): array for name, array in value.items()}
    if rated and "rated.weight" not in short:
        short["rated.weight"] = np.zeros((len(short["table.bias"]), RATED), np.float32)
    return short


def _pooled(value: Arrays) -> list[np.ndarray]:
    # The columns of the joined layer by what they read: each pool of the planets, and the table.
    wide = len(value["planet.weight"])
    weight = value["joined.weight"]
    return [weight[:, pool * wide : (pool + 1) * wide] for pool in range(POOLS)] + [weight[:, POOLS * wide :]]


def _blocks(values: list[list[np.ndarray]]) -> np.ndarray:
    # Each value's rows read what is its own of each part.
    parts = []
    for of in zip(*values, strict=True):
        rows, columns = sum(len(one) for one in of), sum(one.shape[1] for one in of)
        part, row, column = np.zeros((rows, columns), np.float32), 0, 0
        for one in of:
            part[row : row + len(one), column : column + one.shape[1]] = one
            row, column = row + len(one), column + one.shape[1]
        parts.append(part)
    return np.concatenate(parts, axis=1)
