"""The stack of what is under way: frames are put on top, and taken off when they are done."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import MOST_FRAMES, NOTHING, SPARE_FRAMES


@njit
def top(s):
    """The frame on top; with an empty stack a frame that means nothing."""
    return s.stack[max(int(s.depth) - 1, 0)]


@njit
def has_room(s):
    """Whether something that can go deeper may begin."""
    return s.depth < MOST_FRAMES - SPARE_FRAMES


@njit
def push(s, kind, mode, seat):
    """Put a blank frame on top and return it."""
    f = s.stack[s.depth]
    s.depth += 1
    f.kind = kind
    f.mode = mode
    f.seat = seat
    f.step = 0
    f.card = NOTHING
    f.epoch = 0
    f.branch = 0
    f.cell = NOTHING
    f.turned = 0
    f.cancelled = 0
    f.gone = 0
    f.about = NOTHING
    f.before = NOTHING
    f.home = NOTHING
    f.pc = NOTHING
    f.target = NOTHING
    f.hex = NOTHING
    f.roll = 0
    f.left = 0
    f.taken = 0
    f.came = NOTHING
    f.start = 0
    f.held = NOTHING
    f.held_epoch = 0
    f.queue = 0
    return f


@njit
def pop(s):
    """Take the top frame off."""
    s.depth -= 1


@njit
def clear_stack(s):
    """Nothing is under way, and no frame of the game before is left."""
    s.depth = 0
    for _ in range(MOST_FRAMES):
        push(s, 0, 0, 0)
    s.depth = 0


@njit
def ask(s, what, seat):
    """What is to be decided next, and by whom."""
    s.asked = what
    s.player = seat
    return True
