"""The stack of what is under way: frames are put on top, and taken off when they are done."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import DEEDS, MOST_FRAMES, SPARE_FRAMES
from spacemission_env.games.planet_hexx.engine.state import BLANK


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
    """Put a frame on top and return it; all that is not said here is blank."""
    f = s.stack[s.depth]
    s.depth += 1
    f.kind = kind
    f.mode = mode
    f.seat = seat
    return f


@njit
def pop(s):
    """Take the top frame off. It leaves nothing: equal positions are equal states."""
    s.depth -= 1
    s.stack[s.depth] = BLANK[0]


@njit
def clear_stack(s):
    """Nothing is under way, and no frame of the game before is left."""
    s.depth = 0
    for d in range(MOST_FRAMES):
        s.stack[d] = BLANK[0]


@njit
def ask(s, what, seat):
    """What is to be decided next, and by whom."""
    s.asked = what
    s.player = seat
    return True


@njit
def note_deed(s, seat, what, card, number):
    """Everybody has seen what a seat did."""
    for i in range(DEEDS - 1, 0, -1):
        for v in range(4):
            s.deeds[i, v] = s.deeds[i - 1, v]
    s.deeds[0, 0] = seat
    s.deeds[0, 1] = what
    s.deeds[0, 2] = card
    s.deeds[0, 3] = number
