"""Reads the weights of a hand-written agent.

A game ships its weights as TOML: a table `[weights]` with the name and the value of each weight, and its
meaning in a comment. A user's file has such a table too, and replaces some of the weights.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np

from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import WEIGHTS_TABLE_BYTES, Json, read_toml

LARGEST = 1e6  # so that no value of a move comes near the mark of an illegal one


def shipped_weights(package: str, *names: str) -> np.ndarray:
    """The weights of files in a package: a record for each file, with a float64 field for each weight."""
    tables = [tomllib.loads(files(package).joinpath(name).read_text("utf-8"))["weights"] for name in names]
    record = np.dtype((np.record, [(weight, "f8") for weight in tables[0]]))
    return np.array([tuple(table[weight] for weight in tables[0]) for table in tables], record)


def replace_weights(weights: np.ndarray, values: Json) -> np.ndarray:
    """A copy of `weights` with some replaced by `values` in each record.

    AgentError: a name is unknown, or a value is not a number from -`LARGEST` to `LARGEST`.
    """
    weights = weights.copy()
    for name, value in values.items():
        if name not in (weights.dtype.names or ()):
            raise AgentError(f"unknown weight {name!r}")
        if type(value) not in (int, float) or not abs(value) <= LARGEST:
            allowed = f"a number from -{LARGEST:.0f} to {LARGEST:.0f}"
            raise AgentError(f"weight {name}: expected {allowed}, not {value!r}")
        weights[name] = value
    return weights


def load_weights(path: str | Path, shipped: np.ndarray) -> np.ndarray:
    """The shipped weights with those of a TOML file in place; AgentError if the file is invalid."""
    where = f"agent 'heuristic': weights {str(path)!r}"
    values = read_toml(path, WEIGHTS_TABLE_BYTES, AgentError, where).get("weights")
    if not isinstance(values, dict):
        raise AgentError(f"{where}: expected a table [weights]")
    try:
        return replace_weights(shipped, values)
    except AgentError as error:
        raise AgentError(f"{where}: {error}") from error
