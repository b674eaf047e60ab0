"""Tests conditions, and which hexes and seats an effect may choose."""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import fits, is_bridge, is_planet, ships_on
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.costs import actions_of
from spacemission_env.games.planet_hexx.engine.grid import CELLS, EDGES, NEIGHBOURS


@njit
def nth_seat(s, f, who, i):
    """The i-th (from 0) of the seats that a statement's *who* names; NOBODY if it names fewer.

    Seats are counted clockwise from the owner of the effect.
    """
    n = int(s.num_players)
    if who == codes.ALL:
        return (int(f.seat) + i) % n if i < n else c.NOBODY
    if who == codes.OTHERS:
        return (int(f.seat) + 1 + i) % n if i < n - 1 else c.NOBODY
    if i > 0:
        return c.NOBODY
    if who == codes.YOU:
        return int(f.seat)
    return int(s.active) if who == codes.ACTIVE else int(f.target)


@njit
def names_seat(s, f, who, seat):
    """Whether a statement's *who* names this seat."""
    if who == codes.ALL:
        return True
    if who == codes.OTHERS:
        return seat != f.seat
    return nth_seat(s, f, who, 0) == seat


@njit
def mover(f, who):
    """The seat whose ship is relocated: the owner or the target seat, which may be NOBODY."""
    return int(f.target) if who == codes.TARGET else int(f.seat)


@njit
def is_what(s, t, cell, what):
    """Whether the hex on a cell matches the *what* of a statement."""
    if what == codes.ANY_HEX:
        return True
    if what == codes.WALLED:
        return t.walls[s.hex[cell]] != 0
    return is_planet(s, t, cell) if what == codes.A_PLANET else t.type[s.hex[cell]] == c.SPACE


@njit
def next_to(cell, other):
    """Whether two cells touch."""
    for d in range(EDGES):  # noqa: SIM110 - numba knows no any()
        if NEIGHBOURS[cell, d] == other:
            return True
    return False


@njit
def is_where(s, t, cell, where, here):
    """Whether a cell matches the *where* of a statement, as seen from the cell `here`."""
    if where == codes.ELSEWHERE:
        return cell != here
    if where == codes.ADJACENT:
        return next_to(cell, here)
    return where != codes.LINKED or (cell != here and t.related[s.hex[here], s.hex[cell]] != 0)


@njit
def may_relocate(s, t, f, cell):
    """Whether the current instruction may put a ship on this cell."""
    seat = mover(f, t.code[f.pc, 3])
    if seat == c.NOBODY or s.hex[cell] == c.NOTHING or s.ship[seat] == cell:
        return False
    return is_what(s, t, cell, t.code[f.pc, 1]) and is_where(s, t, cell, t.code[f.pc, 2], s.ship[seat])


@njit
def may_target(s, t, f, cell):
    """Whether the current instruction may choose the hex on this cell (HX-48)."""
    card = s.hex[cell]
    if card == c.NOTHING:
        return False
    if not is_what(s, t, cell, t.code[f.pc, 1]) or not is_where(s, t, cell, t.code[f.pc, 2], s.ship[f.seat]):
        return False
    data = t.printed[card] if t.code[f.pc, 6] else s.hex_data[cell]
    if data < t.code[f.pc, 3] or data > t.code[f.pc, 4]:
        return False
    return can_be_done(s, t, cell, t.code[f.pc, 5])


@njit
def can_be_done(s, t, cell, deed):
    """Whether `deed` (effect_codes.py: TO_GO …) may be done to the hex on a cell (HR-28, HR-29)."""
    if deed == codes.TO_STAY:
        return True
    card = s.hex[cell]
    anywhere = deed == codes.TO_CARRY_ANYWHERE
    carries = anywhere or deed == codes.TO_CARRY
    if card == c.NOTHING:
        return False
    if (card == t.space_base or card == t.delta_colony) and (not carries or not t.movable_bases):
        return False
    if deed == codes.TO_GO and s.touches[cell] == 0 and ships_on(s, cell) > 0:
        return False
    if carries and not can_be_carried(s, t, cell, anywhere):
        return False
    return deed == codes.TO_REPLACE or t.split_board != 0 or not is_bridge(s, cell)


@njit
def can_be_carried(s, t, cell, anywhere):
    """Whether the hex on this cell may be moved to some other cell."""
    for to in range(CELLS):  # noqa: SIM110 - numba knows no any()
        if fits_without(s, t, cell, to, anywhere):
            return True
    return False


@njit
def fits_without(s, t, cell, to, anywhere):
    """HX-10 to HX-12: whether the hex on `cell` may be moved to `to`; `anywhere`: test HX-10 only."""
    if s.hex[to] != c.NOTHING or s.touches[to] == 0:
        return False
    placing = c.LOOSE if anywhere else int(t.placing[s.hex[cell]])
    if not next_to(cell, to):
        return fits(s, placing, to)
    if s.touches[to] < 2:
        return False
    if placing == c.LOOSE:
        return True
    # The moved hex is a Planet: it does not count as its own neighbour.
    plain = s.touches_plain[to] - (placing == c.PLAIN)
    return s.touches_space[to] > 0 and (placing == c.SOCIABLE or plain == 0)


@njit
def holds(s, t, seat, target, condition, number, declaring):
    """Whether a condition holds for a seat; `declaring`: 1 if the seat is about to begin an Action."""
    here = s.ship[seat]
    if condition == codes.DATA_GE:
        return s.store[seat] >= number
    if condition == codes.TARGET_DATA_GE:
        return target != c.NOBODY and s.store[target] >= number
    if condition == codes.PLANET_GE:
        return is_planet(s, t, here) and s.hex_data[here] >= number
    if condition == codes.PRINTED_GE:
        return is_planet(s, t, here) and t.printed[s.hex[here]] >= number
    if condition == codes.ON:
        return is_what(s, t, here, number)
    if condition == codes.ON_BOARD:
        return on_board(s, number)
    if condition == codes.OWN_TURN:
        return seat == s.active
    if condition == codes.FIRST_ACTION:
        return seat == s.active and s.begun + declaring == 1
    if condition == codes.LAST_ACTION:
        return seat == s.active and actions_of(s, seat) == declaring
    if condition == codes.NEVER:
        return False
    return s.deck_known > 0 and t.type[s.deck[s.deck_size - 1]] == number


@njit
def on_board(s, card):
    """Whether a hex of this kind lies on the board (HX-15)."""
    for i in range(s.hexes):  # noqa: SIM110 - numba knows no any()
        if s.hex[s.placed[i]] == card:
            return True
    return False


@njit
def allows(s, t, conditions, card, seat, declaring):
    """Whether a seat meets the condition of a card; `conditions`: the column `only_if` or `enter_if`."""
    condition = conditions[card, 0]
    return condition == c.NOTHING or holds(s, t, seat, c.NOBODY, condition, conditions[card, 1], declaring)
