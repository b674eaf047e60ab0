"""Where the numbers of an observation stand, and how single ones are read back; of no agent's own.

Agents and the inputs of networks read by these names. `o` is one observation, float32 (OBSERVATION_SIZE,).
Compiled code freezes the places.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine.constants import CARD_FEATURES, SLOTS
from spacemission_env.games.space_mission.engine.layout import LAYOUT

NUM_PLAYERS = LAYOUT["num_players"].start
START = LAYOUT["start_player"].start
ACTIONS_LEFT = LAYOUT["actions_left"].start
ROUND = LAYOUT["round"].start
MAX_ROUNDS = LAYOUT["max_rounds"].start
LAST_ROUND = LAYOUT["last_round"].start
REVEALED = LAYOUT["revealed"].start
TO_END = LAYOUT["space_tiles_to_end"].start
HAND = LAYOUT["hand"].start
PLANETS_AT = LAYOUT["planets"].start
SHIPS = LAYOUT["ships"].start
STATIONS_AT = LAYOUT["stations"].start
SCANNED = LAYOUT["scanned"].start
RESERVED = LAYOUT["reserved"].start
TILES_LEFT = LAYOUT["tiles_left"].start
FACE_UP = LAYOUT["face_up"].start
SUPPLY = LAYOUT["supply"].start
GATE_AT = LAYOUT["gate"].start
HAND_SIZE = LAYOUT["hand_size"].start
TILE_TOTAL = LAYOUT["tile_total"].start
DISCARD = LAYOUT["discard"].start
TILES_AT = LAYOUT["tiles"].start
IN_VIEW = LAYOUT["pile_in_view"].start
RESERVED_KINDS = LAYOUT["reserved_kinds"].start
REMEMBERED = LAYOUT["remembered"].start
GONE_SINCE = LAYOUT["gone_since"].start
KEPT_CARDS = LAYOUT["kept_cards"].start

JUMPS, SCANS, LANDINGS = 0, 5, 10  # where a colour's one-hot stands in a card's features
JOKER_PLACE = 4  # within a colour's one-hot
PLANET_SCAN, PLANET_LANDING = 4, 8  # where they stand in a planet's features


@njit
def count(value, scale):
    """A whole number from its scaled form."""
    return int(np.round(value * scale))


@njit
def servers(o, colour, place):
    """Bits of the slots whose card shows the number (place 0 to 3) or a joker in a colour (SM-10)."""
    bits = 0
    for i in range(SLOTS):
        card = HAND + i * CARD_FEATURES + colour
        if o[card + place] > 0 or o[card + JOKER_PLACE] > 0:
            bits |= 1 << i
    return bits


@njit
def pair_left(first, second):
    """Whether two different slots can serve the two landing numbers."""
    either = first | second
    return first != 0 and second != 0 and (either & (either - 1)) != 0
