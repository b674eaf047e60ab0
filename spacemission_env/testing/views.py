"""Checks observations, masks and the compact form."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from spacemission_env.core.game_spec import RESERVED_NAMES, GameSpec
from spacemission_env.testing.sample import Sample

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
    """Check the observations of all seats in all positions, in each form."""
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
            # Whole numbers are equal in both forms, means differ by at most half a unit.
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
