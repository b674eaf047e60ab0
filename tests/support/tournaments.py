"""What tests of tournaments share: a sink in memory, and reports without times."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def untimed(report: dict[str, Any]) -> Any:
    """The report without what a clock decides; its numbers to six decimals, as sums have an order."""
    rows = [{k: v for k, v in row.items() if k != "ms_per_decision"} for row in report["ladder"]]
    return json.loads(
        json.dumps({**report, "ladder": rows}), parse_float=lambda text: round(float(text), 6) + 0.0
    )


class Kept:
    """A sink in memory."""

    def __init__(self) -> None:
        self.records: list[np.ndarray] = []
        self.texts: list[tuple[int, str]] = []

    def finished(self, records: np.ndarray, texts: list[tuple[int, str]]) -> None:
        self.records.append(records)
        self.texts += texts

    def ordered(self) -> np.ndarray:
        records = np.concatenate(self.records)
        return records[np.argsort(records["game"])]
