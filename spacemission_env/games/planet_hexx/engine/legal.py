"""Decides which moves are legal; mask and forced moves follow from `legal`."""

from __future__ import annotations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.planet_hexx.engine.board import fits, may_lay
from spacemission_env.games.planet_hexx.engine.cards import is_type
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.conditions import (
    allows,
    fits_without,
    may_put_ships,
    may_relocate,
    may_target,
    names_seat,
)
from spacemission_env.games.planet_hexx.engine.constants import (
    ACTION_COUNT,
    ACTIONS,
    ANY,
    ASKED,
    BRANCH,
    COLLECT,
    DELETE,
    DISCARD,
    EVENT,
    GAINED,
    HAND,
    LOOSE,
    MAIN,
    MAP,
    MAP_CELL,
    MAP_ROTATION,
    MAY,
    MOVE,
    MOVE_TO,
    NO,
    NOTHING,
    PASS,
    PLACE,
    PLACE_CELL,
    PLACE_ROTATION,
    POINTS,
    REFRESH,
    RELOCATE,
    REPLACE,
    ROTATE,
    SHIPS_TO,
    SIDE,
    SIDES,
    STEP,
    TARGET_HEX,
    TARGET_SEAT,
    TO_ALT,
    TO_BRANCH,
    TO_CELL,
    TO_DISCARD,
    TO_KIND,
    TO_MOVE,
    TO_NUMBER,
    TO_PLAY,
    TO_POINT,
    TO_SEAT,
    TO_TURN,
    TO_UPLOAD,
    UPLOAD,
    UPLOAD_NOW,
    WINDOW,
    YES,
)
from spacemission_env.games.planet_hexx.engine.costs import can_pay, has_action, is_banned
from spacemission_env.games.planet_hexx.engine.declare import NORMAL_UPLOAD, can_upload_here
from spacemission_env.games.planet_hexx.engine.effect_codes import COLLECT_BIT
from spacemission_env.games.planet_hexx.engine.grid import CELLS
from spacemission_env.games.planet_hexx.engine.missions import open_point
from spacemission_env.games.planet_hexx.engine.moving import can_step, collected
from spacemission_env.games.planet_hexx.engine.stack import happens, top
from spacemission_env.games.planet_hexx.engine.windows import answers

# Where the moves that a decision may allow lie, beside 0 and 1.
FIRST = np.array([first for _, first, _ in ASKED], np.int64)
BEHIND = np.array([behind for _, _, behind in ASKED], np.int64)
UNSIGNED = np.uint64


@njit
def open_actions(s, t, seat):
    """Bits of the kinds of Actions that a seat may take, where MAIN or GAINED is asked; else 0."""
    if s.asked != MAIN and s.asked != GAINED:
        return 0
    only = top(s).mode if s.asked == GAINED else NOTHING
    kinds = 0
    for kind in range(ACTIONS):
        there = has_action(s, kind) if s.asked == MAIN else (only == kind or only == ANY)
        kinds |= (there and not is_banned(s, t, seat, kind)) << kind
    return kinds


@njit
def legal(s, t, seat, kinds, action):
    """Whether the seat to act may make a move: 0, 1 or one of what is asked; `kinds`: open_actions."""
    f = top(s)
    asked = s.asked
    if asked == MAIN or asked == GAINED:
        return legal_action(s, t, seat, kinds, action)
    if asked == STEP:
        return action == PASS or (action >= TO_TURN and f.left > 0 and can_step(s, t, f, action - TO_TURN))
    if asked == WINDOW:
        return action == PASS or (action >= TO_PLAY and legal_answer(s, t, f, seat, action - TO_PLAY))
    if asked == MAP_CELL:
        return action >= TO_CELL and may_lay(s, t.placing[f.card], action - TO_CELL)
    if asked == MAY:
        return action == NO or action == YES
    if asked == COLLECT:
        return legal_collect(s, t, f, action)
    if action < TO_BRANCH and not (
        action == PASS and (asked == PLACE or asked == REPLACE or asked == UPLOAD_NOW)
    ):
        return False
    if asked == SIDE:
        return action < TO_BRANCH + SIDES
    if asked == BRANCH:
        return action < TO_BRANCH + t.branches[f.card]
    if asked == DISCARD:
        slot = action - TO_DISCARD
        return slot < s.hand_size[seat] and is_type(t, s.hand[seat, slot], f.mode)
    if asked == MAP_ROTATION or asked == PLACE_ROTATION:
        return True
    return legal_choice(s, t, f, seat, asked, action)


# ---------------------------------------------------------------- Actions and answers


@njit
def legal_action(s, t, seat, kinds, action):
    """HX-8: whether an Action may be declared; HX-45, HX-46: on another's turn the one that was gained."""
    if action < TO_PLAY:
        return action == PASS or (action == TO_MOVE and kinds >> MOVE & 1 != 0)
    slot = (action - TO_PLAY) % HAND
    if slot >= s.hand_size[seat]:
        return False
    if action >= TO_DISCARD:
        return kinds >> REFRESH & 1 != 0
    if action >= TO_UPLOAD:
        return kinds >> UPLOAD & 1 != 0 and legal_upload(s, t, seat, slot, action >= TO_ALT)
    return legal_play(s, t, seat, kinds, slot)


@njit
def legal_play(s, t, seat, kinds, slot):
    """Whether a card of the hand may be played by a Map or an Event Action."""
    card = UNSIGNED(s.hand[seat, slot])
    placing = t.placing[card]
    if placing != NOTHING:
        return kinds >> MAP & 1 != 0 and s.open_cells[placing] > 0
    if kinds >> EVENT & 1 == 0 or not t.own_turn[card] or (t.answers[card] != 0 and seat != s.active):
        return False
    if not allows(s, t, t.only_if, card, seat, 1):
        return False
    row = t.cost[card]
    return row == 0 or can_pay(s, t, seat, row, slot, s.asked == MAIN)


@njit
def legal_upload(s, t, seat, slot, at_other_cost):
    """Whether a card of the hand may be uploaded by an Upload Action."""
    card = s.hand[seat, slot]
    row = int(t.alt_cost[card]) if at_other_cost else NORMAL_UPLOAD
    if row == NOTHING or not can_upload_here(s, t, seat, card, row):
        return False
    return can_pay(s, t, seat, row, slot, s.asked == MAIN)


@njit
def legal_answer(s, t, f, seat, slot):
    """HX-44: whether a Surprise may be played in the window."""
    return slot < s.hand_size[seat] and answers(s, t, f.mode, seat, slot)


@njit
def legal_collect(s, t, f, action):
    """HX-23, HX-30: nothing, the normal Collecting if it gives something, or the blue effect."""
    if action == YES:
        return happens(s, t, t.on_collect, f.cell, COLLECT_BIT)
    return action == TO_NUMBER or (action > TO_NUMBER and collected(s, f.seat, f.cell, 1 + int(f.more)) > 0)


# ---------------------------------------------------------------- all of them


@njit
def next_legal(s, t, kinds, action):
    """The first legal move from this number on; NOTHING if there is none."""
    seat = int(s.player)
    while action < TO_BRANCH:
        if legal(s, t, seat, kinds, action):
            return action
        action += 1
    for a in range(max(action, FIRST[s.asked]), BEHIND[s.asked]):
        if legal(s, t, seat, kinds, a):
            return a
    return NOTHING


@njit
def is_legal(s, t, action):
    """Whether the seat to act may make this move, in a game that has been dealt; `action`: any integer."""
    if s.over != RUNNING or action < 0:
        return False
    if action >= TO_BRANCH and (action < FIRST[s.asked] or action >= BEHIND[s.asked]):
        return False
    return legal(s, t, int(s.player), open_actions(s, t, s.player), action)


@njit
def write_mask(s, t, seat, mask):
    """Write the legal moves of a seat: int8, 1 legal, 0 not; all zero where it is not to move."""
    for a in range(ACTION_COUNT):
        mask[a] = 0
    if s.over != RUNNING or s.player != seat:
        return
    kinds = open_actions(s, t, seat)
    if s.asked == MAIN or s.asked == GAINED:
        mask_actions(s, t, seat, kinds, mask)
        return
    for a in range(TO_BRANCH):
        mask[a] = legal(s, t, seat, kinds, a)
    if s.asked == MAP_CELL:
        mask_cells(s, t.placing[top(s).card], mask)
        return
    for a in range(FIRST[s.asked], BEHIND[s.asked]):
        mask[a] = legal(s, t, seat, kinds, a)


@njit
def mask_actions(s, t, seat, kinds, mask):
    """The Actions that may be declared, with the cards that there are."""
    mask[PASS] = 1
    mask[TO_MOVE] = kinds >> MOVE & 1
    refresh = kinds >> REFRESH & 1
    uploads = kinds >> UPLOAD & 1
    for slot in range(s.hand_size[seat]):
        mask[TO_PLAY + slot] = legal_play(s, t, seat, kinds, slot)
        mask[TO_DISCARD + slot] = refresh
        if uploads:
            mask[TO_UPLOAD + slot] = legal_upload(s, t, seat, slot, False)
            mask[TO_ALT + slot] = legal_upload(s, t, seat, slot, True)


@njit
def mask_cells(s, placing, mask):
    """The cells where a hex may be laid."""
    for cell in range(CELLS):
        mask[TO_CELL + cell] = may_lay(s, placing, cell)


@njit
def legal_choice(s, t, f, seat, asked, action):
    """What statements of effects let their owner choose."""
    if asked == TARGET_HEX:
        return may_target(s, t, f, action - TO_CELL)
    if asked == RELOCATE:
        return may_relocate(s, t, f, action - TO_CELL)
    if asked == SHIPS_TO:
        return may_put_ships(s, f, action - TO_CELL)
    if asked == MOVE_TO:
        return fits_without(s, t, f.hex, action - TO_CELL)
    if asked == PLACE_CELL:
        return may_lay(s, placing_of(t, f), action - TO_CELL)
    if asked == ROTATE:
        return action - TO_TURN != s.turned[f.hex]
    if asked == TARGET_SEAT:
        k = action - TO_SEAT
        return k < s.num_players and names_seat(s, f, t.code[f.pc, 2], (seat + k) % int(s.num_players))
    if asked == DELETE:
        return legal_point(s, t, f, seat, action - TO_POINT)
    if asked == PLACE or asked == REPLACE:
        return action == PASS or legal_laying(s, t, f, seat, asked, action - TO_PLAY)
    if asked == UPLOAD_NOW:
        return action == PASS or legal_upload_now(s, t, f, seat, action - TO_UPLOAD)
    card = action - TO_KIND
    full = s.hand_size[seat] == HAND
    return card < t.kinds and not full and s.discard[card] > 0 and is_type(t, card, t.code[f.pc, 3])


@njit
def placing_of(t, f):
    """How the card that `place` lays is bound: with "any" by nothing but touching a hex."""
    return LOOSE if t.code[f.pc, 1] else int(t.placing[f.held])


@njit
def legal_laying(s, t, f, seat, asked, slot):
    """Whether a card is a Map card that can be laid by `place`, or in place of the target hex."""
    if slot >= s.hand_size[seat]:
        return False
    placing = t.placing[s.hand[seat, slot]]
    if placing == NOTHING:
        return False
    if asked == REPLACE:
        return fits(s, placing, f.hex)
    return s.open_cells[LOOSE if t.code[f.pc, 1] else placing] > 0


@njit
def legal_upload_now(s, t, f, seat, slot):
    """HX-38: whether a card is of the type that may be uploaded, and fits an open point."""
    if slot >= s.hand_size[seat]:
        return False
    card = s.hand[seat, slot]
    if s.store[seat] < t.immediate_upload_cost:  # HR-27
        return False
    return is_type(t, card, t.code[f.pc, 3]) and open_point(s, t, seat, card) != NOTHING


@njit
def legal_point(s, t, f, seat, number):
    """Whether a point, of the seats that are named, is filled."""
    k = number // POINTS
    if k >= s.num_players:
        return False
    other = (seat + k) % int(s.num_players)
    return s.filled[other, number % POINTS] != NOTHING and names_seat(s, f, t.code[f.pc, 2], other)
