"""Counts what was tried and keeps the shortest example of each finding."""

from __future__ import annotations

import contextlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from spacemission_env.core.errors import printable

NOT_TESTED = "NOT TESTED"
ROWS = 12  # differing places of an example that are printed
Example = Callable[[], tuple[list[str], list[str]]]  # returns the moves of both games; called if it is kept


Difference = tuple[str, str, str]  # a place in two views, and its value in each as text


def differences(left: Any, right: Any, name: str) -> list[Difference]:
    """The places where two views differ in type, shape or value (NaN equals NaN), with both values."""
    return [] if _same_pickle(left, right) else list(_compared(left, right, name, {}))


def _same_pickle(left: Any, right: Any) -> bool:
    with contextlib.suppress(Exception):  # an info may hold what cannot be pickled
        return pickle.dumps(left) == pickle.dumps(right)
    return False


def _compared(left: Any, right: Any, name: str, met: dict[tuple[int, int], Any]) -> Iterator[Difference]:
    """Compare two views. `met`: pairs compared so far, by ids; it holds the objects, so ids stay unique."""
    pair, ours = (id(left), id(right)), _parts(left)
    if type(left) is not type(right) or ours is None:
        if not _equal(left, right):
            yield name, *_texts(left, right)
    elif left is not right and pair not in met:
        met[pair] = left, right
        theirs = _parts(right) or {}
        for place in {**ours, **theirs}:
            if place in ours and place in theirs:
                yield from _compared(ours[place], theirs[place], name + place, met)
            else:
                yield name + place, str(ours.get(place, "nothing")), str(theirs.get(place, "nothing"))


def _parts(value: Any) -> dict[str, Any] | None:
    """The parts of a value, named by their place in it; None for a value that is compared as a whole."""
    if isinstance(value, Mapping):
        return {f"[{key!r}]": value[key] for key in value}
    if isinstance(value, list | tuple):
        return {f"[{i}]": part for i, part in enumerate(value)}
    if isinstance(value, np.ndarray):
        parts = {f"[{i}]": part for i, part in enumerate(value)} if value.ndim else {"": value[()]}
        return {".dtype": str(value.dtype), **parts}
    plain = hasattr(value, "__dict__") and type(value).__eq__ is object.__eq__
    return {f".{key}": part for key, part in vars(value).items()} if plain else None


def _equal(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    with contextlib.suppress(Exception):
        if left == right or (left != left and right != right):  # NaN
            return True
    return _same_pickle(left, right)  # for objects such as a generator of random numbers


def _texts(left: Any, right: Any) -> tuple[str, str]:
    plain = str(left), str(right)
    return plain if plain[0] != plain[1] else (repr(left), repr(right))


@dataclass
class Finding:
    """How a check failed; `moves` and `differing` are those of the shortest example."""

    check: str
    what: str
    times: int
    moves: tuple[list[str], list[str]]
    differing: list[tuple[str, str, str]]

    def lines(self, width: int) -> list[str]:
        """The example as text, side by side."""
        changed, ours = differences(*self.moves, "move"), self.moves[0]
        wide = min(36, max(len(row[0]) for row in [*changed, *self.differing]))
        half = (width - wide - 9) // 2
        first = f"moves of both games: {'; '.join(ours) or 'none'}"
        if changed:
            first = f"{len(ours)} moves; those that differ between the two games:"
        out = [f"  {_part(first, 0, 6 * width)}"]
        for title, table in (("", changed), ("  what differs:", self.differing)):
            out += [title] if title else []
            for place, *texts in table[:ROWS]:
                start = next((i for i, pair in enumerate(zip(*texts, strict=False)) if pair[0] != pair[1]), 0)
                start = 0 if max(map(len, texts)) <= half else max(0, start - half // 3)
                left, right = (_part(text, start, half) for text in texts)
                out.append(f"    {place[:wide]:<{wide}}  {left:<{half}} | {right}")
            out += [f"    … and {len(table) - ROWS} more"] if len(table) > ROWS else []
        return out


def _part(text: str, start: int, width: int) -> str:
    cut = ("…" if start else "") + text[start:]
    return printable(cut if len(cut) <= width else cut[: width - 1] + "…")


@dataclass
class Report:
    """What was tried how often (`tried`, `counts`), what was found, and what could not be tried (`notes`).

    `enough` has three numbers: a test ends after the first number of games if it has made the second number
    of twins, otherwise after the third number of games. `progress` is called many times. After the test,
    `leaks` says whether leaks were looked for.
    """

    target: str
    seconds: float
    enough: tuple[int, int, int]
    progress: Callable[[Report], None] = lambda report: None
    leaks: str = NOT_TESTED
    tried: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    found: dict[str, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=monotonic)

    def note(self, text: str) -> None:
        """Say once that something could not be tried."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def passed(self) -> float:
        """Seconds since the start."""
        return monotonic() - self.started

    def over(self) -> bool:
        """Whether the time is over, so that the rest must be left out; if so, add a note."""
        self.progress(self)
        if self.passed < self.seconds:
            return False
        least, twins, _ = self.enough
        self.note(f"the rest: {self.seconds:g} seconds were over (enough: {least:,} games, {twins:,} twins)")
        return True

    def left(self, games: int | None) -> int:
        """How many of `games` (None: as many as are enough) are still to be played; 0 if time is over."""
        least, twins, most = self.enough
        wanted = games or (least if self.counts["twins"] >= twins else most)
        left = max(0, wanted - self.counts["games"])
        return 0 if left and self.over() else left

    def end(self, why: str) -> Report:
        """Note whether leaks were looked for; `why`: the reason to give if no twin was made."""
        if self.counts["twins"]:
            self.leaks = f"tried with {self.counts['twins']:,} twins"
        else:
            self.note(f"leaks: {why}")
        return self

    def compare(self, check: str, what: str, views: Sequence[Any], example: Example, size: int) -> bool:
        """Compare two views after `size` moves; keep the shortest example. Return whether they are equal."""
        self.tried[check] += 1
        differing = differences(views[0], views[1], "view")
        if not differing:
            return True
        old = self.found.get(check)
        if old is None or size < len(old.moves[0]):
            self.found[check] = Finding(check, what, old.times if old else 0, example(), differing)
        self.found[check].times += 1
        return False

    def text(self, width: int = 100) -> str:
        """The whole report, in lines of about `width` characters."""
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items())
        wide = max(map(len, self.tried), default=5)
        out = [f"{self.target}: {counts}, {self.passed:.0f} s", ""]
        out += [f"{'check':<{wide}} {'tried':>10} {'differed':>9}"]
        for check, n in self.tried.items():
            times = self.found[check].times if check in self.found else 0
            out.append(f"{check:<{wide}} {n:>10,} {times:>9,}")
        for check, finding in self.found.items():
            out += ["", f"FOUND {check}: {finding.what} ({finding.times:,} of {self.tried[check]:,})"]
            out += finding.lines(width)
        out += ["", *(f"not tried: {note}" for note in self.notes)] if self.notes else []
        found = f"{len(self.found) or 'no'} finding{'s' * (len(self.found) != 1)}"
        return "\n".join([*out, "", f"{found}; leaks: {self.leaks}"])
