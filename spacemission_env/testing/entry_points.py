"""Check the compiled functions of a game (`BATCH_FUNCTIONS`).

They write all of what they are given and nothing behind it, change no game that they only look at, and tell
which row is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from spacemission_env.testing.sample import Room, Sample, among_others

RECALL = 1  # perfect recall
FILLS = (0x00, 0x5A)  # what an array holds before: what is not written differs


@dataclass(frozen=True)
class EntryPoint:
    """A function over many games that changes none of them.

    Attributes:
        name: of the function.
        rooms: number of rows to the arrays that it writes.
        call: (states, index, seats, arrays) to what it returns.
        index: whether it takes an index of games; else it looks at all of them, with a seat for each.
        over: whether it is asked of games that are over too.
        seats: whether it takes a seat for each row.
    """

    name: str
    rooms: Callable[[int, int], list[Room]]
    call: Callable[..., Any]
    index: bool = True
    over: bool = False
    seats: bool = False


def all_entry_points(sample: Sample) -> list[EntryPoint]:
    """The functions that look, as the house calls them."""
    spec, parameters, players = sample.spec, sample.parameters, sample.players
    batch: Any = spec.batch
    actions, size, categories = spec.action_count, spec.observation_size, len(spec.score_names)

    def views(kind: str) -> Callable[[int, int], list[Room]]:
        return lambda n, fill: [Room(kind, n, size, fill=fill), Room("i1", n, actions, fill=fill)]

    def view(name: str) -> Callable[..., Any]:
        return lambda s, index, seats, out: getattr(batch, name)(s, parameters, index, RECALL, *out)

    def seats_view(name: str) -> Callable[..., Any]:
        return lambda s, index, seats, out: getattr(batch, name)(s, parameters, seats, RECALL, *out)

    def paid(mode: int) -> Callable[..., Any]:
        return lambda s, index, seats, out: batch.rewards_batch(s, parameters, index, mode, *out)

    def table(kind: Any, *shape: int) -> Callable[[int, int], list[Room]]:
        return lambda n, fill: [Room(kind, n, *shape, fill=fill)]

    def result(name: str, with_seats: bool = False) -> Callable[..., Any]:
        entry = getattr(batch, name)
        if with_seats:
            return lambda s, index, seats, out: entry(s, parameters, index, seats, *out)
        return lambda s, index, seats, out: entry(s, parameters, index, *out)

    def keys(s: np.ndarray, index: np.ndarray, seats: np.ndarray, out: list[np.ndarray]) -> Any:
        return batch.keys_batch(s, index, *out)

    def worlds(s: np.ndarray, index: np.ndarray, seats: np.ndarray, out: list[np.ndarray]) -> Any:
        return batch.worlds_batch(s, parameters, index, RECALL, np.arange(len(index)) * 10**15, *out)

    everywhere: dict[str, Any] = {"index": False, "over": True, "seats": True}
    return [
        EntryPoint("view_batch", views("f4"), view("view_batch")),
        EntryPoint("compact_view_batch", views("u1"), view("compact_view_batch")),
        EntryPoint("seats_view_batch", views("f4"), seats_view("seats_view_batch"), **everywhere),
        EntryPoint(
            "compact_seats_view_batch", views("u1"), seats_view("compact_seats_view_batch"), **everywhere
        ),
        EntryPoint("mask_batch", table("i1", actions), result("mask_batch")),
        EntryPoint("keys_batch", table("i8"), keys),
        EntryPoint("worlds_batch", table(spec.state), worlds),
        *(
            EntryPoint(f"rewards_batch of {name!r}", table("f8", players), paid(mode), over=True)
            for mode, name in enumerate(spec.reward_names)
        ),
        EntryPoint("margin_batch", table("f8"), result("margin_batch", True), over=True, seats=True),
        EntryPoint("scores_batch", table("i8", players, categories), result("scores_batch"), over=True),
        EntryPoint("ranks_batch", table("i8", players), result("ranks_batch"), over=True),
    ]


def check_entry_points(sample: Sample) -> Iterator[str]:
    """Each function that looks at many games, and those that look at one."""
    for entry in all_entry_points(sample):
        told = f"batch.{entry.name}, {sample.players} players"
        yield from (f"{told}: {problem}" for problem in _right_use(sample, entry))
        yield from (f"{told}: {problem}" for problem in _wrong_use(sample, entry))
    for name, call in _single(sample).items():
        told = f"batch.{name}, {sample.players} players"
        yield from (f"{told}: {problem}" for problem in _one_game(sample, call))


def _right_use(sample: Sample, entry: EntryPoint) -> Iterator[str]:
    states = sample.states if entry.over else sample.states[sample.running]
    index, seats = np.arange(len(states)), np.arange(len(states)) % sample.players
    before, written = states.tobytes(), []
    for fill in FILLS:
        rooms = entry.rooms(len(states), fill)
        answer = entry.call(states, index, seats, [room.array for room in rooms])
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


def _wrong_use(sample: Sample, entry: EntryPoint) -> Iterator[str]:
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
            answer = entry.call(states, places, of, [room.array for room in rooms])
        except Exception as error:
            yield f"expected row {row} for {what}, got {type(error).__name__}"
            return
        if answer != row:
            yield f"expected row {row} for {what}, got {answer!r}"
            return


def _single(sample: Sample) -> dict[str, Callable[..., Any]]:
    # (states, place, seat) to the answer and the arrays written.
    spec, parameters = sample.spec, sample.parameters
    batch: Any = spec.batch

    def view_one(states: np.ndarray, i: int, seat: int) -> tuple[Any, list[Room]]:
        rooms = [Room("f4", spec.observation_size), Room("i1", spec.action_count)]
        return batch.view_one(states, i, parameters, seat, RECALL, *(room.array for room in rooms)), rooms

    def key_one(states: np.ndarray, i: int, seat: int) -> tuple[Any, list[Room]]:
        room = Room("i4", spec.key_size)
        return batch.key_one(states, i, parameters, seat, room.array), [room]

    def determinize_one(states: np.ndarray, i: int, seat: int) -> tuple[Any, list[Room]]:
        room = Room(spec.state, 1)
        return batch.determinize_one(states, i, parameters, seat, RECALL, 7, room.array), [room]

    return {"view_one": view_one, "key_one": key_one, "determinize_one": determinize_one}


def _one_game(sample: Sample, call: Callable[..., Any]) -> Iterator[str]:
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
            there = call(states, i, seat)[0]
        except Exception as error:
            there = type(error).__name__
        if there is not False and there != 0:
            yield f"expected False for {what}, got {there!r}"
            return
