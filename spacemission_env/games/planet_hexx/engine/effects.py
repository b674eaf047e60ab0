"""Carries out effects: control flow, choices and statements about hexes.

A CARRYING_OUT frame is an effect under way: `pc` is the index of its instruction in `PARAMETERS.code`, and
`step` is the progress within the instruction. `statements.py` has the statements without choices.
"""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import carry, lay, remove, ships_on, turn_hex
from spacemission_env.games.planet_hexx.engine.cards import put_in_hand, take_from_hand, to_discard
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import allows, can_be_done, holds, mover, nth_seat
from spacemission_env.games.planet_hexx.engine.costs import can_pay_a_branch
from spacemission_env.games.planet_hexx.engine.declare import CHOOSE
from spacemission_env.games.planet_hexx.engine.missions import upload_at_once
from spacemission_env.games.planet_hexx.engine.moving import begin_move
from spacemission_env.games.planet_hexx.engine.stack import ask, enter, has_room, pop, push
from spacemission_env.games.planet_hexx.engine.statements import amount, do_at_once
from spacemission_env.games.planet_hexx.engine.turn import begin_discards

WHICH, WHERE, HOW, LAY = range(4)  # steps of laying a Map card
NO_CODE = 0  # the empty program


@njit
def go_to(f, pc):
    """Continue the effect at an instruction."""
    f.pc = pc
    f.step = 0
    f.taken = 0


@njit
def next_statement(f):
    """Continue the effect at the next instruction."""
    go_to(f, f.pc + 1)


@njit
def advance_effect(s, t, f):
    """Carry out a statement or a part of it; return whether a player must choose."""
    op = t.code[f.pc, 0]
    if op <= codes.USE_ONCE:
        return flow(s, t, f, op)
    if codes.PLACE_OP <= op <= codes.REPLACE_HEX:
        return on_the_board(s, t, f, op)
    if op > codes.REPLACE_HEX:
        return ask(s, asked_by(op), f.seat)
    if op <= codes.COUNTER:
        do_at_once(s, t, f, op)
        next_statement(f)
    elif op == codes.ROLL_OP:
        roll(s, t, f)
    elif op == codes.DISCARD_OP:
        discards(s, t, f)
    elif op == codes.MOVE_OP:
        steps = amount(s, t, f, t.code[f.pc, 1])
        next_statement(f)
        begin_move(s, f.seat, steps)
    else:
        copy(s, t, f)
    return False


@njit
def asked_by(op):
    """The decision of a statement that consists of one choice."""
    if op == codes.TARGET_HEX_OP:
        return c.TARGET_HEX
    if op == codes.TARGET_SEAT_OP:
        return c.TARGET_SEAT
    if op == codes.RELOCATE_OP:
        return c.RELOCATE
    if op == codes.DELETE_UPLOAD:
        return c.DELETE
    return c.RECOVER if op == codes.RECOVER_OP else c.UPLOAD_NOW


@njit
def flow(s, t, f, op):
    """Carry out an instruction of control flow; return whether a player must choose."""
    to = t.code[f.pc, 1]
    if op == codes.MAY_OP:
        return ask(s, c.MAY, f.seat)
    if op == codes.END:
        end_effect(s, f)
    elif op == codes.JUMP:
        go_to(f, to)
    elif op == codes.IF:
        held = holds(s, t, f.seat, f.target, t.code[f.pc, 2], t.code[f.pc, 3], 0)
        go_to(f, f.pc + 1 if held else to)
    elif op == codes.ONCE:
        go_to(f, to if s.once[f.seat] >> t.code[f.pc, 2] & 1 else f.pc + 1)
    elif op == codes.USE_ONCE:
        s.once[f.seat] |= 1 << t.code[f.pc, 2]
        next_statement(f)
    elif op == codes.RANGE:
        go_to(f, f.pc + 1 if t.code[f.pc, 2] <= f.roll <= t.code[f.pc, 3] else to)
    return False


@njit
def end_effect(s, f):
    """End the effect. HX-46: Actions gained in another player's turn are used first, one by one."""
    if f.queue == 0:
        pop(s)
        return
    kind = (f.queue & 7) - 1
    f.queue >>= 3
    if has_room(s):
        push(s, c.GAINING, kind, f.seat)


@njit
def roll(s, t, f):
    """Roll the owner's die. HX-49, HR-38: only the result for a table is clipped to 1 to 6."""
    if f.step == 0:
        f.step = 1
        push(s, c.ROLLING, c.EVENT, f.seat)
        return
    f.roll = min(6, max(1, int(s.rolled))) if t.code[f.pc, 1] else int(s.rolled)
    s.rolled = 0
    next_statement(f)


@njit
def discards(s, t, f):
    """Let the next seat that the statement names discard cards of its choice."""
    seat = nth_seat(s, f, t.code[f.pc, 2], int(f.taken))
    if seat == c.NOBODY:
        next_statement(f)
        return
    f.taken += 1
    begin_discards(s, seat, amount(s, t, f, t.code[f.pc, 1]), t.code[f.pc, 3])


@njit
def copy(s, t, f):
    """HX-50: play a copy of the latest earlier Event, if the owner can pay for it."""
    next_statement(f)
    card = s.stack[f.home].before if s.stack[f.home].mode == c.EVENT else s.latest
    if card == c.NOTHING or t.copies_event[card] or not has_room(s) or not may_copy(s, t, f, card):
        return
    if can_pay_a_branch(s, t, int(f.seat), card, c.NOTHING, c.NOTHING):
        g = push(s, c.PLAYING, c.COPY, f.seat)
        g.card = card
        g.step = CHOOSE
        g.home = f.home
        g.about = f.about


@njit
def may_copy(s, t, f, card):
    """HX-50: whether the restrictions of the card let the owner play it now."""
    if not allows(s, t, t.only_if, card, f.seat, 0):
        return False
    if t.answers[card] == 0 or (t.own_turn[card] and f.seat == s.active):
        return True
    return f.about != c.NOTHING and t.answers[card] >> s.stack[f.about].mode & 1 != 0


@njit
def on_the_board(s, t, f, op):
    """Carry out a statement that lays, removes, turns or moves a hex; return whether a player must choose."""
    if op == codes.PLACE_OP:
        return place(s, t, f, c.PLACE)
    if f.hex == c.NOTHING or s.hex[f.hex] == c.NOTHING:
        next_statement(f)
        return False
    if op == codes.ROTATE_OP:
        if t.turns[s.hex[f.hex]]:
            return ask(s, c.ROTATE, f.seat)
    elif op == codes.DISINTEGRATE:
        if can_be_done(s, t, f.hex, codes.TO_GO):
            if ships_on(s, f.hex) > 0:
                return ask(s, c.SHIPS_TO, f.seat)
            remove(s, t, f.hex)
    elif op == codes.MOVE_HEX:
        if can_be_done(s, t, f.hex, t.code[f.pc, 1]):
            return ask(s, c.MOVE_TO, f.seat)
    elif f.step > WHICH or can_be_done(s, t, f.hex, codes.TO_REPLACE):
        return place(s, t, f, c.REPLACE)
    next_statement(f)
    return False


@njit
def place(s, t, f, which):
    """`place` and `replace_hex`: choose card, cell and rotation, then Play the hex (HX-14)."""
    if f.step == WHICH:
        return ask(s, which, f.seat)
    if f.step == WHERE:
        return ask(s, c.PLACE_CELL, f.seat)
    if f.step == HOW:
        return ask(s, c.PLACE_ROTATION, f.seat)
    if which == c.REPLACE:
        remove(s, t, f.cell)
    card = int(f.held)
    f.held = c.NOTHING
    lay(s, t, f.cell, card, f.turned)
    f.turned = 0
    next_statement(f)
    enter(s, t, int(f.seat), f.cell)
    return False


@njit
def hold_card(s, t, f, slot, replaced):
    """Take a Map card from the hand; `replaced`: whether it replaces the target hex."""
    f.held_epoch = s.epoch[f.seat, slot]
    f.held = take_from_hand(s, f.seat, slot)
    f.step = WHERE
    if replaced:
        hold_place(t, f, f.hex)


@njit
def hold_place(t, f, cell):
    """Set the cell of the Map card."""
    f.cell = cell
    f.step = HOW if t.turns[f.held] else LAY


@njit
def make_choice(s, t, f, seat, asked, action):
    """Carry out the choice that a statement asked for."""
    if asked == c.PLACE_CELL:
        hold_place(t, f, action - c.TO_CELL)
        return
    if asked == c.PLACE_ROTATION:
        f.turned = action - c.TO_TURN
        f.step = LAY
        return
    if (asked == c.PLACE or asked == c.REPLACE) and action != c.PASS:
        hold_card(s, t, f, action - c.TO_PLAY, asked == c.REPLACE)
        return
    if asked == c.TARGET_HEX:
        f.hex = action - c.TO_CELL
    elif asked == c.TARGET_SEAT:
        f.target = (seat + action - c.TO_SEAT) % int(s.num_players)
    elif asked == c.RELOCATE:
        s.ship[mover(f, t.code[f.pc, 3])] = action - c.TO_CELL
    elif asked == c.SHIPS_TO:  # HX-22
        for j in range(s.num_players):
            if s.ship[j] == f.hex:
                s.ship[j] = action - c.TO_CELL
        remove(s, t, f.hex)
    elif asked == c.MOVE_TO:
        carry(s, t, f.hex, action - c.TO_CELL)
        f.hex = action - c.TO_CELL
    elif asked == c.ROTATE:
        turn_hex(s, t, f.hex, action - c.TO_TURN)
    elif asked == c.RECOVER:  # HX-52: all seats know the recovered card
        card = action - c.TO_KIND
        s.discard[card] -= 1
        s.discard_size -= 1
        put_in_hand(s, f.seat, card, 1, s.shuffles)
    elif asked == c.DELETE:
        k, point = divmod(action - c.TO_POINT, c.POINTS)
        other = (seat + k) % int(s.num_players)
        to_discard(s, s.filled[other, point])
        s.filled[other, point] = c.NOTHING
    next_statement(f)
    if asked == c.UPLOAD_NOW and action != c.PASS:  # HX-38
        upload_at_once(s, t, seat, take_from_hand(s, seat, action - c.TO_UPLOAD))
