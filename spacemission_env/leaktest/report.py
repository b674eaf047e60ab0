"""Counts what was tried and keeps the shortest example of each finding."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from spacemission_env.core.errors import printable

ROWS = 12  # differing lines of an example that are printed
Moves = list[str]
Example = Callable[[], tuple[Moves, Moves]]  # the moves of both games, made only if they are printed


def same(left: Any, right: Any) -> bool:
    """Whether two views are equal in type, shape and every value (NaN equals NaN)."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        left, right = np.asarray(left), np.asarray(right)
        if left.shape != right.shape or left.dtype != right.dtype:
            return False
        return bool(np.array_equal(left, right, equal_nan=left.dtype.kind in "fc"))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) or (left != left and right != right)


def rows(value: Any, name: str = "") -> dict[str, str]:
    """A view as lines of text by place: array elements, entries of a dict, lines of a text."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            value = json.loads(value)
        except ValueError:
            pass
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        parts = [(f"{name}.{key}" if name else str(key), part) for key, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = [(f"{name}[{i}]", part) for i, part in enumerate(value)]
    elif isinstance(value, str) and "\n" in value:
        parts = [(f"{name} line {i + 1}".strip(), part) for i, part in enumerate(value.split("\n"))]
    else:
        return {name: value if isinstance(value, str) else re.sub(" at 0x[0-9a-f]+", "", repr(value))}
    found: dict[str, str] = {}
    for place, part in parts:
        found |= rows(part, place)
    return found


def differences(left: Mapping[str, str], right: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Place and both texts of each line that differs."""
    places = {**left, **right}
    pairs = [(place, left.get(place, "(none)"), right.get(place, "(none)")) for place in places]
    return [pair for pair in pairs if pair[1] != pair[2]]


@dataclass
class Finding:
    """One way in which a check failed.

    Attributes:
        check: name of the check.
        what: a sentence that says what is wrong.
        times: how often it was seen.
        size: number of moves before the shortest example.
        moves: the moves of the two games of the example, as texts of equal number.
        views: what differs: the view of one game, and of the other.
    """

    check: str
    what: str
    times: int
    size: int
    moves: tuple[Moves, Moves]
    views: tuple[Any, Any]

    def lines(self, width: int) -> list[str]:
        """The example as text, side by side, in lines of at most `width` characters."""
        ours, theirs = self.moves
        moves = {f"{n + 1}": (a, b) for n, (a, b) in enumerate(zip(ours, theirs, strict=True))}
        changed = [(place, a, b) for place, (a, b) in moves.items() if a != b]
        views = differences(rows(self.views[0], "view"), rows(self.views[1], "view"))
        if not views:
            views = [("type", *(f"{type(v).__name__} {getattr(v, 'dtype', '')}" for v in self.views))]
        wide = min(24, max((len(row[0]) for row in [*changed, *views]), default=0))
        half = max((width - wide - 9) // 2, 16)
        both = f"  moves of both games: {'; '.join(ours) or 'none'}"
        if changed:
            both = f"  {self.size} moves; those that differ between the two games:"
        out = [printable(both if len(both) <= 6 * width else both[: 6 * width] + "…")]
        for title, table in (("", changed), ("  what differs in the view:", views)):
            out += [title] if title else []
            for place, a, b in table[:ROWS]:
                cells = [printable(_short(a, b, half)), printable(_short(b, a, half))]
                out.append(f"    {place[:wide]:<{wide}}  {cells[0]:<{half}} | {cells[1]}")
            out += [f"    … and {len(table) - ROWS} more lines"] if len(table) > ROWS else []
        return out


def _short(text: str, other: str, width: int) -> str:
    """The part of a text around its first difference from the other."""
    if len(text) <= width and len(other) <= width:
        return text
    first = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), 0)
    start = max(0, first - width // 3)
    cut = ("…" if start else "") + text[start:]
    return cut if len(cut) <= width else cut[: width - 1] + "…"


@dataclass
class Report:
    """What was tried how often, what differed, and what could not be tried.

    Attributes:
        target: name of the game or environment.
        tried: number of comparisons of each check.
        found: the findings by check.
        notes: what could not be tried, and why.
        counts: games, positions and twins, by name.
    """

    target: str
    tried: dict[str, int] = field(default_factory=dict)
    found: dict[str, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    started: float = field(default_factory=monotonic)

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.found

    def count(self, name: str) -> None:
        """Add one to a count."""
        self.counts[name] = self.counts.get(name, 0) + 1

    def note(self, text: str) -> None:
        """Say once that something could not be tried."""
        if text not in self.notes:
            self.notes.append(text)

    def compare(self, check: str, what: str, views: tuple[Any, Any], size: int, example: Example) -> bool:
        """Compare two views; keep the difference if it is the shortest. Return whether they are equal."""
        self.tried[check] = self.tried.get(check, 0) + 1
        if same(*views):
            return True
        old = self.found.get(check)
        times = old.times + 1 if old else 1
        if old is None or size < old.size:
            self.found[check] = Finding(check, what, times, size, example(), views)
        else:
            old.times = times
        return False

    def text(self, width: int = 100) -> str:
        """The whole report, in lines of about `width` characters."""
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items())
        out = [f"{self.target}: {counts or 'nothing tried'}, {monotonic() - self.started:.0f} s", ""]
        wide = max(map(len, self.tried), default=0)
        out += [f"{'check':<{wide}}      tried  differed"] if self.tried else []
        for check, n in self.tried.items():
            times = self.found[check].times if check in self.found else 0
            out.append(f"{check:<{wide}} {n:>10,} {times:>9,}")
        for finding in self.found.values():
            tried = self.tried[finding.check]
            out += ["", f"FOUND {finding.check}: {finding.what} ({finding.times:,} of {tried:,})"]
            out += finding.lines(width)
        out += ["", *(f"not tried: {note}" for note in self.notes)] if self.notes else []
        out += ["", f"{len(self.found)} findings" if self.found else "no findings"]
        return "\n".join(out)
