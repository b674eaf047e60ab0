"""Declares the weights of `heuristic`: name, default, meaning, range.

`spacemission tune` wrote those that ship, in TOML: one file for two players, one for more.
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
    # Which tiles: the value of a set where it is expected to end.
    Weight("takes_ahead", 0.6, "share of the tiles to come that the set value looks ahead to", 0.0, 1.5),
    Weight("focus", 3.0, "points by which a kind must gain more to be expected e times as often", 0.5, 12.0),
    Weight("denial", 0.3, "points for the last tile of its kind in a pile that others can reach", 0.0, 2.0),
    Weight("lean_mineral", 0.0, "more points for a mineral, less as the game goes on", -3.0, 6.0),
    Weight("lean_alien", 0.0, "likewise for an alien", -3.0, 6.0),
    Weight("lean_matter", 0.0, "likewise for matter", -3.0, 6.0),
    Weight("lean_water", 0.0, "likewise for water", -3.0, 6.0),
    Weight("lean_medal", 0.0, "likewise for a medal", -3.0, 6.0),
    # Time: what an action is worth elsewhere, and how long the game lasts.
    Weight("action_cost", 2.5, "points that an action is worth elsewhere", 0.5, 6.0),
    Weight("action_late", 0.0, "how much more it is at the end of the game", -3.0, 5.0),
    Weight("tile_rate", 1.1, "tiles that a player takes in a round", 0.5, 2.5),
    Weight("closed_pile", 1.3, "how much longer a point tile of an undeveloped planet lasts", 1.0, 3.0),
    Weight("hazard", 0.5, "rounds left at which another own turn is as likely as not", 0.05, 2.0),
    # Plans: the best thing to do from where a turn ends.
    Weight("plan", 0.8, "share of the best plan's surplus that counts", 0.2, 1.5),
    Weight("second_plan", 0.2, "likewise of the second best plan", 0.0, 1.0),
    Weight("missing_scan", 1.3, "actions that a missing scan card costs", 0.3, 4.0),
    Weight("missing_landing", 1.5, "actions that a missing landing card costs", 0.3, 4.0),
    Weight("missing_jump", 1.5, "actions that a missing jump card costs on the gate", 0.3, 4.0),
    Weight("scan_share", 0.8, "share of a tile's points at a planned scan", 0.0, 1.2),
    # Reserved tiles: how likely they are to be received (SM-41, SM-52).
    Weight("delivery", 0.35, "at a planet that cannot be developed yet", 0.0, 1.0),
    Weight("delivery_ready", 0.45, "more, where the landing cards are in hand", 0.0, 0.8),
    Weight("delivery_far", 0.05, "less, for each action of travel", 0.0, 0.3),
    # Others.
    Weight("gift", 0.3, "cost of a tile that developing delivers to others, but in the last turn", 0.0, 3.0),
    Weight("pressure_here", 0.6, "of an opponent on the planet on what it holds", 0.0, 3.0),
    Weight("pressure_near", 0.3, "of an opponent one step away", 0.0, 2.0),
    Weight("pressure_far", 0.1, "of an opponent who would have to jump", 0.0, 1.0),
    Weight("exposed", 0.3, "cost of an open pile's best tile for each unit of pressure", 0.0, 1.5),
    # Cards and chips.
    Weight("card", 0.3, "points for a card in hand", 0.0, 2.0),
    Weight("joker", 0.4, "more points for a joker", 0.0, 3.0),
    Weight("fresh_card", 0.3, "points for a card just drawn, not seen yet", 0.0, 2.0),
    Weight("drop", 1.0, "cards that are worth less in hand are discarded at a planned top-up", 0.0, 5.0),
    Weight("spare_chips", 1.0, "cost of each chip that the supply lacks to three", 0.0, 3.0),
    # Jump gate (SM-60).
    Weight("gate_share", 0.8, "share of the own gate points as they stand", 0.0, 1.5),
    Weight("gate_others", 0.5, "share of the points that a probe takes from the best other", 0.0, 1.5),
    Weight("gate_lead", 0.4, "points for each probe ahead of the best other, up to two", 0.0, 2.0),
    # The end.
    Weight("tile_points", 2.0, "points of an opponent's tile", 0.5, 4.0),
    Weight("tile_growth", 0.08, "how they grow with the square of their number", 0.0, 0.3),
    Weight("last_turn", 6.0, "points that a player makes in the last turn", 0.0, 12.0),
    Weight("hurry", 0.0, "points for a revealed space tile, when ten points ahead", 0.0, 3.0),
    Weight("end_ahead", 1.0, "for each point ahead at the end of the game, up to ten", 0.0, 3.0),
    Weight("end_margin", 0.0, "points that the estimate of the lead is lowered by", -10.0, 10.0),
)
# fmt: on

NAMES, WEIGHTS = TABLE.names, TABLE.record
make_weights, load_weights = TABLE.make, TABLE.load


def shipped_weights(num_players: int) -> np.ndarray:
    """The tuned weights that ship for games of so many players, as `make_weights` gives them."""
    name = SHIPPED_FOR_TWO if num_players == 2 else SHIPPED
    return TABLE.shipped("spacemission_agents.games.space_mission", name)


def shipped_weight_pair() -> np.ndarray:
    """Both shipped sets, (2,): for two players, for more."""
    return np.concatenate([shipped_weights(2), shipped_weights(3)])


def shipped_digest() -> str:
    """Digest of the values of all weights that ship: models that read ratings depend on them."""
    values = [dict(zip(NAMES, weights.tolist(), strict=True)) for weights in shipped_weight_pair()]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
