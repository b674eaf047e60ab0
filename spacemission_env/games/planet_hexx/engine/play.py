"""Applies moves, then proceeds until somebody has to choose."""

from __future__ import annotations

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.cards import discard_slot, to_discard
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import mover
from spacemission_env.games.planet_hexx.engine.declare import (
    ANNOUNCE,
    advance_play,
    choose_cell,
    declare,
    fail,
)
from spacemission_env.games.planet_hexx.engine.effects import (
    LAY,
    NO_CODE,
    advance_effect,
    carry_hex,
    go_to,
    hold_card,
    hold_place,
    next_statement,
    put_ships,
    recover,
    rotate_hex,
    upload_now,
)
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.moving import (
    ENDING,
    advance_move,
    advance_roll,
    collect_blue,
    collect_from,
    step_out,
)
from spacemission_env.games.planet_hexx.engine.stack import ask, pop, top
from spacemission_env.games.planet_hexx.engine.turn import advance_turn, choose_side, deal, end_actions
from spacemission_env.games.planet_hexx.engine.windows import advance_window, answer_window


@njit
def deal_game(s, t, num_players, seed):
    """A new game from a seed, up to its first decision."""
    deal(s, t, num_players, seed)
    proceed(s, t)


@njit
def apply(s, t, action):
    """Make a legal move of the player to act, and carry on; see `proceed`."""
    s.decisions += 1
    s.seen_decisions += not (s.asked == c.WINDOW and action == c.PASS)
    carry_out(s, t, action)
    return proceed(s, t)


@njit
def proceed(s, t):
    """Carry on until somebody has more than one legal move, or the game is over.

    Gives how many decisions were made for their seats, as there was only one legal move (HR-14).
    """
    forced = 0
    while s.over == RUNNING:
        if not advance(s, t):
            continue
        kinds = open_actions(s, t, s.player)
        first = next_legal(s, t, kinds, 0)
        if first == c.NOTHING:
            go_without(s)
            continue
        if s.asked == c.WINDOW and t.always_ask:
            break
        if next_legal(s, t, kinds, first + 1) != c.NOTHING:
            break
        carry_out(s, t, first)
        forced += 1
    return forced


@njit
def advance(s, t):
    """What is on top of the stack goes on, or the turn; whether something is asked now."""
    if s.depth == 0:
        return advance_turn(s, t)
    f = top(s)
    if f.kind == c.CARRYING_OUT:
        return advance_effect(s, t, f)
    if f.kind == c.PLAYING:
        return advance_play(s, t, f)
    if f.kind == c.ANSWERING:
        return advance_window(s, t, f)
    if f.kind == c.MOVING:
        return advance_move(s, t, f)
    if f.kind == c.ROLLING:
        advance_roll(s, t, f)
        return False
    if f.kind == c.DISCARDING:
        if f.left > 0:
            return ask(s, c.DISCARD, f.seat)
        pop(s)
        return False
    return ask(s, c.GAINED, f.seat)


@njit
def go_without(s):
    """There is nothing to choose: what was asked does not take place."""
    f = top(s)
    if s.asked == c.MAP_CELL:
        fail(s, f)
    elif s.asked == c.DISCARD:
        pop(s)
    elif s.asked == c.TARGET_HEX:
        go_to(f, NO_CODE)
    else:
        next_statement(f)


@njit
def carry_out(s, t, action):
    """The decision that is asked is made."""
    f = top(s)
    seat = int(s.player)
    asked = s.asked
    if asked == c.MAIN:
        if action == c.PASS:
            end_actions(s)
        else:
            declare(s, t, seat, action)
    elif asked == c.GAINED:
        pop(s)
        if action != c.PASS:
            declare(s, t, seat, action)
    elif asked == c.STEP:
        if action == c.PASS:
            f.step = ENDING
        else:
            step_out(s, t, f, action - c.TO_TURN)
    elif asked == c.WINDOW:
        answer_window(s, seat, action)
    elif asked == c.MAP_CELL:
        choose_cell(t, f, action - c.TO_CELL)
    elif asked == c.MAP_ROTATION:
        f.turned = action - c.TO_TURN
        f.step = ANNOUNCE
    elif asked == c.COLLECT:
        answer_collect(s, t, f, seat, action)
    elif asked == c.MAY:
        answer_may(s, t, f, action)
    elif asked == c.DISCARD:
        f.left -= 1
        discard_slot(s, seat, action - c.TO_DISCARD)
    elif asked == c.BRANCH:
        f.branch = action - c.TO_BRANCH
    elif asked == c.SIDE:
        choose_side(s, t, seat, action - c.TO_BRANCH)
    else:
        carry_out_choice(s, t, f, seat, asked, action)


@njit
def carry_out_choice(s, t, f, seat, asked, action):
    """A choice of a statement's owner is made."""
    if asked == c.TARGET_HEX:
        f.hex = action - c.TO_CELL
        next_statement(f)
    elif asked == c.TARGET_SEAT:
        f.target = (seat + action - c.TO_SEAT) % int(s.num_players)
        next_statement(f)
    elif asked == c.RELOCATE:
        s.ship[mover(f, t.code[f.pc, 3])] = action - c.TO_CELL
        next_statement(f)
    elif asked == c.SHIPS_TO:
        put_ships(s, t, f, action - c.TO_CELL)
    elif asked == c.MOVE_TO:
        carry_hex(s, t, f, action - c.TO_CELL)
    elif asked == c.ROTATE:
        rotate_hex(s, t, f, action - c.TO_TURN)
    elif asked == c.PLACE or asked == c.REPLACE:
        hold_card(s, t, f, action, asked == c.REPLACE)
    elif asked == c.PLACE_CELL:
        hold_place(t, f, action - c.TO_CELL)
    elif asked == c.PLACE_ROTATION:
        f.turned = action - c.TO_TURN
        f.step = LAY
    elif asked == c.RECOVER:
        recover(s, f, action - c.TO_KIND)
    elif asked == c.DELETE:
        delete_upload(s, f, seat, action - c.TO_POINT)
    else:
        upload_now(s, t, f, action)


@njit
def answer_collect(s, t, f, seat, action):
    """HX-23, HX-30: nothing, the normal 1, or the blue effect."""
    if action == c.YES:
        collect_blue(s, t, f)
    elif action > c.TO_NUMBER:
        collect_from(s, seat, f.cell, 1 + int(f.more))


@njit
def answer_may(s, t, f, action):
    """HX-34: a part of an effect."""
    if action == c.YES:
        next_statement(f)
    else:
        go_to(f, t.code[f.pc, 1])


@njit
def delete_upload(s, f, seat, number):
    """A card goes from a Mission File to the Discard."""
    other = (seat + number // c.POINTS) % int(s.num_players)
    to_discard(s, s.filled[other, number % c.POINTS])
    s.filled[other, number % c.POINTS] = c.NOTHING
    next_statement(f)
