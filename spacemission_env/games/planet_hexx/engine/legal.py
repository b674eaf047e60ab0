"""Decides which moves are legal."""

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine import conditions
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine import effect_codes as codes
from spacemission_env.games.planet_hexx.engine.board import fits, may_lay
from spacemission_env.games.planet_hexx.engine.cards import is_first, is_type
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import allows, names_seat
from spacemission_env.games.planet_hexx.engine.costs import (
    can_pay,
    can_pay_a_branch,
    has_action,
    is_banned,
)
from spacemission_env.games.planet_hexx.engine.declare import answers, can_upload_here
from spacemission_env.games.planet_hexx.engine.effect_codes import COLLECT_BIT
from spacemission_env.games.planet_hexx.engine.grid import CELLS
from spacemission_env.games.planet_hexx.engine.missions import open_point
from spacemission_env.games.planet_hexx.engine.moving import can_step, collected
from spacemission_env.games.planet_hexx.engine.stack import happens, top
from spacemission_env.games.planet_hexx.engine.state import NORMAL_UPLOAD

# The moves of each decision go from FIRST to BEHIND - 1; moves 0 and 1 may be legal as well.
FIRST = np.array([first for _, first, _ in c.ASKED], np.int64)
BEHIND = np.array([behind for _, _, behind in c.ASKED], np.int64)
UNSIGNED = np.uint64


@njit
def open_actions(s, t, seat):
    """Bits of the kinds of Actions that a seat may take now; 0 unless the decision is MAIN or GAINED."""
    if s.asked != c.MAIN and s.asked != c.GAINED:
        return 0
    only = top(s).mode if s.asked == c.GAINED else c.NOTHING
    kinds = 0
    for kind in range(c.ACTIONS):
        there = has_action(s, kind) if s.asked == c.MAIN else (only == kind or only == c.ANY)
        kinds |= (there and not is_banned(s, t, seat, kind)) << kind
    return kinds


@njit
def legal(s, t, seat, kinds, action):
    """Whether a move in the range of the decision is legal; `kinds`: result of `open_actions`."""
    f = top(s)
    asked = s.asked
    if asked == c.MAIN or asked == c.GAINED:
        return legal_action(s, t, seat, kinds, action)
    if asked == c.STEP:
        return action == c.PASS or (
            action >= c.TO_TURN and f.left > 0 and can_step(s, t, f, action - c.TO_TURN)
        )
    if asked == c.WINDOW:
        slot = action - c.TO_PLAY
        return action == c.PASS or (slot >= 0 and answers(s, t, f.mode, seat, slot))
    if asked == c.MAP_CELL:
        return action >= c.TO_CELL and may_lay(s, t.placing[f.card], action - c.TO_CELL)
    if asked == c.MAY:
        if action == c.YES:  # HR-39
            return can_pay(s, t, seat, t.code[f.pc, 2], c.NOTHING, c.NOTHING)
        return action == c.NO
    if asked == c.COLLECT:  # HX-23, HX-30: take 0, the normal 1 if there is Data, or use `on_collect`
        if action == c.YES:
            return happens(s, t, t.on_collect, f.cell, COLLECT_BIT) and may_choose_blue(s, t, seat, f.cell)
        gives = collected(s, f.seat, f.cell, 1 + int(f.more))
        return action == c.TO_NUMBER or (action > c.TO_NUMBER and gives > 0)
    if action < c.TO_BRANCH and not (
        action == c.PASS and (asked == c.PLACE or asked == c.REPLACE or asked == c.UPLOAD_NOW)
    ):
        return False
    if asked == c.SIDE:
        return action < c.TO_BRANCH + c.SIDES
    if asked == c.BRANCH:
        branch = action - c.TO_BRANCH
        return branch < t.branches[f.card] and can_pay(
            s, t, seat, t.cost[f.card, branch], c.NOTHING, c.NOTHING
        )
    if asked == c.DISCARD:
        slot = action - c.TO_DISCARD
        return is_first(s, seat, slot) and is_type(t, s.hand[seat, slot], f.mode)
    if asked == c.MAP_ROTATION or asked == c.PLACE_ROTATION:  # HR-37
        return action - c.TO_TURN < t.turns[f.card if asked == c.MAP_ROTATION else f.held]
    return legal_choice(s, t, f, seat, asked, action)


@njit
def may_choose_blue(s, t, seat, cell):
    """HR-39: whether the condition and the cost of a hex's `on_collect` let a seat choose it."""
    card = s.hex[cell]
    if not allows(s, t, t.collect_if, card, seat, 0):
        return False
    return can_pay(s, t, seat, t.collect_cost[card], c.NOTHING, c.NOTHING)


@njit
def legal_action(s, t, seat, kinds, action):
    """Whether this Action may be declared on the own turn (HX-8) or as a gained one (HX-45, HX-46)."""
    if action < c.TO_PLAY:
        return action == c.PASS or (action == c.TO_MOVE and kinds >> c.MOVE & 1 != 0)
    slot = (action - c.TO_PLAY) % c.HAND
    if not is_first(s, seat, slot):
        return False
    if action >= c.TO_DISCARD:
        return kinds >> c.REFRESH & 1 != 0
    if action >= c.TO_UPLOAD:
        return kinds >> c.UPLOAD & 1 != 0 and legal_upload(s, t, seat, slot, action >= c.TO_ALT)
    return legal_play(s, t, seat, kinds, slot)


@njit
def legal_play(s, t, seat, kinds, slot):
    """Whether a card of the hand may be played by a Map or an Event Action."""
    card = UNSIGNED(s.hand[seat, slot])
    placing = t.placing[card]
    if placing != c.NOTHING:
        return kinds >> c.MAP & 1 != 0 and s.open_cells[placing] > 0
    if kinds >> c.EVENT & 1 == 0 or not t.own_turn[card] or (t.answers[card] != 0 and seat != s.active):
        return False
    if not allows(s, t, t.only_if, card, seat, 1):
        return False
    return can_pay_a_branch(s, t, seat, card, slot, c.EVENT if s.asked == c.MAIN else c.NOTHING)


@njit
def legal_upload(s, t, seat, slot, at_other_cost):
    """Whether a card of the hand may be uploaded by an Upload Action."""
    card = s.hand[seat, slot]
    row = int(t.alt_cost[card]) if at_other_cost else NORMAL_UPLOAD
    if row == c.NOTHING or not can_upload_here(s, t, seat, card, row):
        return False
    return can_pay(s, t, seat, row, slot, c.UPLOAD if s.asked == c.MAIN else c.NOTHING)


@njit
def next_legal(s, t, kinds, action):
    """The legal move with the lowest number from `action` on; NOTHING if there is none."""
    seat = int(s.player)
    while action < c.TO_BRANCH:
        if legal(s, t, seat, kinds, action):
            return action
        action += 1
    for a in range(max(action, FIRST[s.asked]), BEHIND[s.asked]):
        if legal(s, t, seat, kinds, a):
            return a
    return c.NOTHING


@njit
def is_legal(s, t, action):
    """Whether the seat to act may make this move; `action` may be any integer."""
    if s.over != RUNNING or action < 0:
        return False
    if action >= c.TO_BRANCH and (action < FIRST[s.asked] or action >= BEHIND[s.asked]):
        return False
    return legal(s, t, int(s.player), open_actions(s, t, s.player), action)


@njit
def write_mask(s, t, seat, mask):
    """Write the legal moves of a seat: int8, 1 for a legal move; all 0 if the seat is not to move."""
    for a in range(c.ACTION_COUNT):
        mask[a] = 0
    if s.over != RUNNING or s.player != seat:
        return
    kinds = open_actions(s, t, seat)
    if s.asked == c.MAIN or s.asked == c.GAINED:
        mask_actions(s, t, seat, kinds, mask)
        return
    for a in range(c.TO_BRANCH):
        mask[a] = legal(s, t, seat, kinds, a)
    if s.asked == c.MAP_CELL:
        placing = t.placing[top(s).card]
        for cell in range(CELLS):
            mask[c.TO_CELL + cell] = may_lay(s, placing, cell)
        return
    for a in range(FIRST[s.asked], BEHIND[s.asked]):
        mask[a] = legal(s, t, seat, kinds, a)


@njit
def mask_actions(s, t, seat, kinds, mask):
    """Write the legal moves of MAIN and GAINED."""
    mask[c.PASS] = 1
    mask[c.TO_MOVE] = kinds >> c.MOVE & 1
    refresh = kinds >> c.REFRESH & 1
    uploads = kinds >> c.UPLOAD & 1
    for slot in range(s.hand_size[seat]):
        if not is_first(s, seat, slot):
            continue
        mask[c.TO_PLAY + slot] = legal_play(s, t, seat, kinds, slot)
        mask[c.TO_DISCARD + slot] = refresh
        if uploads:
            mask[c.TO_UPLOAD + slot] = legal_upload(s, t, seat, slot, False)
            mask[c.TO_ALT + slot] = legal_upload(s, t, seat, slot, True)


@njit
def legal_choice(s, t, f, seat, asked, action):
    """Whether the owner of a statement may make this choice."""
    cell = action - c.TO_CELL
    if asked == c.TARGET_HEX:
        return conditions.may_target(s, t, f, cell)
    if asked == c.RELOCATE:
        return conditions.may_relocate(s, t, f, cell)
    if asked == c.SHIPS_TO:  # HX-22: to a neighbouring hex
        return s.hex[cell] != c.NOTHING and conditions.next_to(f.hex, cell)
    if asked == c.MOVE_TO:
        return conditions.fits_without(s, t, f.hex, cell, t.code[f.pc, 1] == codes.TO_CARRY_ANYWHERE)
    if asked == c.PLACE_CELL:
        return may_lay(s, placing_of(t, f, f.held), cell)
    if asked == c.ROTATE:
        turns = int(t.turns[s.hex[f.hex]])
        return action - c.TO_TURN < turns and action - c.TO_TURN != s.turned[f.hex] % turns  # HR-37
    if asked == c.TARGET_SEAT:
        k = action - c.TO_SEAT
        return k < s.num_players and names_seat(s, f, t.code[f.pc, 2], (seat + k) % int(s.num_players))
    if asked == c.DELETE:
        k, point = divmod(action - c.TO_POINT, c.POINTS)
        other = (seat + k) % int(s.num_players)
        filled = k < s.num_players and s.filled[other, point] != c.NOTHING
        return filled and names_seat(s, f, t.code[f.pc, 2], other)
    if asked == c.PLACE or asked == c.REPLACE:
        return action == c.PASS or legal_laying(s, t, f, seat, asked, action - c.TO_PLAY)
    if asked == c.UPLOAD_NOW:
        return action == c.PASS or legal_upload_now(s, t, f, seat, action - c.TO_UPLOAD)
    card = action - c.TO_KIND
    full = s.hand_size[seat] == c.HAND
    return card < t.kinds and not full and s.discard[card] > 0 and is_type(t, card, t.code[f.pc, 3])


@njit
def placing_of(t, f, card):
    """The class of a card that an effect lays; with "any" the hex only has to touch another hex."""
    return c.LOOSE if t.code[f.pc, 1] else int(t.placing[card])


@njit
def legal_laying(s, t, f, seat, asked, slot):
    """Whether `place` or `replace_hex` can lay the card of a slot."""
    if not is_first(s, seat, slot):
        return False
    card = s.hand[seat, slot]
    if t.placing[card] == c.NOTHING:
        return False
    if asked == c.REPLACE:
        return fits(s, placing_of(t, f, card), f.hex)
    return s.open_cells[placing_of(t, f, card)] > 0


@njit
def legal_upload_now(s, t, f, seat, slot):
    """HX-38: whether the card of a slot may be uploaded immediately."""
    if not is_first(s, seat, slot) or s.store[seat] < t.immediate_upload_cost:  # HR-27
        return False
    card = s.hand[seat, slot]
    return is_type(t, card, t.code[f.pc, 3]) and open_point(s, t, seat, card) != c.NOTHING
