"""Observes what is under way, windows, and past deeds; never who is asked in a window."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.declare import ANNOUNCE, NORMAL_UPLOAD
from spacemission_env.games.planet_hexx.engine.layout import DEED, ROW, ROWS, STEPS_UNIT, UNDER_WAY, WHICH

SEAT, CARD, CHOSEN, CANCELLED = ROW["seat_0"], ROW["card"], ROW["which"], ROW["cancelled"]
ROLL, LEFT, CAME, TARGET, BEFORE = ROW["roll"], ROW["left"], ROW["came"], ROW["target_0"], ROW["before"]
MORE, NORMAL = ROW["more"], STEPS_UNIT // 2
ROLL_ROW, FLIGHT, EFFECT = UNDER_WAY.index("roll"), UNDER_WAY.index("flight"), UNDER_WAY.index("effect")
DISCARDS, GAINED_ROW = UNDER_WAY.index("discards"), UNDER_WAY.index("gained")
DOER, WHAT, DEED_CARD, DEED_NUMBER = DEED["seat_0"], DEED["map"], DEED["card"], DEED["number"]


@njit
def observe_course(s, seat, o):
    """What is under way, and what was done."""
    n = int(s.num_players)
    row = 0
    for d in range(int(s.depth) - 1, -1, -1):
        f = s.stack[d]
        if f.kind == c.ANSWERING:
            continue
        if row == 0 and f.card != c.NOTHING:
            o.source[f.card] = 1
        observe_frame(f, seat, n, o.under_way[row])
        row += 1
        if row == ROWS:
            break
    if s.depth > 0:
        f = s.stack[s.depth - 1]
        if f.kind == c.ANSWERING:
            o.window[f.mode] = 1
            o.opener[(int(f.seat) - seat) % n] = 1
            o.passed[0] = f.taken >> seat & 1
    for i in range(c.DEEDS):
        if s.deeds[i, 1] == c.NOTHING:
            break
        out = o.deeds[i]
        out[DOER + (int(s.deeds[i, 0]) - seat) % n] = 1
        out[WHAT + s.deeds[i, 1]] = 1
        out[DEED_CARD] = 1 + s.deeds[i, 2]
        out[DEED_NUMBER] = min(int(s.deeds[i, 3]), STEPS_UNIT)


@njit
def row_of(f):
    """Which of `layout.UNDER_WAY` a frame is."""
    if f.kind == c.PLAYING:
        return int(f.mode)
    if f.kind == c.ROLLING:
        return ROLL_ROW
    if f.kind == c.MOVING:
        return FLIGHT
    if f.kind == c.CARRYING_OUT:
        return EFFECT
    return DISCARDS if f.kind == c.DISCARDING else GAINED_ROW


@njit
def which(f):
    """What has been chosen of a card, or what is to be discarded or has been gained; from 1."""
    if f.kind == c.PLAYING:
        if f.mode == c.UPLOAD:
            return 1 + (f.branch != NORMAL_UPLOAD)
        return 1 + f.branch if f.step > ANNOUNCE and f.card != c.NOTHING else 0
    return 1 + f.mode if f.kind == c.DISCARDING or f.kind == c.GAINING else 0


@njit
def observe_frame(f, seat, n, out):
    """One row of `under_way`."""
    out[row_of(f)] = 1
    out[SEAT + (int(f.seat) - seat) % n] = 1
    out[CARD] = 1 + f.card
    out[CHOSEN] = min(int(which(f)), WHICH)
    out[CANCELLED] = f.cancelled
    out[ROLL] = min(max(int(f.roll), 0), STEPS_UNIT)
    out[LEFT] = min(int(f.left), STEPS_UNIT)
    out[CAME] = 1 + f.came
    if f.target != c.NOBODY:
        out[TARGET + (int(f.target) - seat) % n] = 1
    out[BEFORE] = 1 + f.before
    if f.more != 0:
        out[MORE] = min(max(NORMAL + int(f.more), 0), STEPS_UNIT)


@njit
def asked_cell(s):
    """The cell that the innermost that is under way is about, but for windows; or NOTHING."""
    for d in range(int(s.depth) - 1, -1, -1):
        f = s.stack[d]
        if f.kind != c.ANSWERING:
            return int(f.hex) if f.kind == c.CARRYING_OUT and f.hex != c.NOTHING else int(f.cell)
    return c.NOTHING
