"""What the statements of effects let their owner choose: which of these moves are legal."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.engine.board import fits, may_lay
from spacemission_env.games.planet_hexx.engine.cards import is_type
from spacemission_env.games.planet_hexx.engine.compiled import njit
from spacemission_env.games.planet_hexx.engine.constants import (
    DELETE,
    HAND,
    LOOSE,
    MOVE_TO,
    NOTHING,
    PASS,
    PLACE,
    PLACE_CELL,
    POINTS,
    RELOCATE,
    REPLACE,
    ROTATE,
    SHIPS_TO,
    TARGET_HEX,
    TARGET_SEAT,
    TO_CELL,
    TO_KIND,
    TO_PLAY,
    TO_POINT,
    TO_SEAT,
    TO_TURN,
    TO_UPLOAD,
    UPLOAD_NOW,
)
from spacemission_env.games.planet_hexx.engine.missions import open_point
from spacemission_env.games.planet_hexx.engine.targets import (
    fits_without,
    may_put_ships,
    may_relocate,
    may_target,
    names_seat,
)


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
