"""Opens windows (HX-44 to HX-47) and asks one seat after another for a Surprise."""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.cards import is_first, take_from_hand
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import allows
from spacemission_env.games.planet_hexx.engine.costs import begin_action, can_pay_a_branch, has_action
from spacemission_env.games.planet_hexx.engine.stack import ask, has_room, note_deed, pop, push, top

START, CHOOSE = 0, 1  # the first two steps of a PLAYING frame, as in `declare.py`


@njit
def open_window(s, t, name, seat):
    """Open a window on an action of a seat, if a card of the deck answers it (HR-32)."""
    if t.windows >> name & 1 and has_room(s):
        push(s, c.ANSWERING, name, seat)


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
    """Whether a seat may answer: not the opener, not passed yet, and with a Surprise or Action left."""
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
    f = top(s)
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
    note_deed(s, seat, c.SURPRISE_DEED, g.card, 0)
