"""Effects begin: of cards that are played, and of hexes (HX-14, HX-30 to HX-34)."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import CARRYING_OUT, NOTHING
from spacemission_env.games.planet_hexx.engine.stack import has_room, push

AT_ONCE, IF_WANTED = 0, 1  # modes of a CARRYING_OUT frame: the owner is asked first (HX-34)


@njit
def begin_effect(s, code, owner, card):
    """An effect of a card begins; returns its frame."""
    f = push(s, CARRYING_OUT, AT_ONCE, owner)
    f.pc = code
    f.card = card
    return f


@njit
def hex_effect(s, t, code, owner, cell, optional, start):
    """An effect of the hex on a cell begins. `start`: it is a Start effect (HX-33)."""
    if not has_room(s):
        return
    f = begin_effect(s, code, owner, s.hex[cell])
    f.cell = cell
    f.start = start
    if optional:
        f.mode = IF_WANTED
    elif start:
        s.started = 1


@njit
def enter(s, t, seat, cell):
    """HX-14: the comes-into-play effect of a hex that a seat has played; its target is the hex itself."""
    card = s.hex[cell]
    if t.on_enter[card] != NOTHING and has_room(s):
        f = begin_effect(s, t.on_enter[card], seat, card)
        f.cell = cell
        f.hex = cell
