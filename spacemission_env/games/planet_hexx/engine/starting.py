"""Effects begin: of cards that are played, and of hexes (HX-14, HX-30 to HX-34)."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import CARRYING_OUT, NOTHING
from spacemission_env.games.planet_hexx.engine.stack import has_room, push


@njit
def begin_effect(s, code, owner, card):
    """An effect of a card begins; returns its frame."""
    f = push(s, CARRYING_OUT, 0, owner)
    f.pc = code
    f.card = card
    return f


@njit
def happens(s, t, code, cell, bit):
    """HX-25, HR-26: whether the hex has this effect; of a Planet at Data 0, none that relies on Collecting.

    `code`: the field of the box that says where the effects of each kind begin; `bit`: of `Box.relies`.
    """
    card = s.hex[cell]
    return code[card] != NOTHING and (s.hex_data[cell] > 0 or t.relies[card] & bit == 0)


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
    if t.on_enter[card] != NOTHING and has_room(s):
        f = begin_effect(s, t.on_enter[card], seat, card)
        f.cell = cell
        f.hex = cell
