"""The record that the heuristic agent fills from an observation: what it knows, and what it expects.

Bits stand for hand slots or ring positions. "Expected" numbers are fractions. Nothing here sees a state.
"""

from __future__ import annotations

import numpy as np

from spacemission_env.games.space_mission.engine.constants import (
    JUMP,
    KINDS,
    MAX_PLAYERS,
    POINT_KINDS,
    RING,
    SLOTS,
)

SERIES = 5  # tiles that a pile's values look ahead
DRAWS = SLOTS + 1  # 0 to 5 cards not seen yet
DEEPEST = 2  # own actions that are searched; options may allow more in a turn
PROBES = 5  # own probes more than now, at most, that a plan looks at

BELIEF = np.dtype(
    (
        np.record,
        [
            # Own tiles.
            ("tiles", "f8", (KINDS,)),  # collected
            ("held", "f8", (KINDS,)),  # those and the own reserved ones
            ("ahead", "f8", (KINDS,)),  # `held` and what is expected to follow: sets are valued there
            ("lean", "f8", (POINT_KINDS,)),  # more points for a tile of the kind than the set value says
            ("gains", "f8", (POINT_KINDS,)),  # of one more tile of the kind, there, lean included
            ("reserved", "f8", (RING,)),  # points of the own reserved tiles of a planet
            # Piles.
            ("present", "f8", (RING, POINT_KINDS)),  # odds that the pile has a tile of the kind
            ("number", "f8", (RING, POINT_KINDS)),  # expected number
            ("points", "f8", (RING,)),  # expected number of point tiles
            ("spaces", "f8", (RING,)),  # expected number of space tiles that lie face down
            ("series", "f8", (RING, SERIES)),  # expected gain of the best tile, the next, …; 0 for none
            # Planets, as bits of ring positions.
            ("developed", "i8"),
            ("scanned", "i8"),  # by this seat
            ("closed", "i8"),  # nothing face down is left
            ("gift", "f8", (RING,)),  # cost of what developing there delivers to others
            # Cards, as bits of hand slots.
            ("jumpers", "i8", (RING,)),
            ("scanners", "i8", (RING,)),
            ("first_landers", "i8", (RING,)),
            ("second_landers", "i8", (RING,)),
            ("jokers", "i8"),
            ("hand", "i8"),  # all slots
            ("hand_size", "i8"),
            ("most_cards", "i8"),  # a top-up draws up to so many (SM-21)
            ("full_hand", "i8"),  # 1 where nobody holds more: a top-up without a discard counts for nothing
            # Odds that of 0 to 5 cards not seen yet one serves.
            ("jump_odds", "f8", (RING, DRAWS)),
            ("scan_odds", "f8", (RING, DRAWS)),
            ("first_odds", "f8", (RING, DRAWS)),
            ("second_odds", "f8", (RING, DRAWS)),
            ("keep", "f8", (SLOTS,)),  # what a card is worth in hand
            # The table.
            ("num_players", "i8"),
            ("chips", "i8"),
            ("here", "i8"),  # ring position, or NOWHERE
            ("pressure", "f8", (RING,)),  # of the opponents' ships
            ("gate", "i8", (MAX_PLAYERS,)),
            ("without_probe", "i8"),  # option gate_points_without_probe (SM-61)
            ("gate_value", "f8", (PROBES,)),  # with 0, 1, … own probes more
            ("gate_margin", "f8", (PROBES,)),  # own gate points less the mean of the others'
            ("gate_points", "f8", (PROBES,)),
            # Time.
            ("actions_left", "i8"),
            ("last", "i8"),  # 1 in the own last turn
            ("space_gap", "f8"),  # revealed space tiles that the end still lacks
            ("tile_rate", "f8"),  # tiles that a player takes in a round
            ("rounds", "f8"),  # expected to follow
            ("youth", "f8"),  # of the game: 1 in its first half, 0 at its end
            ("action_cost", "f8"),  # points that an action is worth elsewhere
            ("patience", "f8"),  # 1; in a game that drags on it goes to 0
            ("hurry", "f8"),  # points for revealing a space tile
            ("survival", "f8"),  # odds of another own turn
            ("lead", "f8"),  # own score as it stands, less the best other's estimate
            ("after", "i8"),  # opponents who still have a turn in this round
            # Scratch of the reading.
            ("work", "f8", (POINT_KINDS,)),
            ("order", "i8", (POINT_KINDS,)),
            ("line", "f8", (KINDS,)),
            ("odds", "f8", (3, 4)),
            # Scratch of the choice.
            ("top_ups", "f8", (JUMP,)),  # what a discard is worth, by its number
        ],
    )
)

# A position of the search: how the table stands after some own moves.
POSITION = np.dtype(
    (
        np.record,
        [
            ("here", "i8"),  # ring position, or NOWHERE
            ("bits", "i8"),  # hand slots left
            ("fresh", "i8"),  # cards drawn and not seen yet
            ("chips", "i8"),
            ("probes", "i8"),  # laid on the gate by these moves
            ("developed", "i8"),  # bits of ring positions
            ("scanned", "i8"),
            ("gap", "f8"),  # revealed space tiles that the end lacks
            ("made", "f8"),  # points made, those of reserved tiles included
            ("used", "i8", (RING,)),  # tiles taken from each pile
            ("promised", "f8", (RING,)),  # points reserved on each planet
        ],
    )
)
