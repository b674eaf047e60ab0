"""Carries out Actions, Surprises and copies (HX-50); asks seats to answer them (HX-44 to HX-47).

A PLAYING frame is an Action, Surprise or copy under way. It goes through the steps START to FINISH; the
numbers 1 to 6 below mark the functions that carry these out. Copies, and Surprises that cost no Action, begin
with CHOOSE.
"""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import stack
from spacemission_env.games.planet_hexx.engine.board import lay, may_lay
from spacemission_env.games.planet_hexx.engine.cards import (
    draw,
    is_first,
    put_in_hand,
    take_from_hand,
    to_discard,
)
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import allows
from spacemission_env.games.planet_hexx.engine.costs import (
    begin_action,
    can_pay,
    can_pay_a_branch,
    has_action,
    is_banned,
)
from spacemission_env.games.planet_hexx.engine.effect_codes import START_BIT
from spacemission_env.games.planet_hexx.engine.missions import open_point, upload
from spacemission_env.games.planet_hexx.engine.moving import begin_move
from spacemission_env.games.planet_hexx.engine.stack import (
    ask,
    begin_effect,
    happens,
    hex_effect,
    open_window,
    pop,
    push,
)
from spacemission_env.games.planet_hexx.engine.state import FREE, NORMAL_UPLOAD

START, CHOOSE, TURN, ANNOUNCE, CHECK, RESOLVE, GO, FINISH = range(8)


@njit
def action_of(t, card, action):
    """The kind of Action that a move declares with a card."""
    if action == c.TO_MOVE:
        return c.MOVE
    if action >= c.TO_DISCARD:
        return c.REFRESH
    if action >= c.TO_UPLOAD:
        return c.UPLOAD
    return c.MAP if t.placing[card] != c.NOTHING else c.EVENT


@njit
def declare(s, t, seat, action):
    """1. Spend an Action and lay the card on the table."""
    slot = c.NOTHING if action == c.TO_MOVE else (action - c.TO_PLAY) % c.HAND
    card = c.NOTHING if slot == c.NOTHING else int(s.hand[seat, slot])
    mode = action_of(t, card, action)
    f = push(s, c.PLAYING, mode, seat)
    begin_action(s, seat, mode)
    if mode == c.UPLOAD:
        f.branch = t.alt_cost[card] if action >= c.TO_ALT else NORMAL_UPLOAD
    if slot != c.NOTHING:
        f.epoch = s.epoch[seat, slot]
        f.card = take_from_hand(s, seat, slot)
    stack.note_deed(s, seat, mode, card, 0)


@njit
def advance_play(s, t, f):
    """Continue a PLAYING frame; return whether a player must choose."""
    if f.step == START:  # 2. HX-33, HR-8: every Action triggers the Start effect of the ship's hex
        f.step = CHOOSE
        cell = s.ship[f.seat]
        if happens(s, t, t.on_start, cell, START_BIT):
            hex_effect(s, t.on_start[s.hex[cell]], f.seat, cell, 0)
        return False
    if f.step == CHOOSE:
        return choose(s, t, f)
    if f.step == TURN:
        return ask(s, c.MAP_ROTATION, f.seat)
    if f.step == ANNOUNCE:
        announce(s, t, f)
    elif f.step == CHECK:
        if fails(s, t, f):
            fail(s, f)
        else:
            pay(s, t, f)
    elif f.step == RESOLVE:
        resolve(s, t, f)
    elif f.step == GO:
        f.step = FINISH
        begin_move(s, f.seat, int(s.rolled))
        s.rolled = 0
    else:
        finish(s, f)
    return False


@njit
def choose(s, t, f):
    """3. Ask for the cell of a hex or the branch of an Event (HX-42)."""
    if f.mode == c.MAP:
        return ask(s, c.MAP_CELL, f.seat)
    f.step = ANNOUNCE
    if (f.mode == c.EVENT or f.mode == c.SURPRISE or f.mode == c.COPY) and t.branches[f.card] > 1:
        return ask(s, c.BRANCH, f.seat)
    return False


@njit
def choose_cell(t, f, cell):
    """Set the cell of a hex; a hex with walls needs a rotation next."""
    f.cell = cell
    f.step = TURN if t.turns[f.card] else ANNOUNCE


@njit
def announce(s, t, f):
    """4. Note the latest Event, and open the window."""
    f.step = CHECK
    if f.mode == c.EVENT:
        f.before = s.latest
        s.latest = f.card
    if f.mode != c.COPY:
        open_window(s, t, c.SURPRISED if f.mode == c.SURPRISE else int(f.mode), f.seat)


@njit
def cost_of(t, f):
    """The cost to pay: a row of `PARAMETERS.costs`."""
    if f.mode == c.UPLOAD:
        return int(f.branch)
    return int(t.cost[f.card, f.branch]) if f.mode >= c.EVENT else FREE


@njit
def fails(s, t, f):
    """5. Whether the declaration fails: cancelled, banned, or not possible any more."""
    seat = int(f.seat)
    if f.cancelled or (f.mode <= c.EVENT and is_banned(s, t, seat, f.mode)):
        return True
    if f.mode == c.MAP:
        return not may_lay(s, t.placing[f.card], f.cell)
    if f.mode == c.UPLOAD and not can_upload_here(s, t, seat, f.card, f.branch):
        return True
    return not can_pay(s, t, seat, cost_of(t, f), c.NOTHING, c.NOTHING)


@njit
def can_upload_here(s, t, seat, card, row):
    """HX-35, HX-36, HX-39: whether the place of the ship and an unfilled point allow this upload."""
    here = t.type[s.hex[s.ship[seat]]] == c.SPACE
    anywhere = row != NORMAL_UPLOAD and t.alt_anywhere[card] != 0
    return (here or anywhere) and open_point(s, t, seat, card) != c.NOTHING


@njit
def fail(s, f):
    """Discard a failed Event or Surprise; other cards go back to the hand, known to all. Nobody pays."""
    if f.mode == c.EVENT or f.mode == c.SURPRISE:
        finish(s, f)
        return
    if f.card != c.NOTHING and f.mode != c.COPY:
        if s.hand_size[f.seat] < c.HAND:
            put_in_hand(s, f.seat, int(f.card), 1, f.epoch)
        else:
            to_discard(s, f.card)
    pop(s)


@njit
def pay(s, t, f):
    """Begin the program that pays the cost."""
    f.step = RESOLVE
    code = t.costs[cost_of(t, f)].code
    if code != c.NOTHING:
        begin_effect(s, code, f.seat, f.card)


@njit
def resolve(s, t, f):
    """6. Carry out the Action, Surprise or copy."""
    seat = int(f.seat)
    card = int(f.card)
    f.step = FINISH
    if f.mode == c.MAP:  # HX-10
        f.gone = 1
        lay(s, t, f.cell, card, f.turned)
        stack.enter(s, t, seat, f.cell)
    elif f.mode == c.MOVE:  # HX-16
        f.step = GO
        push(s, c.ROLLING, c.MOVE, seat)
    elif f.mode == c.UPLOAD:  # HX-35
        f.gone = 1
        upload(s, t, seat, card)
    elif f.mode == c.REFRESH:  # HX-40
        f.gone = 1
        to_discard(s, card)
        draw(s, t, seat, 1)
    else:  # HX-41
        home = f.home if f.mode == c.COPY else s.depth - 1
        about = f.about
        g = begin_effect(s, t.play[card, f.branch], seat, card)
        g.home = home
        g.about = about


@njit
def finish(s, f):
    """Discard an Event or Surprise that is still on the table."""
    if (f.mode == c.EVENT or f.mode == c.SURPRISE) and f.gone == 0:
        f.gone = 1
        to_discard(s, f.card)
    pop(s)


# ---------------------------------------------------------------- windows (HX-44 to HX-47)


@njit
def answers(s, t, name, seat, slot):
    """HX-44: whether the card of a slot may be played in a window."""
    card = s.hand[seat, slot]
    if not is_first(s, seat, slot) or t.answers[card] >> name & 1 == 0:
        return False
    if not allows(s, t, t.only_if, card, seat, 1):
        return False
    return can_pay_a_branch(s, t, seat, card, slot, c.EVENT if seat == s.active else c.NOTHING)


@njit
def can_answer(s, t, f, seat):
    """Whether a seat has a card for the window; always true with `always_ask`."""
    if t.always_ask:
        return True
    for slot in range(s.hand_size[seat]):  # noqa: SIM110 - numba knows no any()
        if answers(s, t, f.mode, seat, slot):
            return True
    return False


@njit
def may_be_asked(s, f, seat):
    """Whether a seat may answer: it is not the opener, has not passed, and has a Surprise or Action left."""
    if seat == f.seat or f.taken >> seat & 1:
        return False
    if seat == s.active:  # HX-47
        return f.mode == c.SURPRISED and has_action(s, c.EVENT)
    return s.surprised[seat] == 0


@njit
def advance_window(s, t, f):
    """Ask the first seat that may answer, clockwise from the active seat, which comes last."""
    n = int(s.num_players)
    for k in range(1, n + 1):
        seat = (int(s.active) + k) % n
        if may_be_asked(s, f, seat) and can_answer(s, t, f, seat):
            return ask(s, c.WINDOW, seat)
    pop(s)
    return False


@njit
def answer_window(s, seat, action):
    """Note a pass, which holds for the whole window, or play a Surprise."""
    f = stack.top(s)
    if action == c.PASS:
        f.taken |= 1 << seat
        return
    step = CHOOSE
    if seat == s.active:
        begin_action(s, seat, c.EVENT)
        step = START
    else:
        s.surprised[seat] = 1
    window = s.depth - 1
    slot = action - c.TO_PLAY
    epoch = s.epoch[seat, slot]
    g = push(s, c.PLAYING, c.SURPRISE, seat)
    g.card = take_from_hand(s, seat, slot)
    g.epoch = epoch
    g.about = window
    g.step = step
    f.left += 1
    stack.note_deed(s, seat, c.SURPRISE_DEED, g.card, 0)
