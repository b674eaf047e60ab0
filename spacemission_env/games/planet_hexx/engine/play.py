"""The game goes on: `apply` makes a move, then `proceed` carries on until somebody has to choose."""

from __future__ import annotations

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine.cards import discard_slot, to_discard
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import mover
from spacemission_env.games.planet_hexx.engine.constants import (
    ANSWERING,
    BRANCH,
    CARRYING_OUT,
    COLLECT,
    DELETE,
    DISCARD,
    DISCARDING,
    GAINED,
    MAIN,
    MAP_CELL,
    MAP_ROTATION,
    MAY,
    MOVE_TO,
    MOVING,
    NOTHING,
    PASS,
    PLACE,
    PLACE_CELL,
    PLACE_ROTATION,
    PLAYING,
    POINTS,
    RECOVER,
    RELOCATE,
    REPLACE,
    ROLLING,
    ROTATE,
    SHIPS_TO,
    SIDE,
    STEP,
    TARGET_HEX,
    TARGET_SEAT,
    TO_BRANCH,
    TO_CELL,
    TO_DISCARD,
    TO_KIND,
    TO_NUMBER,
    TO_POINT,
    TO_SEAT,
    TO_TURN,
    WINDOW,
    YES,
)
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
    s.seen_decisions += not (s.asked == WINDOW and action == PASS)
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
        if first == NOTHING:
            go_without(s)
            continue
        if s.asked == WINDOW and t.always_ask:
            break
        if next_legal(s, t, kinds, first + 1) != NOTHING:
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
    if f.kind == CARRYING_OUT:
        return advance_effect(s, t, f)
    if f.kind == PLAYING:
        return advance_play(s, t, f)
    if f.kind == ANSWERING:
        return advance_window(s, t, f)
    if f.kind == MOVING:
        return advance_move(s, t, f)
    if f.kind == ROLLING:
        advance_roll(s, t, f)
        return False
    if f.kind == DISCARDING:
        if f.left > 0:
            return ask(s, DISCARD, f.seat)
        pop(s)
        return False
    return ask(s, GAINED, f.seat)


@njit
def go_without(s):
    """There is nothing to choose: what was asked does not take place."""
    f = top(s)
    if s.asked == MAP_CELL:
        fail(s, f)
    elif s.asked == DISCARD:
        pop(s)
    elif s.asked == TARGET_HEX:
        go_to(f, NO_CODE)
    else:
        next_statement(f)


@njit
def carry_out(s, t, action):
    """The decision that is asked is made."""
    f = top(s)
    seat = int(s.player)
    asked = s.asked
    if asked == MAIN:
        if action == PASS:
            end_actions(s)
        else:
            declare(s, t, seat, action)
    elif asked == GAINED:
        pop(s)
        if action != PASS:
            declare(s, t, seat, action)
    elif asked == STEP:
        if action == PASS:
            f.step = ENDING
        else:
            step_out(s, t, f, action - TO_TURN)
    elif asked == WINDOW:
        answer_window(s, seat, action)
    elif asked == MAP_CELL:
        choose_cell(t, f, action - TO_CELL)
    elif asked == MAP_ROTATION:
        f.turned = action - TO_TURN
        f.step = ANNOUNCE
    elif asked == COLLECT:
        answer_collect(s, t, f, seat, action)
    elif asked == MAY:
        answer_may(s, t, f, action)
    elif asked == DISCARD:
        f.left -= 1
        discard_slot(s, seat, action - TO_DISCARD)
    elif asked == BRANCH:
        f.branch = action - TO_BRANCH
    elif asked == SIDE:
        choose_side(s, t, seat, action - TO_BRANCH)
    else:
        carry_out_choice(s, t, f, seat, asked, action)


@njit
def carry_out_choice(s, t, f, seat, asked, action):
    """A choice of a statement's owner is made."""
    if asked == TARGET_HEX:
        f.hex = action - TO_CELL
        next_statement(f)
    elif asked == TARGET_SEAT:
        f.target = (seat + action - TO_SEAT) % int(s.num_players)
        next_statement(f)
    elif asked == RELOCATE:
        s.ship[mover(f, t.code[f.pc, 3])] = action - TO_CELL
        next_statement(f)
    elif asked == SHIPS_TO:
        put_ships(s, t, f, action - TO_CELL)
    elif asked == MOVE_TO:
        carry_hex(s, t, f, action - TO_CELL)
    elif asked == ROTATE:
        rotate_hex(s, t, f, action - TO_TURN)
    elif asked == PLACE or asked == REPLACE:
        hold_card(s, t, f, action, asked == REPLACE)
    elif asked == PLACE_CELL:
        hold_place(t, f, action - TO_CELL)
    elif asked == PLACE_ROTATION:
        f.turned = action - TO_TURN
        f.step = LAY
    elif asked == RECOVER:
        recover(s, f, action - TO_KIND)
    elif asked == DELETE:
        delete_upload(s, f, seat, action - TO_POINT)
    else:
        upload_now(s, t, f, action)


@njit
def answer_collect(s, t, f, seat, action):
    """HX-23, HX-30: nothing, the normal 1, or the blue effect."""
    if action == YES:
        collect_blue(s, t, f)
    elif action > TO_NUMBER:
        collect_from(s, seat, f.cell, 1 + int(f.more))


@njit
def answer_may(s, t, f, action):
    """HX-34: a part of an effect."""
    if action == YES:
        next_statement(f)
    else:
        go_to(f, t.code[f.pc, 1])


@njit
def delete_upload(s, f, seat, number):
    """A card goes from a Mission File to the Discard."""
    other = (seat + number // POINTS) % int(s.num_players)
    to_discard(s, s.filled[other, number % POINTS])
    s.filled[other, number % POINTS] = NOTHING
    next_statement(f)
