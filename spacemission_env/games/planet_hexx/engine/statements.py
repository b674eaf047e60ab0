"""Carries out statements without choices: those about Data, cards, Actions and dice."""

from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import is_planet
from spacemission_env.games.planet_hexx.engine.cards import discard_at_random, draw, dump
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import nth_seat
from spacemission_env.games.planet_hexx.engine.costs import lose_actions
from spacemission_env.games.planet_hexx.engine.missions import open_point, upload_at_once
from spacemission_env.games.planet_hexx.engine.moving import collect_from, throw


@njit
def amount(s, t, f, number):
    """The value of an amount: a number, the roll, Snooger counters of the target seat, or printed Data."""
    if number == codes.BY_ROLL:
        return int(f.roll)
    if number == codes.BY_COUNTERS:
        return int(s.counters[f.target]) if f.target != c.NOBODY else 0
    if number == codes.BY_PRINTED:
        card = s.hex[s.ship[f.seat] if f.hex == c.NOTHING else f.hex]
        return int(t.printed[card]) if card != c.NOTHING else 0
    return int(number)


@njit
def change_planet(s, cell, by):
    """HX-29: change the Data of a Planet, within 0 to MOST_DATA."""
    s.hex_data[cell] = min(c.MOST_DATA, max(0, int(s.hex_data[cell]) + by))


@njit
def change_store(s, seat, by):
    """HX-28: change a Store, within 0 to MOST_DATA."""
    s.store[seat] = min(c.MOST_DATA, max(0, int(s.store[seat]) + by))


@njit
def gain_actions(s, f, count, kind):
    """HX-46: gain Actions; a seat that is not active uses them one by one at the end of the effect."""
    owner = int(f.seat)
    count = min(count, c.MOST_GAINED - int(s.gained_ever[owner]))
    s.gained_ever[owner] += count
    if owner == s.active:
        if kind == c.ANY:
            s.actions_left += count
        else:
            s.gained[kind] += count
        return
    shift = 0
    while f.queue >> shift != 0:
        shift += 3
    for _ in range(count):
        f.queue |= (kind + 1) << shift
        shift += 3


@njit
def answers_roll(s, f):
    """Whether the effect answers a die roll."""
    return f.about != c.NOTHING and s.stack[f.about].mode == c.ROLLED


@njit
def change_collect(s, t, f, by):
    """HR-33: change what the answered Landing Collects; if none is answered, all Collecting of this turn."""
    if f.about != c.NOTHING and s.stack[f.about].mode == c.LANDED:
        s.stack[f.about - 1].more += by
        return
    for i in range(c.MAX_PLAYERS):
        seat = nth_seat(s, f, t.code[f.pc, 2], i)
        if seat != c.NOBODY:
            s.collect_bonus[seat] = min(c.MOST_DATA, max(-c.MOST_DATA, int(s.collect_bonus[seat]) + by))


@njit
def cancel(s, t, f):
    """Cancel what the effect answers. HR-30: by an option, a cancelled Event stays the latest Event."""
    if f.about == c.NOTHING or (s.stack[f.about].mode > c.EVENT and s.stack[f.about].mode != c.SURPRISED):
        return
    declared = s.stack[f.about - 1]
    declared.cancelled = 1
    if declared.mode == c.EVENT and s.latest == declared.card and not t.copy_cancelled:
        s.latest = declared.before


@njit
def upload_self(s, t, f):
    """Upload the played card itself, if it fits and can be paid (HR-27)."""
    if f.home == c.NOTHING or s.stack[f.home].gone != 0:
        return
    card = int(s.stack[f.home].card)
    if open_point(s, t, f.seat, card) != c.NOTHING and s.store[f.seat] >= t.immediate_upload_cost:
        s.stack[f.home].gone = 1
        upload_at_once(s, t, f.seat, card)


@njit
def do_to_seat(s, t, f, op, seat, number):
    """Carry out a statement for one seat."""
    if op == codes.ADD:
        change_store(s, seat, number)
    elif op == codes.EXPEND:
        change_store(s, seat, -number)
    elif op == codes.TAKE:
        count = min(number, int(s.store[seat]))
        s.store[seat] -= count
        change_store(s, int(f.seat), count)
    elif op == codes.DRAW:
        draw(s, t, seat, number)
    elif op == codes.RANDOM_DISCARD:
        for _ in range(number):
            discard_at_random(s, seat)
    elif op == codes.SHOW_HAND:
        for i in range(s.hand_size[seat]):
            s.known[seat, i] = 1
    elif op == codes.USE_ACTION:
        lose_actions(s, seat, number, t.code[f.pc, 3])
    elif op == codes.FORBID:
        s.banned[seat] |= 1 << number
    elif op == codes.COUNTER:
        s.counters[seat] = min(c.MOST_COUNTERS, int(s.counters[seat]) + number)


@njit
def do_to_planets(s, t, f, op, number):
    """Carry out a statement about the Data of Planets."""
    if op == codes.PLANETS_ADD or op == codes.PLANETS_SUB:
        for i in range(s.hexes):
            if is_planet(s, t, s.placed[i]):
                change_planet(s, s.placed[i], number if op == codes.PLANETS_ADD else -number)
        return
    cell = s.ship[f.seat] if op == codes.COLLECT_OP or f.hex == c.NOTHING else f.hex
    if not is_planet(s, t, cell):
        return
    if op == codes.COLLECT_OP:
        collect_from(s, int(f.seat), cell, number + int(f.more))
    else:
        change_planet(s, cell, number if op == codes.PLANET_ADD else -number)


@njit
def do_at_once(s, t, f, op):
    """Carry out a statement without a choice."""
    number = amount(s, t, f, t.code[f.pc, 1])
    if op == codes.COLLECT_OP or codes.PLANET_ADD <= op <= codes.PLANETS_SUB:
        do_to_planets(s, t, f, op, number)
    elif op == codes.DUMP:
        dump(s, t, number)
    elif op == codes.SHOW_TOP:
        s.deck_known = max(int(s.deck_known), min(number, int(s.deck_size)))
    elif op == codes.GAIN_ACTION:
        gain_actions(s, f, number, int(t.code[f.pc, 2]))
    elif op == codes.MODIFY_ROLL:  # change the answered roll, or the owner's Move rolls of this turn
        if answers_roll(s, f):
            s.stack[f.about - 1].roll += number
        else:
            s.bonus[f.seat] += number
    elif op == codes.MODIFY_COLLECT:
        change_collect(s, t, f, number)
    elif op == codes.REROLL:
        if answers_roll(s, f):
            throw(s, s.stack[f.about - 1])
    elif op == codes.UPLOAD_SELF:
        upload_self(s, t, f)
    elif op == codes.CANCEL:
        cancel(s, t, f)
    else:
        for i in range(c.MAX_PLAYERS):
            seat = nth_seat(s, f, t.code[f.pc, 2], i)
            if seat != c.NOBODY:
                do_to_seat(s, t, f, op, seat, number)
