"""Declares the weights of `heuristic` with name, default, meaning and range.

studies/tuning.py made the shipped weights, in two TOML files: one for two players, one for more.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from spacemission_agents.weights import Weight, WeightTable

SHIPPED = "data/heuristic.toml"
SHIPPED_FOR_TWO = "data/heuristic_2_players.toml"


# fmt: off
TABLE = WeightTable(
    # Tiles: the value of the expected final set.
    Weight("takes_ahead", 0.6, "share of the expected tiles in the final set", 0.0, 1.5),
    Weight("focus", 3.0, "additional points that make a kind e times as likely", 0.5, 12.0),
    Weight("denial", 0.3, "points for the last tile of its kind in a pile that others can reach", 0.0, 2.0),
    Weight("lean_mineral", 0.0, "bonus for a mineral, which falls during the game", -3.0, 6.0),
    Weight("lean_alien", 0.0, "likewise for an alien", -3.0, 6.0),
    Weight("lean_matter", 0.0, "likewise for matter", -3.0, 6.0),
    Weight("lean_water", 0.0, "likewise for water", -3.0, 6.0),
    Weight("lean_medal", 0.0, "likewise for a medal", -3.0, 6.0),
    # Time: the value of an action elsewhere, and the length of the game.
    Weight("action_cost", 2.5, "value of an action elsewhere, in points", 0.5, 6.0),
    Weight("action_late", 0.0, "increase of this value at the end of the game", -3.0, 5.0),
    Weight("tile_rate", 1.1, "tiles that each player takes in a round", 0.5, 2.5),
    Weight("closed_pile", 1.3, "factor on the time that a tile of an undeveloped planet lasts", 1.0, 3.0),
    Weight("hazard", 0.5, "rounds left at which another own turn has probability one half", 0.05, 2.0),
    # Plans: the best actions after the end of a turn.
    Weight("plan", 0.8, "share of the best plan's surplus that counts", 0.2, 1.5),
    Weight("second_plan", 0.2, "likewise of the second best plan", 0.0, 1.0),
    Weight("missing_scan", 1.3, "actions that a missing scan card costs", 0.3, 4.0),
    Weight("missing_landing", 1.5, "actions that a missing landing card costs", 0.3, 4.0),
    Weight("missing_jump", 1.5, "actions that a missing jump card costs on the gate", 0.3, 4.0),
    Weight("scan_share", 0.8, "share of a tile's points at a planned scan", 0.0, 1.2),
    # Reserved tiles: the probability to receive them (SM-41, SM-52).
    Weight("delivery", 0.35, "at a planet that cannot be developed yet", 0.0, 1.0),
    Weight("delivery_ready", 0.45, "added with the landing cards in hand", 0.0, 0.8),
    Weight("delivery_far", 0.05, "subtracted for each action of travel", 0.0, 0.3),
    # Others.
    Weight("gift", 0.3, "cost of a tile delivered to others, except in the last turn", 0.0, 3.0),
    Weight("pressure_here", 0.6, "pressure of an opponent on the planet", 0.0, 3.0),
    Weight("pressure_near", 0.3, "pressure of an opponent one step away", 0.0, 2.0),
    Weight("pressure_far", 0.1, "pressure of an opponent who has to jump", 0.0, 1.0),
    Weight("exposed", 0.3, "cost of an open pile's best tile for each unit of pressure", 0.0, 1.5),
    # Cards and chips.
    Weight("card", 0.3, "points for a card in hand", 0.0, 2.0),
    Weight("joker", 0.4, "bonus for a joker", 0.0, 3.0),
    Weight("fresh_card", 0.3, "points for an unknown card just drawn", 0.0, 2.0),
    Weight("drop", 1.0, "value below which a planned top-up discards a card", 0.0, 5.0),
    Weight("spare_chips", 1.0, "cost of each chip below three in the supply", 0.0, 3.0),
    # Jump gate (SM-60).
    Weight("gate_share", 0.8, "share of the present own gate points", 0.0, 1.5),
    Weight("gate_others", 0.5, "share of the points that a probe takes from the best other", 0.0, 1.5),
    Weight("gate_lead", 0.4, "points for each probe ahead of the best other, up to two", 0.0, 2.0),
    # The end.
    Weight("tile_points", 2.0, "value of an opponent's tile", 0.5, 4.0),
    Weight("tile_growth", 0.08, "growth of this value with the square of the number of tiles", 0.0, 0.3),
    Weight("last_turn", 6.0, "points that a player gains in the last turn", 0.0, 12.0),
    Weight("hurry", 0.0, "value of a revealed space tile when ten points ahead", 0.0, 3.0),
    Weight("end_ahead", 1.0, "value of each point ahead at the end of the game, up to ten", 0.0, 3.0),
    Weight("end_margin", 0.0, "points subtracted from the estimated lead", -10.0, 10.0),
)
# fmt: on

NAMES, WEIGHTS = TABLE.names, TABLE.record
make_weights, load_weights = TABLE.make, TABLE.load


def shipped_weights(num_players: int) -> np.ndarray:
    """The shipped weights for this number of players, as from `make_weights`."""
    name = SHIPPED_FOR_TWO if num_players == 2 else SHIPPED
    return TABLE.shipped("spacemission_agents.games.space_mission", name)


def shipped_weight_pair() -> np.ndarray:
    """Both shipped sets, (2,): for two players and for more."""
    return np.concatenate([shipped_weights(2), shipped_weights(3)])


def shipped_digest() -> str:
    """The digest of all shipped weights; models that read ratings depend on them."""
    values = [dict(zip(NAMES, weights.tolist(), strict=True)) for weights in shipped_weight_pair()]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
