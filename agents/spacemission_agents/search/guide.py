"""What a trained network tells the search: odds of the moves, and how the game will end for a seat.

A guide is a tuple, as compiled code takes it: see `new_guide`. Without a network its arrays are empty
and the search goes by its own judgement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.network import is_there, network_logits, new_network, run_network
from spacemission_agents.search.light import njit
from spacemission_env.engine.batch import as_records
from spacemission_env.engine.constants import ACTION_COUNT, REWARD_NAMES, TOTAL
from spacemission_env.engine.layout import OBSERVATION_SIZE
from spacemission_env.engine.legal import write_mask
from spacemission_env.engine.observe import observe
from spacemission_env.engine.scoring import score

LOGITS = 1.0  # a logit of the policy is this many points of the light policy, for one temperature
POINTS = 100.0  # of a reward of 1 with `score_margin`, and of a lead of 1 in shaped rewards
DECISIVE = 12.0  # points of expected margin at which a win is e times as likely as a loss
WIN = REWARD_NAMES.index("win")
MARGIN = REWARD_NAMES.index("score_margin")


def new_guide(
    arrays: dict[str, np.ndarray] | None = None,
    network: dict[str, Any] | None = None,
    recall: int = 1,
) -> tuple[Any, ...]:
    """A guide from a model folder.

    Args:
        arrays: its tensors; None: no guide, the search goes by the values of `heuristic` and of the light
            policy, and by the network of `leaf.py`. That network is also used where there is no critic.
        network: the card's `network` (model_card.py).
        recall: 1 where it was trained with perfect recall, 0 with `observation="table"`.
    """
    network = network or {"activation": "relu"}
    meaning = network.get("value", {"reward": "win", "shaping": 0.0, "final_potential": False})
    policy = new_network(arrays, network)
    value = new_network(arrays if "value" in network else None, network, "value")
    observation = np.zeros((1, OBSERVATION_SIZE), np.float32)
    mask, logits = np.zeros(ACTION_COUNT, np.int8), np.zeros(ACTION_COUNT, np.float32)
    reward = REWARD_NAMES.index(meaning["reward"])
    terms = reward, float(meaning["shaping"]), bool(meaning["final_potential"]), recall
    return (policy, value, observation, as_records(observation), mask, logits, *terms)


@njit
def has_policy(guide):
    """Whether there is a policy network."""
    return is_there(guide[0])


@njit
def has_value(guide):
    """Whether there is a value network."""
    return is_there(guide[1])


@njit
def legal_moves(s, t, guide, mask, actions, values):
    """All legal moves of the player to act and what the policy network gives each; how many."""
    policy, _, flat, records, _, logits, _, _, _, recall = guide
    write_mask(s, t, s.player, mask)
    observe(s, t, s.player, recall, flat[0], records[0])
    network_logits(flat[0], mask, policy, logits)
    n = 0
    for a in range(ACTION_COUNT):
        if mask[a]:
            actions[n] = a
            values[n] = LOGITS * logits[a]
            n += 1
    return n


@njit
def outlook(s, t, guide, scores):
    """The return that the critic expects for the player to act, 0 to 1."""
    _, critic, flat, records, mask, _, reward, shaping, kept, recall = guide
    seat = int(s.player)
    write_mask(s, t, seat, mask)
    observe(s, t, seat, recall, flat[0], records[0])
    value = float(run_network(flat[0], mask, 0, critic)[0][0])
    if shaping > 0.0:  # the critic has seen the lead as paid already: what was paid is added again
        score(s, t, scores)
        best = -1000000
        for j in range(s.num_players):
            if j != seat:
                best = max(best, scores[j, TOTAL])
        value += shaping * (scores[seat, TOTAL] - best) / POINTS
    if reward == MARGIN:
        margin = value * POINTS / (1.0 + shaping if kept else 1.0)
        return 1.0 / (1.0 + np.exp(-margin / DECISIVE))
    if reward == WIN:  # +1 for the winner, -1 split among the others
        loss = 1.0 / (int(s.num_players) - 1)
        return min(1.0, max(0.0, (value + loss) / (1.0 + loss)))
    return min(1.0, max(0.0, 0.5 + 0.5 * value))
