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
    """Put a frame on top and return it; its other fields are blank."""
    f = s.stack[s.depth]
    s.depth += 1
    f.kind = kind
    f.mode = mode
    f.seat = seat
    return f


@njit
def pop(s):
    """Take the top frame off and blank it: equal positions are equal states."""
    s.depth -= 1
    s.stack[s.depth] = BLANK[0]


@njit
def ask(s, what, seat):
    """Set what is to be decided next, and by whom."""
    s.asked = what
    s.player = seat
    return True


@njit
def note_deed(s, seat, what, card, number):
    """Note what everybody has seen a seat do."""
    for i in range(c.DEEDS - 1, 0, -1):
        for v in range(4):
            s.deeds[i, v] = s.deeds[i - 1, v]
    s.deeds[0, 0], s.deeds[0, 1], s.deeds[0, 2], s.deeds[0, 3] = seat, what, card, number


@njit
def begin_effect(s, code, owner, card):
    """Begin an effect of a card; returns its frame."""
    f = push(s, c.CARRYING_OUT, 0, owner)
    f.pc = code
    f.card = card
    return f


@njit
def happens(s, t, code, cell, bit):
    """HX-25, HR-26: whether the hex has this effect; on a Planet at Data 0, none that relies on Collecting.

    `code`: the column of `PARAMETERS` with the effect's programs; `bit`: the effect's bit in `relies`.
    """
    card = s.hex[cell]
    return code[card] != c.NOTHING and (s.hex_data[cell] > 0 or t.relies[card] & bit == 0)


@njit
def hex_effect(s, code, owner, cell, more):
    """Begin an effect of the hex on a cell; `more`: added to what its `collect` says (HR-33)."""
    if has_room(s):
        f = begin_effect(s, code, owner, s.hex[cell])
        f.cell = cell
        f.more = more


@njit
def enter(s, t, seat, cell):
    """HX-14: begin the comes-into-play effect of a hex that was played; its target is the hex itself."""
    card = s.hex[cell]
    if t.on_enter[card] != c.NOTHING and has_room(s):
        f = begin_effect(s, t.on_enter[card], seat, card)
        f.cell = cell
        f.hex = cell
