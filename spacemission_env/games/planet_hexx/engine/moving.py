"""Rolls dice (HX-16), moves ships (HX-17 to HX-22) and Collects Data (HX-23 to HX-34)."""

from spacemission_env.core.rng import below
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import allows
from spacemission_env.games.planet_hexx.engine.effect_codes import COLLECT_BIT, STOP_BIT
from spacemission_env.games.planet_hexx.engine.grid import NEIGHBOURS
from spacemission_env.games.planet_hexx.engine.stack import (
    ask,
    happens,
    hex_effect,
    note_deed,
    open_window,
    pop,
    push,
)

THROW, THROWN = 0, 1  # steps of a ROLLING frame
STEPPING, THROUGH, AT_PLANET, ENDING, STOPPING, ENDED = range(6)  # steps of a MOVING frame


@njit
def throw(s, f):
    """HX-16, HR-40: roll the die; add the bonus of this turn to a Move roll, also if it is rolled again."""
    f.roll = 1 + below(s, 6)
    if f.mode == c.MOVE:
        f.roll += s.bonus[f.seat]


@njit
def advance_roll(s, t, f):
    """HX-16, HR-43: roll the die, and open the window; afterwards a negative result becomes 0."""
    if f.step == THROW:
        f.step = THROWN
        throw(s, f)
        open_window(s, t, c.ROLLED, f.seat)
        return
    s.rolled = max(int(f.roll), 0)
    note_deed(s, f.seat, c.ROLL_DEED, c.NOTHING, s.rolled)
    pop(s)


@njit
def begin_move(s, seat, steps):
    """Begin a Move of at most `steps` steps; `steps` counts as the roll (HX-20), even if nobody rolled."""
    f = push(s, c.MOVING, 0, seat)
    f.roll = steps
    f.left = steps
    f.cell = s.ship[seat]


@njit
def can_step(s, t, f, d):
    """HX-19 to HX-21: whether the ship may step in a direction."""
    here = s.ship[f.seat]
    to = NEIGHBOURS[here, d]
    if to < 0 or s.hex[to] == c.NOTHING:
        return False
    if s.walls[here] >> d & 1 or s.walls[to] >> ((d + 3) % 6) & 1:
        return False
    if f.roll < t.leave_roll[s.hex[here]] or not allows(s, t, t.enter_if, s.hex[to], f.seat, 0):
        return False
    return not (s.landed[f.seat] == to and is_planet(s, t, to))


@njit
def advance_move(s, t, f):
    """Continue a Move; return whether a player must choose."""
    there = s.ship[f.seat] == f.cell
    if f.step == STEPPING:
        if f.left > 0:
            return ask(s, c.STEP, f.seat)
        f.step = ENDING
    elif f.step == THROUGH:  # the Move ends if the effect moved the ship or made the step illegal
        if there and can_step(s, t, f, int(f.turned)):
            step_to(s, t, f, int(f.turned))
        else:
            f.step = ENDING
    elif f.step == AT_PLANET:
        return collect(s, t, f)
    elif f.step == ENDING:  # HX-32: a Stop needs a step before it, and the ship must still be there
        f.step = ENDED
        if f.taken > 0 and there:
            f.step = STOPPING
            open_window(s, t, c.STOPPED, f.seat)
    elif f.step == STOPPING:  # HX-32
        f.step = ENDED
        if there and happens(s, t, t.on_stop, f.cell, STOP_BIT):
            hex_effect(s, t.on_stop[s.hex[f.cell]], f.seat, f.cell, 0)
    else:
        pop(s)
    return False


@njit
def step_out(s, t, f, d):
    """HX-31: leave a hex; its Through effect comes first if the ship entered by another edge."""
    card = s.hex[s.ship[f.seat]]
    if f.came != c.NOTHING and f.came != d and t.on_through[card] != c.NOTHING:
        f.turned = d
        f.step = THROUGH
        hex_effect(s, t.on_through[card], f.seat, s.ship[f.seat], 0)
    else:
        step_to(s, t, f, d)


@njit
def step_to(s, t, f, d):
    """Move the ship to the neighbouring hex. HX-18: on a Planet it Lands."""
    cell = NEIGHBOURS[s.ship[f.seat], d]
    s.ship[f.seat] = cell
    f.cell = cell
    f.left -= 1
    f.taken += 1
    f.came = (d + 3) % 6
    f.step = STEPPING
    if is_planet(s, t, cell):
        s.landed[f.seat] = cell
        f.step = AT_PLANET
        open_window(s, t, c.LANDED, f.seat)
    elif t.must_stop[s.hex[cell]]:
        f.step = ENDING


@njit
def collect(s, t, f):
    """HX-23 to HX-25, HX-30: Collect after a Landing, if the ship is still there."""
    f.step = ENDING
    if s.ship[f.seat] != f.cell or not is_planet(s, t, f.cell):
        return False
    card = s.hex[f.cell]
    if t.on_collect[card] == c.NOTHING or t.may_collect[card]:
        return ask(s, c.COLLECT, f.seat)
    if happens(s, t, t.on_collect, f.cell, COLLECT_BIT):
        collect_blue(s, t, f)
    return False


@njit
def collect_blue(s, t, f):
    """Begin the hex's `on_collect` effect, which replaces normal Collecting."""
    hex_effect(s, t.on_collect[s.hex[f.cell]], f.seat, f.cell, int(f.more))


@njit
def collected(s, seat, cell, count):
    """HX-24, HR-33: the Data that a seat Collects: `count` and its bonus, at most what the Planet has."""
    return min(max(count + int(s.collect_bonus[seat]), 0), int(s.hex_data[cell]))


@njit
def collect_from(s, seat, cell, count):
    """Move Data from a Planet to a Store."""
    count = collected(s, seat, cell, count)
    s.hex_data[cell] -= count
    s.store[seat] = min(c.MOST_DATA, int(s.store[seat]) + count)
