"""What a trained network tells the search: odds of the moves, and how the game will end for a seat.

A guide is a tuple, as compiled code takes it: see `new_guide`. Without a network its arrays are empty
and the search goes by its own judgement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.policy_kernel import forward
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
    policy: tuple[np.ndarray, np.ndarray] | None = None,
    value: tuple[np.ndarray, np.ndarray] | None = None,
    use_tanh: bool = False,
    recall: int = 1,
    meaning: dict[str, Any] | None = None,
) -> tuple[Any, ...]:
    """A guide from packed networks (`policy_kernel.pack`).

    Args:
        policy: odds of the moves; None: the values of `heuristic` and of the light policy.
        value: the critic; None: the network of `leaf.py`.
        use_tanh: their activation.
        recall: 1 where they were trained with perfect recall, 0 with `observation="table"`.
        meaning: what the critic was trained to tell: the card's `network.value` (model_card.py).
    """
    nothing = np.zeros(0, np.int64), np.zeros(0, np.float32)
    policy, value = policy or nothing, value or nothing
    meaning = meaning or {"reward": "win", "shaping": 0.0, "final_potential": False}
    widest = max([1, *policy[0].tolist(), *value[0].tolist()])
    observation = np.zeros((1, OBSERVATION_SIZE), np.float32)
    buffers = np.zeros(widest, np.float32), np.zeros(widest, np.float32), np.zeros(widest, np.int64)
    reward = REWARD_NAMES.index(meaning["reward"])
    terms = reward, float(meaning["shaping"]), bool(meaning["final_potential"]), recall
    return (*policy, *value, use_tanh, observation, as_records(observation), *buffers, *terms)


@njit
def has_policy(guide):
    """Whether there is a policy network."""
    return len(guide[0]) > 0


@njit
def has_value(guide):
    """Whether there is a value network."""
    return len(guide[2]) > 0


@njit
def legal_moves(s, t, guide, mask, actions, values):
    """All legal moves of the player to act and what the policy network gives each; how many."""
    sizes, weights, _, _, use_tanh, flat, records, first, second, places, _, _, _, recall = guide
    write_mask(s, t, s.player, mask)
    observe(s, t, s.player, recall, flat[0], records[0])
    logits = forward(flat[0], sizes, weights, use_tanh, first, second, places)
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
    _, _, sizes, weights, use_tanh, flat, records, first, second, places, reward, shaping, kept, recall = (
        guide
    )
    seat = int(s.player)
    observe(s, t, seat, recall, flat[0], records[0])
    value = float(forward(flat[0], sizes, weights, use_tanh, first, second, places)[0])
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
