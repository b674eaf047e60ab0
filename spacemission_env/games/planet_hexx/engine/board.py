"""Lays, moves, turns and removes hexes (HX-10 to HX-13, HX-22)."""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.cards import to_discard
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.grid import ALL_EDGES, COLUMN, EDGES, NEIGHBOURS, ROW, SPAN


@njit
def fits(s, placing, cell):
    """HX-10 to HX-12: whether the neighbours of a cell allow a hex of the class `placing`."""
    if s.touches[cell] == 0:
        return False
    if placing == c.LOOSE:
        return True
    return s.touches_space[cell] > 0 and (placing == c.SOCIABLE or s.touches_plain[cell] == 0)


@njit
def may_lay(s, placing, cell):
    """Whether a cell is empty and a hex of the class `placing` may be laid on it."""
    return s.hex[cell] == c.NOTHING and fits(s, placing, cell)


@njit
def count_open(s, cell, by):
    """Add an empty cell to the counts in `open_cells` (by = 1), or subtract it (by = -1)."""
    if s.hex[cell] == c.NOTHING:
        for placing in range(c.CLASSES):
            if fits(s, placing, cell):
                s.open_cells[placing] += by


@njit
def touch(s, t, cell, card, by):
    """Add a hex to the counts of its neighbouring cells (by = 1), or subtract it (by = -1)."""
    space = t.type[card] == c.SPACE
    plain = t.placing[card] == c.PLAIN
    for d in range(EDGES):
        near = NEIGHBOURS[cell, d]
        if near >= 0:
            count_open(s, near, -1)
            s.touches[near] += by
            if space:
                s.touches_space[near] += by
            if plain:
                s.touches_plain[near] += by
            count_open(s, near, 1)


@njit
def turn_hex(s, t, cell, turned):
    """Give a hex a rotation: its edge e lies in direction (e + turned) mod 6."""
    walls = int(t.walls[s.hex[cell]])
    s.turned[cell] = turned
    s.walls[cell] = ((walls << turned) | (walls >> (EDGES - turned))) & ALL_EDGES


@njit
def lay(s, t, cell, card, turned):
    """Put a hex on an empty cell, with its printed Data (HX-13)."""
    count_open(s, cell, -1)
    s.hex[cell] = card
    s.hex_data[cell] = t.printed[card]
    turn_hex(s, t, cell, turned)
    s.placed[s.hexes] = cell
    s.placed_at[cell] = s.hexes
    s.hexes += 1
    s.rows[ROW[cell]] |= 1 << COLUMN[cell]
    touch(s, t, cell, card, 1)


@njit
def lift(s, t, cell):
    """Take the hex off a cell; return its kind."""
    card = int(s.hex[cell])
    s.hex[cell] = c.NOTHING
    s.hex_data[cell] = 0
    s.turned[cell] = 0
    s.walls[cell] = 0
    s.hexes -= 1
    last = s.placed[s.hexes]
    s.placed[s.placed_at[cell]] = last
    s.placed_at[last] = s.placed_at[cell]
    s.placed[s.hexes] = 0
    s.placed_at[cell] = 0
    s.rows[ROW[cell]] &= ~(1 << COLUMN[cell])
    count_open(s, cell, 1)
    touch(s, t, cell, card, -1)
    return card


@njit
def remove(s, t, cell):
    """Discard a hex and its Data. HX-19: seats that Landed on it last may Land anywhere now."""
    for j in range(c.MAX_PLAYERS):
        if s.landed[j] == cell:
            s.landed[j] = c.NOWHERE
    to_discard(s, lift(s, t, cell))


@njit
def carry(s, t, cell, to):
    """HX-22: move a hex with its Data, rotation and ships; it stays the hex on which seats Landed last."""
    data = s.hex_data[cell]
    turned = s.turned[cell]
    card = lift(s, t, cell)
    lay(s, t, to, card, turned)
    s.hex_data[to] = data
    for j in range(c.MAX_PLAYERS):
        if s.ship[j] == cell:
            s.ship[j] = to
        if s.landed[j] == cell:
            s.landed[j] = to


@njit
def is_planet(s, t, cell):
    """Whether a Planet lies on a cell."""
    return s.hex[cell] != c.NOTHING and t.type[s.hex[cell]] == c.PLANET


@njit
def ships_on(s, cell):
    """How many ships are on a hex."""
    count = 0
    for j in range(s.num_players):
        count += s.ship[j] == cell
    return count


@njit
def arcs(s, cell):
    """The number of groups of adjacent hexes around a cell."""
    count = 0
    before = NEIGHBOURS[cell, EDGES - 1] >= 0 and s.hex[NEIGHBOURS[cell, EDGES - 1]] != c.NOTHING
    for d in range(EDGES):
        here = NEIGHBOURS[cell, d] >= 0 and s.hex[NEIGHBOURS[cell, d]] != c.NOTHING
        count += here and not before
        before = here
    return count


@njit
def is_bridge(s, cell):
    """Whether the board would be disconnected without the hex on this cell."""
    if arcs(s, cell) < 2:  # the neighbours form one connected group
        return False
    row = ROW[cell]
    s.rows[row] &= ~(1 << COLUMN[cell])
    start = s.placed[0] if s.placed[0] != cell else s.placed[1]
    reach(s, start)
    apart = False
    for r in range(SPAN):
        apart = apart or s.reached[r] != s.rows[r]
        s.reached[r] = 0
    s.rows[row] |= 1 << COLUMN[cell]
    return apart


@njit
def reach(s, start):
    """Mark all hexes connected with `start` in `reached`, row by row until nothing changes."""
    s.reached[ROW[start]] = 1 << COLUMN[start]
    changed = True
    while changed:
        changed = False
        for n in range(2 * SPAN):
            r = n if n < SPAN else 2 * SPAN - 1 - n
            old = int(s.reached[r])
            new = old | old << 1 | old >> 1
            if r > 0:
                above = int(s.reached[r - 1])
                new |= above | above >> 1
            if r < SPAN - 1:
                below = int(s.reached[r + 1])
                new |= below | below << 1
            new &= int(s.rows[r])
            if new != old:
                s.reached[r] = new
                changed = True
