"""Counts what was tried and keeps the shortest example of each finding."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from spacemission_env.core.errors import printable

ROWS = 12  # differing lines of an example that are printed
Example = Callable[[], tuple[list[str], list[str]]]  # the moves of both games, made only if they are kept


def rows(value: Any, name: str = "") -> dict[str, str]:
    """A view as lines of text by place: array elements, entries of a dict or of JSON, lines of a text."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            value = json.loads(value)
    found = {}
    if isinstance(value, np.ndarray):
        found[f"{name} type"] = f"{value.dtype} {value.shape}"
        value = value.tolist()
    if isinstance(value, Mapping):
        parts = [(f"{name}.{key}" if name else str(key), part) for key, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = [(f"{name}[{i}]", part) for i, part in enumerate(value)]
    elif isinstance(value, str) and "\n" in value:
        parts = [(f"{name} line {i + 1}", part) for i, part in enumerate(value.split("\n"))]
    else:
        text = value if isinstance(value, str) else repr(value)
        return {**found, name: re.sub(" at 0x[0-9a-f]+", "", text) if " at 0x" in text else text}
    for place, part in parts:
        found |= rows(part, place)
    return found


def same(left: Any, right: Any) -> bool:
    """Whether two views are equal in type, shape and every value (NaN equals NaN)."""
    with contextlib.suppress(Exception):  # an info may hold anything
        if pickle.dumps(left) == pickle.dumps(right):
            return True
    return rows(left) == rows(right)


@dataclass
class Finding:
    """How a check failed; `moves` and `views` are those of the two games of the shortest example."""

    check: str
    what: str
    times: int
    moves: tuple[list[str], list[str]]
    views: Sequence[Any]

    def lines(self, width: int) -> list[str]:
        """The example as text, side by side."""
        ours, theirs = ({str(n): move for n, move in enumerate(moves, 1)} for moves in self.moves)
        changed, seen = _differences(ours, theirs), _differences(*(rows(view, "view") for view in self.views))
        wide = min(24, max(len(row[0]) for row in [*changed, *seen, ("",)]))
        half = max((width - wide - 9) // 2, 16)
        first = f"  moves of both games: {'; '.join(self.moves[0]) or 'none'}"
        if changed:
            first = f"  {len(ours)} moves; those that differ between the two games:"
        out = [printable(_part(first, 0, 6 * width))]
        for title, table in (("", changed), ("  what differs:", seen)):
            out += [title] if title else []
            for place, *texts in table[:ROWS]:
                start = next((i for i, pair in enumerate(zip(*texts, strict=False)) if pair[0] != pair[1]), 0)
                start = 0 if max(map(len, texts)) <= half else max(0, start - half // 3)
                left, right = (printable(_part(text, start, half)) for text in texts)
                out.append(f"    {place[:wide]:<{wide}}  {left:<{half}} | {right}")
            out += [f"    … and {len(table) - ROWS} more lines"] if len(table) > ROWS else []
        return out


def _differences(left: Mapping[str, str], right: Mapping[str, str]) -> list[tuple[str, str, str]]:
    pairs = [(place, left.get(place, "(none)"), right.get(place, "(none)")) for place in {**left, **right}]
    return [pair for pair in pairs if pair[1] != pair[2]]


def _part(text: str, start: int, width: int) -> str:
    cut = ("…" if start else "") + text[start:]
    return cut if len(cut) <= width else cut[: width - 1] + "…"


@dataclass
class Report:
    """What was tried how often (`tried`, `counts`), what was found, and what could not be tried (`notes`)."""

    target: str
    seconds: float
    tried: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    found: dict[str, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=monotonic)

    def note(self, text: str) -> None:
        """Say once that something could not be tried."""
        if text not in self.notes:
            self.notes.append(text)

    def over(self) -> bool:
        """Whether the time is over, so that the rest must be left out."""
        if monotonic() - self.started < self.seconds:
            return False
        self.note(f"the rest of the games: {self.seconds:g} seconds were over")
        return True

    def compare(self, check: str, what: str, views: Sequence[Any], example: Example, size: int) -> bool:
        """Compare two views after `size` moves; keep the shortest example. Return whether they are equal."""
        self.tried[check] += 1
        if same(*views):
            return True
        old = self.found.get(check)
        if old is None or size < len(old.moves[0]):
            self.found[check] = Finding(check, what, old.times if old else 0, example(), views)
        self.found[check].times += 1
        return False

    def text(self, width: int = 100) -> str:
        """The whole report, in lines of about `width` characters."""
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items())
        wide = max(map(len, self.tried), default=5)
        out = [f"{self.target}: {counts}, {monotonic() - self.started:.0f} s", ""]
        out += [f"{'check':<{wide}} {'tried':>10} {'differed':>9}"]
        for check, n in self.tried.items():
            times = self.found[check].times if check in self.found else 0
            out.append(f"{check:<{wide}} {n:>10,} {times:>9,}")
        for check, finding in self.found.items():
            out += ["", f"FOUND {check}: {finding.what} ({finding.times:,} of {self.tried[check]:,})"]
            out += finding.lines(width)
        out += ["", *(f"not tried: {note}" for note in self.notes)] if self.notes else []
        return "\n".join([*out, "", f"{len(self.found) or 'no'} finding{'s' * (len(self.found) != 1)}"])
