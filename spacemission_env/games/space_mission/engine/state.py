"""Defines the two records of the rules: the state of a game and its parameters.

`STATE` is one game in plain numbers, so a copy of its bytes is a copy of the game. `PARAMETERS` holds
components and rules options as run-time data, so that other components or options need no recompilation.
"""

from __future__ import annotations

from spacemission_env.core.layout import aligned_record
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE

SEATS = c.MAX_PLAYERS

STATE = aligned_record(
    ("seed", "i8"),  # seed of the deal
    ("rng", "u4", (6,)),  # state of the random numbers (core/rng.py)
    ("salt", "i8"),  # makes decision keys of games from one set-up differ; 0 if dealt from a seed
    ("decisions", "i4"),  # decisions made so far
    ("num_players", "i1"),  # 0: not dealt yet
    ("start_player", "i1"),  # SM-07
    ("player", "i1"),  # seat to act
    ("phase", "i1"),  # constants.ACTION … OVER
    ("actions_left", "i1"),  # actions left in this turn (SM-20)
    ("over", "i1"),  # core/constants.py: RUNNING, FINISHED, TRUNCATED
    ("last_round", "i1"),  # 1 once the end has been triggered (SM-50)
    ("revealed", "i1"),  # space tiles lying face up (SM-50)
    ("round_number", "i2"),  # from 1
    ("shuffles", "i4"),  # number of shuffles (SM-23)
    ("ring", "i1", (c.RING,)),  # planet at each ring position, or NO_PLANET (SM-02)
    ("pile", "i1", (c.RING, c.KINDS)),  # tiles left, by kind (SM-03)
    ("face_up", "i1", (c.RING,)),  # 1 where the pile's space tiles lie face up (SM-46)
    ("station", "i1", (c.RING,)),  # seat that developed the planet, or NOWHERE (SM-43)
    ("scanned", "i1", (SEATS, c.RING)),  # 1 where the seat has scanned (SM-40)
    # Every tile taken from a pile, in order. It is reserved (SM-31) until the planet is developed (SM-41).
    ("taken", "i1", (c.RING,)),  # tiles taken from the pile so far
    ("taken_kind", "i1", (c.RING, c.PILE)),  # kind of each taken tile, in order
    ("taken_by", "i1", (c.RING, c.PILE)),  # seat that took each tile
    ("took", "i1", (SEATS, c.RING)),  # tiles taken or reserved there in the whole game, by seat
    ("reserved", "i1", (SEATS, c.RING)),  # reserved tiles by seat
    ("looked", "i1", (SEATS, c.RING)),  # value of `taken` at the seat's last look, or NOWHERE (SM-71)
    ("looked_round", "i2", (SEATS, c.RING)),  # the round of that look
    ("ship", "i1", (SEATS,)),  # ring position, or NOWHERE for the gate (SM-05)
    ("supply", "i1", (SEATS,)),  # chips in the supply (SM-01, SM-28)
    ("gate", "i1", (SEATS,)),  # probes on the jump gate (SM-24)
    ("tiles", "i1", (SEATS, c.KINDS)),  # tiles collected
    ("hand", "i1", (SEATS, c.SLOTS)),  # card faces, sorted; NOWHERE in empty slots
    ("hand_size", "i1", (SEATS,)),  # cards in the hand
    ("draw", "i1", (c.CARDS,)),  # draw pile; the next card is draw[draw_size - 1]
    ("draw_size", "i1"),  # cards in the draw pile
    ("discard", "i1", (c.CARDS,)),  # discard pile, count by face (SM-27)
    ("discard_size", "i1"),  # cards in the discard pile
    ("older", "i1", (SEATS,)),  # bit i: card i of the hand counts as drawn before the last shuffle
    ("hand_epoch", "i1", (SEATS, c.SLOTS)),  # epoch of each card; NOWHERE in empty slots
    ("epochs", "i1"),  # number of epochs at the last shuffle
    ("epoch_cards", "i1", (c.EPOCHS, SEATS)),  # number of cards of each epoch in each hand; public
    ("epoch_size", "i1", (c.EPOCHS,)),  # number of cards of each epoch in all hands
    ("last_kind", "i1", (SEATS, c.LAST_ACTIONS)),  # last actions (rules.KIND_OF), latest first, or NOWHERE
    ("last_cards", "i1", (SEATS, c.LAST_ACTIONS)),  # number of cards that each of these actions used
    ("last_from", "i1", (SEATS,)),  # place of the ship before the latest action (SM-70)
    ("looked_by", "i1", (SEATS, c.RING)),  # action that caused the last look (rules.KIND_OF), or NOWHERE
)

PARAMETERS = aligned_record(
    ("ring_size", "i1"),  # planets in the ring
    ("pile_size", "i1"),  # tiles dealt to each planet
    ("pile_row", "u8"),  # a byte for each ring position: `pile_size`, or 0 beyond the ring
    ("planet_count", "i1"),  # planets to draw from
    ("card_count", "i1"),  # cards in the game
    # By planet; the last one is `NO_PLANET`, all zero.
    ("planet_jump", "i1", (c.PLANETS + 1,)),
    ("planet_scan", "i1", (c.PLANETS + 1,)),
    ("planet_landing", "i1", (c.PLANETS + 1, 2)),
    # The state gives each card by its face: the index of the first card with the same id.
    ("deck", "i1", (c.CARDS,)),  # face of each card
    ("copies", "i1", (c.CARDS,)),  # number of cards of each face, at its first card
    ("card_jump", "i1", (c.CARDS,)),  # bit n: serves the number n, 1 to 4 (a joker: all); 0: none
    ("card_scan", "i1", (c.CARDS,)),
    ("card_landing", "i1", (c.CARDS,)),
    ("card_shown", "u1", (c.CARDS, c.CARD_FEATURES)),  # features of each card in the observation
    ("tile_count", "i1", (c.KINDS,)),
    ("scale", "f4", (OBSERVATION_SIZE,)),  # factor of each number of the observation (layout.py)
    # Rules options (options.py), one field each.
    ("reserved_tiles_visible", "i1"),
    ("space_tile_penalty", "i1"),
    ("chips_per_player", "i1"),
    ("hand_size", "i1"),
    ("actions_per_turn", "i1"),
    ("gate_points_without_probe", "i1"),
    ("space_tiles_to_end", "i1", (c.MAX_PLAYERS + 1,)),  # by number of players
    ("max_rounds", "i2"),
    ("start_player", "i1"),  # NOWHERE: chosen at random
    ("empty_top_up", "i1"),
    ("scan_face_up", "i1"),
)
