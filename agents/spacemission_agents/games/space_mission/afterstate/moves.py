"""A move up to where chance or a pile answers: the afterstate (Sutton and Barto 2018, section 6.8).

A top-up ends before the first card is drawn; scan, develop and discover end before the seat looks through
the pile. What is left is the same in all worlds that the seat holds possible, so that moves may be compared
without sampling any.
"""

from __future__ import annotations

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine.constants import (
    DEVELOP,
    DISCOVER,
    FLY_NEXT,
    JUMP,
    RING,
    SCAN,
    SLOTS,
    TAKE,
)
from spacemission_env.games.space_mission.engine.rules import (
    deliver_reserved,
    discard_slots,
    fly,
    is_closed,
    jump,
    note_action,
    pair_bits,
    take_tile,
)

# What is still to come of a move: 0 nothing, 1 to 5 so many cards are drawn, or a look into the pile.
LOOK_TO_RESERVE, LOOK_TO_DEVELOP, LOOK_TO_DISCOVER = SLOTS + 1, SLOTS + 2, SLOTS + 3
PENDING = SLOTS + 4


@njit
def begin_move(s, t, action):
    """Carry out a legal move of the seat to act so far; returns what is to come. The turn does not end."""
    if action >= TAKE:
        take_tile(s, t, action - TAKE)
        return 0
    s.actions_left -= 1
    note_action(s, action)
    seat = s.player
    p = s.ship[seat]
    if action < JUMP:
        discard_slots(s, t, seat, action)
        return int(t.hand_size) - int(s.hand_size[seat])
    if action < FLY_NEXT:
        jump(s, t, (action - JUMP) // RING, (action - JUMP) % RING)
        return 0
    if action < SCAN:
        fly(s, 1 if action == FLY_NEXT else -1)
        return 0
    if action < DEVELOP:
        discard_slots(s, t, seat, 1 << (action - SCAN))
        s.scanned[seat, p] = 1
        return 0 if is_closed(s, p) else LOOK_TO_RESERVE
    if action < DISCOVER:
        discard_slots(s, t, seat, pair_bits(action - DEVELOP))
        s.supply[seat] -= 1
        s.station[p] = seat
        deliver_reserved(s, p)
        return 0 if is_closed(s, p) else LOOK_TO_DEVELOP
    return LOOK_TO_DISCOVER
