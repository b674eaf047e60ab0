"""Carries out effects, statement by statement: control flow, choices, hexes.

A CARRYING_OUT frame points to an instruction (`pc`) of `Box.code`; `step` says how far that has come.
Statements that ask nobody are in `statements.py`.
"""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import carry, lay, remove, ships_on, turn_hex
from spacemission_env.games.planet_hexx.engine.cards import put_in_hand, take_from_hand
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import allows, can_be_done, holds, nth_seat
from spacemission_env.games.planet_hexx.engine.costs import can_pay
from spacemission_env.games.planet_hexx.engine.declare import CHOOSE
from spacemission_env.games.planet_hexx.engine.missions import upload_at_once
from spacemission_env.games.planet_hexx.engine.moving import begin_move, begin_roll
from spacemission_env.games.planet_hexx.engine.stack import ask, enter, has_room, pop, push
from spacemission_env.games.planet_hexx.engine.statements import amount, do_at_once, is_at_once
from spacemission_env.games.planet_hexx.engine.turn import begin_discards

WHICH, WHERE, HOW, LAY = range(4)  # steps of laying a Map card
NO_CODE = 0  # the program that is nothing but an end


@njit
def next_statement(f):
    """The statement is done."""
    f.pc += 1
    f.step = 0
    f.taken = 0


@njit
def go_to(f, pc):
    """The effect goes on elsewhere."""
    f.pc = pc
    f.step = 0
    f.taken = 0


@njit
def advance_effect(s, t, f):
    """One statement, or a part of it; whether something is asked."""
    op = t.code[f.pc, 0]
    if is_at_once(op):
        do_at_once(s, t, f, op)
        next_statement(f)
        return False
    if op <= codes.USE_ONCE:
        return flow(s, t, f, op)
    if op == codes.ROLL_OP:
        roll(s, f)
        return False
    if op == codes.DISCARD_OP:
        discards(s, t, f)
        return False
    if op == codes.MOVE_OP:
        steps = amount(s, t, f, t.code[f.pc, 1])
        next_statement(f)
        begin_move(s, f.seat, steps)
        return False
    if op == codes.COPY_OP:
        copy(s, t, f)
        return False
    if op == codes.PLACE_OP or codes.DISINTEGRATE <= op <= codes.REPLACE_HEX:
        return on_the_board(s, t, f, op)
    return ask(s, asked_by(op), f.seat)


@njit
def asked_by(op):
    """What a statement asks the owner that is nothing but a choice."""
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
    """Conditions, jumps, and the end of the effect."""
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
    """The effect has ended; HX-46: Actions gained on another's turn are used now, one after the other."""
    if f.queue == 0:
        pop(s)
        return
    kind = (f.queue & 7) - 1
    f.queue >>= 3
    if has_room(s):
        push(s, c.GAINING, kind, f.seat)


@njit
def roll(s, f):
    """HX-49: the owner rolls a die; the result counts 1 to 6."""
    if f.step == 0:
        f.step = 1
        begin_roll(s, f.seat, c.EVENT)
        return
    f.roll = min(6, max(1, int(s.rolled)))
    s.rolled = 0
    next_statement(f)


@njit
def discards(s, t, f):
    """Each seat in turn discards cards of its choice."""
    seat = nth_seat(s, f, t.code[f.pc, 2], int(f.taken))
    if seat == c.NOBODY:
        next_statement(f)
        return
    f.taken += 1
    begin_discards(s, seat, amount(s, t, f, t.code[f.pc, 1]), t.code[f.pc, 3])


@njit
def copy(s, t, f):
    """HX-50: the latest Event but for the card that copies is carried out, if the owner can pay for it."""
    next_statement(f)
    card = s.stack[f.home].before if s.stack[f.home].mode == c.EVENT else s.latest
    if card == c.NOTHING or t.copies_event[card] or not has_room(s) or not may_copy(s, t, f, card):
        return
    if can_pay(s, t, f.seat, t.cost[card], c.NOTHING, 0):
        g = push(s, c.PLAYING, c.COPY, f.seat)
        g.card = card
        g.step = CHOOSE
        g.home = f.home
        g.about = f.about


@njit
def may_copy(s, t, f, card):
    """HX-50: whether the owner could play the card at this time: its restrictions of turn and Action."""
    if not allows(s, t, t.only_if, card, f.seat, 0):
        return False
    if t.answers[card] == 0 or (t.own_turn[card] and f.seat == s.active):
        return True
    return f.about != c.NOTHING and t.answers[card] >> s.stack[f.about].mode & 1 != 0


# ---------------------------------------------------------------- hexes


@njit
def on_the_board(s, t, f, op):
    """Statements that lay, take away, turn or carry hexes; whether something is asked."""
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
        if can_be_done(s, t, f.hex, codes.TO_CARRY):
            return ask(s, c.MOVE_TO, f.seat)
    elif f.step > WHICH or can_be_done(s, t, f.hex, codes.TO_REPLACE):
        return place(s, t, f, c.REPLACE)
    next_statement(f)
    return False


@njit
def place(s, t, f, which):
    """`place` and `replace_hex`: which card, where, how it lies; then it is Played (HX-14)."""
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
def hold_card(s, t, f, action, replaced):
    """A Map card is chosen, or none; `replaced`: it goes to the place of the target hex."""
    if action == c.PASS:
        next_statement(f)
        return
    slot = action - c.TO_PLAY
    f.held_epoch = s.epoch[f.seat, slot]
    f.held = take_from_hand(s, f.seat, slot)
    f.step = WHERE
    if replaced:
        hold_place(t, f, f.hex)


@njit
def hold_place(t, f, cell):
    """Where the Map card goes."""
    f.cell = cell
    f.step = HOW if t.turns[f.held] else LAY


@njit
def put_ships(s, t, f, cell):
    """All ships of the target hex are put on another, then it goes."""
    for j in range(s.num_players):
        if s.ship[j] == f.hex:
            s.ship[j] = cell
    remove(s, t, f.hex)
    next_statement(f)


@njit
def carry_hex(s, t, f, cell):
    """The target hex goes elsewhere."""
    carry(s, t, f.hex, cell)
    f.hex = cell
    next_statement(f)


@njit
def rotate_hex(s, t, f, turned):
    """The target hex is turned."""
    turn_hex(s, t, f.hex, turned)
    next_statement(f)


# ---------------------------------------------------------------- cards


@njit
def recover(s, f, card):
    """A card comes from the Discard to the owner's hand; all know it."""
    s.discard[card] -= 1
    s.discard_size -= 1
    put_in_hand(s, f.seat, card, 1, s.shuffles)
    next_statement(f)


@njit
def upload_now(s, t, f, action):
    """HX-38: a card of the hand is uploaded, or none."""
    next_statement(f)
    if action != c.PASS:
        seat = int(f.seat)
        upload_at_once(s, t, seat, take_from_hand(s, seat, action - c.TO_UPLOAD))
