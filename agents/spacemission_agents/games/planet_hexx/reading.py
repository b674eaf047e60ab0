"""What agents read from a state: what its seat needs, what Planets bring, where it could upload.

Read are the board, Stores, Mission Files and the seat's own hand, never what is hidden from it.
"""

from __future__ import annotations

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import on_board
from spacemission_env.games.planet_hexx.engine.constants import (
    NOTHING,
    POINTS,
    SPACE,
    UPLOAD,
)
from spacemission_env.games.planet_hexx.engine.effect_codes import (
    COLLECT_OP,
    END,
    GAIN_ACTION,
    IF,
    JUMP,
    ON_BOARD,
    PLANET_GE,
    RANGE,
)

FACES = 6


@njit
def open_points(s, seat, wanted):
    """Write how many points of each type are unfilled into `wanted`; returns how many in all."""
    wanted[:] = 0
    count = 0
    for p in range(POINTS):
        if s.filled[seat, p] == NOTHING and s.points[seat, p] != NOTHING:
            wanted[s.points[seat, p]] += 1
            count += 1
    return count


@njit
def allows_upload(s, t, cell):
    """HX-35: whether an Upload can be declared from there: a Space without a ban."""
    card = s.hex[cell]
    return t.type[card] == SPACE and t.start_ban[card] >> UPLOAD & 1 == 0


@njit
def next_row(t, pc, weight):
    """The instruction after this one on a straight way through a program, and how likely the way comes there.

    Conditions are taken to hold; of a table each row counts by its odds.
    """
    op = t.code[pc, 0]
    if op == RANGE:
        return pc + 1, (t.code[pc, 3] - t.code[pc, 2] + 1) / FACES
    if op == JUMP:
        return (pc + 1, 1.0) if weight < 1.0 else (int(t.code[pc, 1]), 1.0)
    return pc + 1, weight


@njit
def yields(s, t, cell):
    """Data that a Landing on a Planet brings (HX-23 to HX-25, HX-30): the mean where a die says it."""
    data = float(s.hex_data[cell])
    card = s.hex[cell]
    if data == 0.0 or t.on_collect[card] == NOTHING:
        return min(data, 1.0)
    pc = int(t.on_collect[card])
    weight = 1.0
    total = 0.0
    while t.code[pc, 0] != END:
        op, number = t.code[pc, 0], t.code[pc, 1]
        if op == IF and not (
            (t.code[pc, 2] == PLANET_GE and data >= t.code[pc, 3])
            or (t.code[pc, 2] == ON_BOARD and on_board(s, t.code[pc, 3]))
        ):
            pc = int(number)
            continue
        if op == COLLECT_OP:
            total += weight * min(float(number), data)
        elif op == GAIN_ACTION:
            total += weight * number  # an Action is about as good as a Data
        pc, weight = next_row(t, pc, weight)
    return max(1.0, total) if t.may_collect[card] else total
