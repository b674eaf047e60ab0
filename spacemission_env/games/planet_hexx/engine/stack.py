"""Keeps the stack of frames, and begins effects of cards and hexes."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.state import BLANK


@njit
def top(s):
    """The frame on top; with an empty stack a frame that means nothing."""
    return s.stack[max(int(s.depth) - 1, 0)]


@njit
def has_room(s):
    """Whether something that can go deeper may begin."""
    return s.depth < c.MOST_FRAMES - c.SPARE_FRAMES


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
    for d in range(c.MOST_FRAMES):
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
    for i in range(c.DEEDS - 1, 0, -1):
        for v in range(4):
            s.deeds[i, v] = s.deeds[i - 1, v]
    s.deeds[0, 0] = seat
    s.deeds[0, 1] = what
    s.deeds[0, 2] = card
    s.deeds[0, 3] = number


@njit
def begin_effect(s, code, owner, card):
    """An effect of a card begins; returns its frame."""
    f = push(s, c.CARRYING_OUT, 0, owner)
    f.pc = code
    f.card = card
    return f


@njit
def happens(s, t, code, cell, bit):
    """HX-25, HR-26: whether the hex has this effect; of a Planet at Data 0, none that relies on Collecting.

    `code`: the field of the box that says where the effects of each kind begin; `bit`: of `Box.relies`.
    """
    card = s.hex[cell]
    return code[card] != c.NOTHING and (s.hex_data[cell] > 0 or t.relies[card] & bit == 0)


@njit
def hex_effect(s, code, owner, cell, more):
    """An effect of the hex on a cell begins; `more`: beside what its `collect` says (HR-33)."""
    if has_room(s):
        f = begin_effect(s, code, owner, s.hex[cell])
        f.cell = cell
        f.more = more


@njit
def enter(s, t, seat, cell):
    """HX-14: the comes-into-play effect of a hex that a seat has played; its target is the hex itself."""
    card = s.hex[cell]
    if t.on_enter[card] != c.NOTHING and has_room(s):
        f = begin_effect(s, t.on_enter[card], seat, card)
        f.cell = cell
        f.hex = cell
