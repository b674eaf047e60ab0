"""Checks the batch functions that do not change games.

They must fill their output arrays, write nothing outside, change no game, and report a wrong row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from spacemission_env.testing.sample import Room, Sample, among_others

RECALL = 1  # perfect recall
FILLS = (0x00, 0x5A)  # initial bytes of an array; unwritten parts differ between the two
OneLook = Callable[[np.ndarray, int, int], tuple[bool, list[Room]]]  # takes (states, place, seat)
Row = tuple[str | np.dtype[np.void], tuple[int, ...]]  # kind and shape of the row of an array


@dataclass(frozen=True)
class Look:
    """A batch function that changes no game.

    Attributes:
        name: of the function.
        call: (states, index, seats, output arrays …) → the wrong row, or -1.
        rows: kinds and shapes of the output arrays' rows.
        index: whether it takes an index of games; otherwise it handles all games.
        over: whether it accepts games that are over.
        seats: whether it takes a seat per row.
    """

    name: str
    call: Callable[..., int]
    rows: tuple[Row, ...]
    index: bool = True
    over: bool = False
    seats: bool = False

    def rooms(self, count: int, fill: int) -> list[Room]:
        """Output arrays with `count` rows."""
        return [Room(kind, count, *shape, fill=fill) for kind, shape in self.rows]


def all_looks(sample: Sample) -> list[Look]:
    """All batch functions that change no game, called as other code calls them."""
    spec, t, players = sample.spec, sample.parameters, sample.players
    b, scores = spec.batch, (players, len(spec.score_names))
    mask: Row = ("i1", (spec.action_count,))
    floats: tuple[Row, Row] = ("f4", (spec.observation_size,)), mask
    whole: tuple[Row, Row] = ("u1", (spec.observation_size,)), mask
    keys = np.arange(len(sample.states) + 3) * 10**15

    def seats(name: str, call: Callable[..., int], rows: tuple[Row, ...]) -> Look:
        return Look(name, lambda s, i, seats, *out: call(s, t, seats, RECALL, *out), rows, False, True, True)

    def paid(mode: int) -> Callable[..., int]:
        return lambda s, i, seats, *out: b.rewards_batch(s, t, i, mode, *out)

    return [
        Look("view_batch", lambda s, i, seats, *out: b.view_batch(s, t, i, RECALL, *out), floats),
        Look("compact_view_batch", lambda s, i, j, *out: b.compact_view_batch(s, t, i, RECALL, *out), whole),
        seats("seats_view_batch", b.seats_view_batch, floats),
        seats("compact_seats_view_batch", b.compact_seats_view_batch, whole),
        Look("mask_batch", lambda s, i, seats, *out: b.mask_batch(s, t, i, *out), (mask,)),
        Look("keys_batch", lambda s, i, seats, *out: b.keys_batch(s, i, *out), (("i8", ()),)),
        Look(
            "worlds_batch",
            lambda s, i, seats, *out: b.worlds_batch(s, t, i, RECALL, keys[: len(i)], *out),
            ((spec.state, ()),),
        ),
        *(
            Look(f"rewards_batch of {name!r}", paid(mode), (("f8", (players,)),), over=True)
            for mode, name in enumerate(spec.reward_names)
        ),
        Look("margin_batch", lambda s, *more: b.margin_batch(s, t, *more), (("f8", ()),), True, True, True),
        Look(
            "scores_batch", lambda s, i, j, *out: b.scores_batch(s, t, i, *out), (("i8", scores),), over=True
        ),
    ]


def check_entry_points(sample: Sample) -> Iterator[str]:
    """Check each function over many games, and those over one game."""
    for entry in all_looks(sample):
        told = f"batch.{entry.name}, {sample.players} players"
        yield from (f"{told}: {problem}" for problem in _right_use(sample, entry))
        yield from (f"{told}: {problem}" for problem in _wrong_use(sample, entry))
    for name, call in _single(sample).items():
        told = f"batch.{name}, {sample.players} players"
        yield from (f"{told}: {problem}" for problem in _one_game(sample, call))


def _right_use(sample: Sample, entry: Look) -> Iterator[str]:
    states = sample.states if entry.over else sample.states[sample.running]
    index, seats = np.arange(len(states)), np.arange(len(states)) % sample.players
    before, written = states.tobytes(), []
    for fill in FILLS:
        rooms = entry.rooms(len(states), fill)
        answer = entry.call(states, index, seats, *(room.array for room in rooms))
        if answer != -1:
            yield f"expected -1 for games that are there, got {answer!r}"
            return
        if not all(room.kept for room in rooms):
            yield f"writes outside the array {rooms[0].array.shape} that it is given"
            return
        written.append(rooms)
    for one, other in zip(*written, strict=True):
        if one.array.tobytes() != other.array.tobytes():
            yield f"leaves a part of its array {one.array.shape} unwritten, or is not the same twice"
    if states.tobytes() != before:
        yield "changes a game that it only looks at"


def _wrong_use(sample: Sample, entry: Look) -> Iterator[str]:
    states = among_others(sample.states[sample.running])
    count, players = len(states), sample.players
    states[count - 1] = np.zeros((), states.dtype)  # not dealt
    index, seats = np.arange(count - 1), np.zeros(count, np.int64)
    wrong: dict[str, tuple[np.ndarray, np.ndarray, int]] = {}
    if entry.index:
        for what, place in (
            ("a game that is not dealt", count - 1),
            ("a place outside", count),
            ("place -1", -1),
        ):
            wrong[what] = np.array([0, place, 0]), seats[:3], 1
    else:
        wrong["a game that is not dealt"] = index, seats, count - 1
    if entry.seats:
        for seat in (-1, players):
            given = np.zeros(count, np.int64)
            given[0] = seat
            wrong[f"seat {seat}"] = index[:1], given[:1] if entry.index else given, 0
    for what, (places, of, row) in wrong.items():
        rows = len(places) if entry.index else count
        rooms = entry.rooms(rows, 0)
        try:
            answer = entry.call(states, places, of, *(room.array for room in rooms))
        except Exception as error:
            yield f"expected row {row} for {what}, got {type(error).__name__}"
            return
        if answer != row:
            yield f"expected row {row} for {what}, got {answer!r}"
            return


def _single(sample: Sample) -> dict[str, OneLook]:
    spec, parameters = sample.spec, sample.parameters
    batch = spec.batch

    def view_one(states: np.ndarray, i: int, seat: int) -> tuple[bool, list[Room]]:
        rooms = [Room("f4", spec.observation_size), Room("i1", spec.action_count)]
        return batch.view_one(states, i, parameters, seat, RECALL, *(room.array for room in rooms)), rooms

    def key_one(states: np.ndarray, i: int, seat: int) -> tuple[bool, list[Room]]:
        room = Room("i4", spec.key_size)
        return batch.key_one(states, i, parameters, seat, room.array), [room]

    def determinize_one(states: np.ndarray, i: int, seat: int) -> tuple[bool, list[Room]]:
        room = Room(spec.state, 1)
        return batch.determinize_one(states, i, parameters, seat, RECALL, 7, room.array), [room]

    return {"view_one": view_one, "key_one": key_one, "determinize_one": determinize_one}


def _one_game(
    sample: Sample, call: Callable[[np.ndarray, int, int], tuple[bool, list[Room]]]
) -> Iterator[str]:
    states = among_others(sample.states)
    states[-1] = np.zeros((), states.dtype)
    count, players = len(states), sample.players
    before = states.tobytes()
    for i in range(count - 1):
        for seat in range(players):
            there, rooms = call(states, i, seat)
            if not there:
                yield f"expected True for a seat that is there, got {there!r}"
                return
            if not all(room.kept for room in rooms):
                yield f"writes outside the array {rooms[0].array.shape} that it is given"
                return
    if states.tobytes() != before:
        yield "changes a game that it only looks at"
    for what, i, seat in (
        ("seat -1", 0, -1), (f"seat {players}", 0, players), ("a game that is not dealt", count - 1, 0),
        ("a place outside", count, 0), ("place -1", -1, 0),
    ):  # fmt: skip
        try:
            answer: object = call(states, i, seat)[0]
        except Exception as error:
            answer = type(error).__name__
        if answer is not False and answer != 0:
            yield f"expected False for {what}, got {answer!r}"
            return
