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
Moves = tuple[list[str], list[str]]  # of both games


def rows(value: Any, name: str = "") -> dict[str, str]:
    """A view as lines of text by place: array elements, entries of a dict or of JSON, lines of a text."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, np.ndarray):
        return {f"{name} type": f"{value.dtype} {value.shape}", **rows(value.tolist(), name)}
    if isinstance(value, Mapping):
        parts = {f"{name}.{key}" if name else str(key): part for key, part in value.items()}
    elif isinstance(value, list | tuple):
        parts = {f"{name}[{i}]": part for i, part in enumerate(value)}
    elif isinstance(value, str) and "\n" in value:
        parts = {f"{name} line {i}": part for i, part in enumerate(value.split("\n"), 1)}
    else:
        return {name: re.sub(" at 0x[0-9a-f]+", "", value if isinstance(value, str) else repr(value))}
    found: dict[str, str] = {}
    for place, part in parts.items():
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

    what: str
    times: int
    moves: Moves
    views: Sequence[Any]

    def lines(self) -> list[str]:
        """The example as text, side by side."""
        ours, theirs = ({str(n): move for n, move in enumerate(moves, 1)} for moves in self.moves)
        first = [f"  moves of both games: {printable('; '.join(self.moves[0]) or 'none')}"]
        if ours != theirs:
            first = [f"  {len(ours)} moves; those that differ between the two games:"]
            first += _side_by_side(ours, theirs)
        return [*first, "  what differs:", *_side_by_side(*(rows(view, "view") for view in self.views))]


def _side_by_side(left: Mapping[str, str], right: Mapping[str, str]) -> list[str]:
    some = []
    for place in {**left, **right}:
        name, ours, theirs = map(printable, (place, left.get(place, "(none)"), right.get(place, "(none)")))
        some += [f"    {name:<20}  {ours:<30} | {theirs}"] * (ours != theirs)
    return some[:ROWS] + [f"    … and {len(some) - ROWS} more lines"] * (len(some) > ROWS)


@dataclass
class Report:
    """What was tried how often (`tried`, `counts`), what was found, and what could not be tried (`notes`)."""

    target: str
    seconds: float = 60.0
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

    def compare(self, check: str, what: str, views: Sequence[Any], moves: Callable[[], Moves]) -> bool:
        """Compare two views; keep the example with the fewest moves. Return whether they are equal."""
        self.tried[check] += 1
        if same(*views):
            return True
        new, old = Finding(what, 1, moves(), views), self.found.get(check)
        if old is None or len(new.moves[0]) < len(old.moves[0]):
            self.found[check] = new
        self.found[check].times = old.times + 1 if old else 1
        return False

    def text(self) -> str:
        """The whole report."""
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items())
        out = [f"{self.target}: {counts}, {monotonic() - self.started:.0f} s", ""]
        wide = max(map(len, self.tried), default=5)
        out += [f"{'check':<{wide}} {'tried':>10} {'differed':>9}"]
        for check, n in self.tried.items():
            times = self.found[check].times if check in self.found else 0
            out.append(f"{check:<{wide}} {n:>10,} {times:>9,}")
        for check, finding in self.found.items():
            out += ["", f"FOUND {check}: {finding.what} ({finding.times:,} of {self.tried[check]:,})"]
            out += finding.lines()
        out += ["", *(f"not tried: {note}" for note in self.notes)] if self.notes else []
        return "\n".join([*out, "", f"{len(self.found) or 'no'} finding{'s' * (len(self.found) != 1)}"])
