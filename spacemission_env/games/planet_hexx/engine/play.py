"""Applies moves and continues the game until a player has to choose."""

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import declare, effects, moving
from spacemission_env.games.planet_hexx.engine.cards import discard_slot
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.legal import next_legal, open_actions
from spacemission_env.games.planet_hexx.engine.stack import ask, pop, top
from spacemission_env.games.planet_hexx.engine.turn import advance_turn, choose_side, deal, end_actions


@njit
def deal_game(s, t, num_players, seed):
    """Deal a new game from a seed, up to its first decision."""
    deal(s, t, num_players, seed)
    proceed(s, t)


@njit
def apply(s, t, action):
    """Make a legal move of the player to act, then `proceed`; return the number of forced decisions."""
    s.decisions += 1
    s.seen_decisions += not (s.asked == c.WINDOW and action == c.PASS)
    carry_out(s, t, action)
    return proceed(s, t)


@njit
def proceed(s, t):
    """Continue until a player has several legal moves or the game is over.

    HR-14: if a decision has only one legal move, make it at once. Return the number of such forced decisions.
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
    """Continue the top frame, or the turn if the stack is empty; return whether a player must choose."""
    if s.depth == 0:
        return advance_turn(s, t)
    f = top(s)
    if f.kind == c.CARRYING_OUT:
        return effects.advance_effect(s, t, f)
    if f.kind == c.PLAYING:
        return declare.advance_play(s, t, f)
    if f.kind == c.ANSWERING:
        return declare.advance_window(s, t, f)
    if f.kind == c.MOVING:
        return moving.advance_move(s, t, f)
    if f.kind == c.ROLLING:
        moving.advance_roll(s, t, f)
        return False
    if f.kind == c.DISCARDING:
        if f.left > 0:
            return ask(s, c.DISCARD, f.seat)
        pop(s)
        return False
    return ask(s, c.GAINED, f.seat)


@njit
def go_without(s):
    """Skip a decision without a legal move."""
    f = top(s)
    if s.asked == c.MAP_CELL or s.asked == c.BRANCH:
        declare.fail(s, f)
    elif s.asked == c.DISCARD:
        pop(s)
    elif s.asked == c.TARGET_HEX:
        effects.go_to(f, effects.NO_CODE)
    else:
        effects.next_statement(f)


@njit
def carry_out(s, t, action):
    """Carry out a move of the current decision."""
    f = top(s)
    seat = int(s.player)
    asked = s.asked
    if asked == c.MAIN:
        if action == c.PASS:
            end_actions(s)
        else:
            declare.declare(s, t, seat, action)
    elif asked == c.GAINED:
        pop(s)
        if action != c.PASS:
            declare.declare(s, t, seat, action)
    elif asked == c.STEP:
        if action == c.PASS:
            f.step = moving.ENDING
        else:
            moving.step_out(s, t, f, action - c.TO_TURN)
    elif asked == c.WINDOW:
        declare.answer_window(s, seat, action)
    elif asked == c.MAP_CELL:
        declare.choose_cell(t, f, action - c.TO_CELL)
    elif asked == c.MAP_ROTATION:
        f.turned = action - c.TO_TURN
        f.step = declare.ANNOUNCE
    elif asked == c.COLLECT:  # HX-23, HX-30: take 0, the normal 1, or use `on_collect`
        if action == c.YES:
            moving.collect_blue(s, t, f)
        elif action > c.TO_NUMBER:
            moving.collect_from(s, seat, f.cell, 1 + int(f.more))
    elif asked == c.MAY:  # HX-34
        effects.go_to(f, f.pc + 1 if action == c.YES else t.code[f.pc, 1])
    elif asked == c.DISCARD:
        f.left -= 1
        discard_slot(s, seat, action - c.TO_DISCARD)
    elif asked == c.BRANCH:
        f.branch = action - c.TO_BRANCH
    elif asked == c.SIDE:
        choose_side(s, t, seat, action - c.TO_BRANCH)
    else:
        effects.make_choice(s, t, f, seat, asked, action)
