"""Reads and checks the weights of a hand-written agent.

A weights file is TOML with a table `[weights]`; a missing weight has its default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import WEIGHTS_TABLE_BYTES, Json, read_toml


@dataclass(frozen=True)
class Weight:
    """One weight."""

    name: str
    default: float
    meaning: str
    low: float  # inclusive, like `high`
    high: float


class WeightTable:
    """The declared weights of an agent.

    `names`: names of the weights, in order; `record`: dtype with a float64 field for each weight.
    """

    def __init__(self, *weights: Weight) -> None:
        self._weights = weights
        self.names = tuple(weight.name for weight in weights)
        self.record = np.dtype((np.record, [(name, "f8") for name in self.names]))

    def __iter__(self) -> Iterator[Weight]:
        return iter(self._weights)

    def make(self, values: dict[str, float] | None = None) -> np.ndarray:
        """Weights as an array of one record (1,): the defaults, with some replaced by `values`.

        AgentError: a name is unknown, or a value is not a number or out of range.
        """
        known = {weight.name: weight for weight in self}
        weights = np.zeros(1, self.record)
        for weight in self:
            weights[weight.name] = weight.default
        for name, value in (values or {}).items():
            if name not in known:
                raise AgentError(f"unknown weight {name!r}")
            low, high = known[name].low, known[name].high
            if type(value) not in (int, float) or not low <= value <= high:
                raise AgentError(f"weight {name}: expected a number from {low} to {high}, not {value!r}")
            weights[name] = value
        return weights

    def load(self, path: str | Path) -> np.ndarray:
        """The weights of a TOML file as `make` returns them; AgentError if the file is invalid."""
        where = f"agent 'heuristic': weights {str(path)!r}"
        table = read_toml(path, WEIGHTS_TABLE_BYTES, AgentError, where)
        try:
            return self.make(_values(table))
        except AgentError as error:
            raise AgentError(f"{where}: {error}") from error

    def shipped(self, package: str, file: str) -> np.ndarray:
        """The weights of a file in a package, as `make` returns them."""
        return self.make(_values(tomllib.loads(files(package).joinpath(file).read_text("utf-8"))))


def _values(table: Json) -> Json:
    values = table.get("weights")
    if not isinstance(values, dict):
        raise AgentError("expected a table [weights]")
    return values
