"""Checks that batch functions, masks, moves and observations of a game agree.

Functions that only read games must fill their output arrays, write nothing outside these, change no game, and
report an invalid row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from spacemission_env.core.constants import GAME_OVER, ILLEGAL_MOVE, NO_ORDER
from spacemission_env.core.game_spec import RESERVED_NAMES, GameSpec
from spacemission_env.core.rng import next_seed
from spacemission_env.testing.sample import Room, Sample, among_others

RECALL = 1  # perfect recall
FILLS = (0x00, 0x5A)  # initial bytes of an array; unwritten parts differ between the two
OneLook = Callable[[np.ndarray, int, int], tuple[bool, list[Room]]]  # takes (states, place, seat)
Row = tuple[str | np.dtype[np.void], tuple[int, ...]]  # dtype and shape of one row of an array


@dataclass(frozen=True)
class Look:
    """A batch function that changes no game.

    Attributes:
        name: name of the function.
        call: (states, index, seats, output arrays …) → the first invalid row, or -1.
        rows: dtype and shape of a row of each output array.
        index: whether the function takes an index of games; otherwise it handles all games.
        over: whether the function accepts games that are over.
        seats: whether the function takes a seat for each row.
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
    """All batch functions that change no game, wrapped so that their arguments are those of `Look.call`."""
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
            lambda s, i, seats, *out: b.worlds_batch(s, t, i, keys[: len(i)], *out),
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
    """Check each batch function that changes no game, for many games or for one."""
    for entry in all_looks(sample):
        where = f"batch.{entry.name}, {sample.players} players"
        yield from (f"{where}: {problem}" for problem in _right_use(sample, entry))
        yield from (f"{where}: {problem}" for problem in _wrong_use(sample, entry))
    for name, call in _single(sample).items():
        where = f"batch.{name}, {sample.players} players"
        yield from (f"{where}: {problem}" for problem in _one_game(sample, call))


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
        if not all(room.intact for room in rooms):
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
    states[count - 1] = np.zeros((), states.dtype)  # a game that is not dealt
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
    for what, (places, seats_given, row) in wrong.items():
        rows = len(places) if entry.index else count
        rooms = entry.rooms(rows, 0)
        try:
            answer = entry.call(states, places, seats_given, *(room.array for room in rooms))
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
        return batch.determinize_one(states, i, parameters, seat, 7, room.array), [room]

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
            if not all(room.intact for room in rooms):
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


# ---------------------------------------------------------------- moves and deals


def check_moves(sample: Sample) -> Iterator[str]:
    """Check every action in every position, and moves in many games at once."""
    for i in range(len(sample.states)):
        problem = position_problem(sample.spec, sample.parameters, sample.states[i : i + 1])
        if problem:
            yield f"{sample.where(i)}: {problem}"
            break
    yield from _many_games(sample)
    yield from _dealing(sample)


def position_problem(spec: GameSpec, parameters: np.ndarray, states: np.ndarray) -> str | None:
    """Describe the first action about which the functions disagree; `states`: one position, (1,)."""
    batch, count = spec.batch, spec.action_count
    states, first = states.copy(), np.zeros(1, np.int64)
    mask = np.zeros((1, count), np.int8)
    batch.mask_batch(states, parameters, first, mask)
    over = bool(states[0]["over"])
    if not set(mask[0].tolist()) <= {0, 1}:
        return "mask_batch: expected zeros and ones"
    if over == bool(mask.any()):
        return (
            "mask_batch: a game that is over has a move" if over else "mask_batch: no move in a running game"
        )
    for action in range(-1, count + 1):
        legal = 0 <= action < count and bool(mask[0, action])
        again = states.copy()
        refused = batch.first_refused(again, parameters, first, np.array([action]))
        if (refused == -1) != legal:
            return f"action {action}: the mask says {int(legal)}, first_refused {refused}"
        follows = batch.step_checked(again, parameters, action)
        if not legal:
            if (
                follows != ILLEGAL_MOVE
                or batch.step_batch(again, parameters, first, np.array([action])) != -1
            ):
                return f"action {action}: is illegal, but not refused"
            if again.tobytes() != states.tobytes():
                return f"action {action}: is refused, but changes the game"
            continue
        due = GAME_OVER if again[0]["over"] else int(again[0]["player"])
        if follows != due:
            return f"action {action}: step_checked gives {follows}, expected {due}"
        if again[0]["decisions"] != states[0]["decisions"] + 1:
            return f"action {action}: expected one decision more"
        other = states.copy()
        batch.apply_one(other, 0, parameters, action, NO_ORDER)
        if other.tobytes() != again.tobytes():
            return f"action {action}: apply_one and step_checked differ"
    return None


def _many_games(sample: Sample) -> Iterator[str]:
    batch = sample.spec.batch
    parameters, where = sample.parameters, f"{sample.players} players"
    states = among_others(sample.states[sample.running])
    index = np.arange(len(states))
    masks = np.zeros((len(states), sample.spec.action_count), np.int8)
    batch.mask_batch(states, parameters, index, masks)
    actions = masks.argmax(1)
    one, other, before = states.copy(), states.copy(), states.tobytes()
    over = batch.step_batch(one, parameters, index, actions)
    applied = batch.apply_batch(other, parameters, index, actions)
    if one.tobytes() != other.tobytes() or over != applied or over != (one["over"] != 0).sum():
        yield f"{where}: step_batch and apply_batch differ, or return a wrong number of finished games"
    blank = among_others(states)
    blank[-1] = np.zeros((), states.dtype)
    rows = (
        ("a place outside", states, len(states)),
        ("place -1", states, -1),
        ("a game that is not dealt", blank, len(states) - 1),
        ("a repeated place", states, 0),
    )
    for what, games, place in rows:
        places = np.array([0, place])
        for name in ("first_refused", "step_batch", "deal_next"):
            arguments = (places,) if name == "deal_next" else (places, actions[[0, 0]])
            try:
                answer = getattr(batch, name)(games, parameters, *arguments)
            except Exception as error:
                answer = type(error).__name__
            due = -2 if name == "step_batch" else 1
            if answer != due:
                yield f"batch.{name}, {where}: expected {due} for {what} in row 1, got {answer!r}"
                return
    if states.tobytes() != before:
        yield f"{where}: a refused index changes a game"


def _dealing(sample: Sample) -> Iterator[str]:
    batch = sample.spec.batch
    states = sample.states[:2].copy()
    seed = int(states[0]["seed"])
    dealt = sample.spec.new_states(1)
    dirty = np.full(1, 0, states.dtype)
    dirty[:] = sample.states[-1:]
    for into in (dealt, dirty):
        batch.deal_one(into, 0, sample.parameters, sample.players, int(next_seed(seed)))
    if (
        batch.deal_next(states, sample.parameters, np.array([0])) != -1
        or states[:1].tobytes() != dealt.tobytes()
    ):
        yield f"batch.deal_next, {sample.players} players: expected the game of the next seed (rng.next_seed)"
    if dealt.tobytes() != dirty.tobytes():
        yield f"batch.deal_one, {sample.players} players: a part of the previous game remains"


# ---------------------------------------------------------------- observations and masks

ROUNDING = 1e-5


def check_names(spec: GameSpec) -> Iterator[str]:
    """Check the parameters' field names, and that the layout's pieces fill the observation."""
    parameters = spec.default_parameters()
    for name in sorted(RESERVED_NAMES.intersection(parameters.dtype.names or ())):
        yield f"parameters: numpy records reserve the name {name!r}"
    if parameters.shape != (1,) or parameters.flags.writeable:
        yield "make_parameters: expected one read-only record"
    covered = np.zeros(spec.observation_size, int)
    for name, piece in spec.layout.items():
        covered[piece.slice] += 1
        if prod(piece.shape) != piece.slice.stop - piece.slice.start:
            yield f"layout: {name}: the sizes of shape {piece.shape} and slice differ"
    if (covered != 1).any():
        yield f"layout: number {int(np.flatnonzero(covered != 1)[0])} is in no piece, or in two"
    units = spec.compact_units(parameters)
    if units.shape != (spec.observation_size,) or units.dtype != np.float32 or not (units > 0).all():
        yield f"compact_units: expected float32 ({spec.observation_size},) above 0"


def check_views(sample: Sample) -> Iterator[str]:
    """Check the observations and masks of all seats in all positions, as floats and as compact numbers."""
    spec, parameters, states = sample.spec, sample.parameters, sample.states
    batch = spec.batch
    n, size, actions = len(states), spec.observation_size, spec.action_count
    units = spec.compact_units(parameters)
    for seat in range(sample.players):
        seats = np.full(n, seat)
        floats, masks = np.zeros((n, size), np.float32), np.zeros((n, actions), np.int8)
        batch.seats_view_batch(states, parameters, seats, 1, floats, masks)
        whole, others = np.zeros((n, size), np.uint8), np.zeros((n, actions), np.int8)
        batch.compact_seats_view_batch(states, parameters, seats, 1, whole, others)
        for i in range(n):
            where = f"{sample.where(i)}, seat {seat}"
            observation, mask = sample.game(i)._view(seat)
            wrong = np.flatnonzero(~((observation >= 0) & (observation <= 1)))
            if len(wrong):
                number = observation[wrong[0]]
                yield f"{where}: observation: {_piece(spec, wrong[0])} is {number}, not in [0, 1]"
                return
            if observation.tobytes() != floats[i].tobytes() or not (mask == masks[i]).all():
                yield f"{where}: view_one and seats_view_batch differ"
                return
            acts = not states[i]["over"] and states[i]["player"] == seat
            if mask.any() != acts:
                yield f"{where}: mask: expected {'a move' if acts else 'zeros: the seat is not to move'}"
                return
            # Whole numbers are equal as floats and as bytes; means differ by at most half a unit.
            counts = observation / units
            near = np.abs(counts - np.rint(counts)) < ROUNDING * np.maximum(1, counts)
            off = np.abs(whole[i] * units - observation) > np.where(near, ROUNDING, units / 2 + ROUNDING)
            off &= counts < 255.5
            if off.any() or not (mask == others[i]).all():
                first = np.flatnonzero(off)
                what = _piece(spec, first[0]) if len(first) else "mask"
                yield f"{where}: {what}: the compact view times the units is not the float view"
                return


def _piece(spec: GameSpec, number: int) -> str:
    for name, piece in spec.layout.items():
        if piece.slice.start <= number < piece.slice.stop:
            return f"{name}[{number - piece.slice.start}]"
    return f"number {number}"
