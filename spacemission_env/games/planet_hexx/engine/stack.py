"""Pushes and pops frames (things under way), asks for decisions, opens windows and begins effects."""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.state import BLANK


@njit
def top(s):
    """The top frame; a blank frame if the stack is empty."""
    return s.stack[max(int(s.depth) - 1, 0)]


@njit
def has_room(s):
    """Whether the stack has room for a new effect or window."""
    return s.depth < c.MOST_FRAMES - c.SPARE_FRAMES


@njit
def push(s, kind, mode, seat):
    """Push a frame and return it; its other fields are blank."""
    f = s.stack[s.depth]
    s.depth += 1
    f.kind = kind
    f.mode = mode
    f.seat = seat
    return f


@njit
def pop(s):
    """Pop the top frame and blank it, so that equal positions are equal states."""
    s.depth -= 1
    s.stack[s.depth] = BLANK[0]


@njit
def open_window(s, t, name, seat):
    """Open a window on an action of a seat, if a card of the deck answers it (HR-32)."""
    if t.windows >> name & 1 and has_room(s):
        push(s, c.ANSWERING, name, seat)


@njit
def ask(s, what, seat):
    """Set the next decision and its seat; return True, since a player must choose."""
    s.asked = what
    s.player = seat
    return True


@njit
def note_deed(s, seat, what, card, number):
    """Add a deed, a public event, to `deeds`."""
    for i in range(c.DEEDS - 1, 0, -1):
        for v in range(4):
            s.deeds[i, v] = s.deeds[i - 1, v]
    s.deeds[0, 0], s.deeds[0, 1], s.deeds[0, 2], s.deeds[0, 3] = seat, what, card, number


@njit
def begin_effect(s, code, owner, card):
    """Begin an effect of a card; return its frame."""
    f = push(s, c.CARRYING_OUT, 0, owner)
    f.pc = code
    f.card = card
    return f


@njit
def happens(s, t, code, cell, bit):
    """HX-25, HR-26: whether a hex has this effect now; without Data, effects that `collect` do nothing.

    `code`: the field of `PARAMETERS` with this effect's programs, by card; `bit`: its bit in `relies`.
    """
    card = s.hex[cell]
    return code[card] != c.NOTHING and (s.hex_data[cell] > 0 or t.relies[card] & bit == 0)


@njit
def hex_effect(s, code, owner, cell, more):
    """Begin an effect of the hex on a cell; `more` is added to the amount of its `collect` (HR-33)."""
    if has_room(s):
        f = begin_effect(s, code, owner, s.hex[cell])
        f.cell = cell
        f.more = more


@njit
def enter(s, t, seat, cell):
    """HX-14: begin the `on_enter` effect of a hex; the hex itself is the target."""
    card = s.hex[cell]
    if t.on_enter[card] != c.NOTHING and has_room(s):
        f = begin_effect(s, t.on_enter[card], seat, card)
        f.cell = cell
        f.hex = cell


@njit
def on_table(f):
    """The card that a frame has on the table, or NOTHING."""
    if f.kind == c.CARRYING_OUT:
        return int(f.held)
    return int(f.card) if f.kind == c.PLAYING and f.mode != c.COPY and f.gone == 0 else c.NOTHING


@njit
def cell_of(f):
    """The cell that a frame is about, or NOTHING."""
    return int(f.hex) if f.kind == c.CARRYING_OUT and f.hex != c.NOTHING else int(f.cell)
