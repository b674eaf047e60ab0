"""Runs the policy and the critic of a model folder for a search.

A search without networks takes None instead of `SearchNetworks`; then their code is not compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.policy.network import (
    Network,
    is_there,
    network_logits,
    new_network,
    run_critic,
    run_critic_after,
    sees_world,
)
from spacemission_agents.models.card import RETURN
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.batch import BATCH
from spacemission_env.games.space_mission.engine.layout import OBSERVATION, OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.observe import observe
from spacemission_env.games.space_mission.engine.scoring import best_other, score

LOGITS = 1.0  # points of the rollout policy that equal one logit: one temperature serves both
POINTS = 100.0  # points per unit of the reward `score_margin`, and of the margin in shaped rewards
CLEAR = 30.0  # score margin, in points, that counts as much as the win, if the critic counts the final margin
DECISIVE = 12.0  # expected margin at which a win is e times as likely as a loss
CRITIC_REWARDS = (*c.REWARD_NAMES, RETURN)
WIN = c.REWARD_NAMES.index("win")
MARGIN = c.REWARD_NAMES.index("score_margin")
RETURNED = CRITIC_REWARDS.index(RETURN)

rewards = BATCH.rewards


class SearchNetworks(NamedTuple):
    """A policy and perhaps a critic, with scratch memory."""

    policy: Network
    critic: Network  # the critic; `is_there` is false without one
    flat: np.ndarray  # one observation, float32 (1, size)
    records: np.ndarray  # a view of it as one `OBSERVATION` record
    mask: np.ndarray  # int8 (101,)
    logits: np.ndarray  # float32 (101,)
    reward: int  # the reward that the critic predicts, index of `CRITIC_REWARDS`
    shaping: float  # weight of the change of the score margin in its prediction
    counts_end: bool  # whether its prediction includes the final score margin
    recall: int  # 1: both read observations with perfect recall
    returns: np.ndarray  # returns by the critic, float64 (5,)
    sees_all: bool  # whether the critic also reads hidden pieces


def new_search_networks(arrays: dict[str, np.ndarray], network: Json, recall: int = 1) -> SearchNetworks:
    """Make the networks of a model folder.

    Args:
        arrays: the tensors of a policy and perhaps of a critic.
        network: the card's `network` (models/card.py).
        recall: 1 if trained with perfect recall, 0 if with `observation="table"`.
    """
    meaning = network.get("value", {"reward": "win", "shaping": 0.0, "final_potential": False})
    observation = np.zeros((1, OBSERVATION_SIZE), np.float32)
    return SearchNetworks(
        policy=new_network(arrays, network),
        critic=new_network(arrays if "value" in network else None, network, "value"),
        flat=observation,
        records=observation.view(OBSERVATION)[:, 0],
        mask=np.zeros(c.ACTION_COUNT, np.int8),
        logits=np.zeros(c.ACTION_COUNT, np.float32),
        reward=CRITIC_REWARDS.index(meaning["reward"]),
        shaping=float(meaning["shaping"]),
        counts_end=bool(meaning["final_potential"]),
        recall=recall,
        returns=np.zeros(c.MAX_PLAYERS),
        sees_all=sees_world(network, "value"),
    )


@njit
def has_value(networks):
    return is_there(networks.critic)


@njit
def has_seen_value(networks):
    """Whether there is a critic that reads observations only."""
    return is_there(networks.critic) and not networks.sees_all


@njit
def legal_moves(s, t, networks, mask, actions, values):
    """Write the legal moves of the player to act and their values by the policy; return how many."""
    write_mask(s, t, s.player, mask)
    observe(s, t, s.player, networks.recall, networks.records[0])
    network_logits(networks.flat[0], mask, t, networks.policy, networks.logits)
    n = 0
    for a in range(c.ACTION_COUNT):
        if mask[a]:
            actions[n] = a
            values[n] = LOGITS * networks.logits[a]
            n += 1
    return n


@njit
def outlook(s, t, networks, scores):
    """The critic's return for the player to act, 0 to 1."""
    seat = int(s.player)
    write_mask(s, t, seat, networks.mask)
    observe(s, t, seat, networks.recall, networks.records[0])
    score(s, t, scores)
    value = run_critic(s, t, seat, networks.flat[0], networks.mask, scores, networks.critic)
    return with_margin(value, s, networks, scores)


@njit
def seen_outlook(s, t, networks, scores):
    """As `outlook`, for a critic whose input `legal_moves` has just written."""
    if networks.shaping > 0.0:
        score(s, t, scores)
    return with_margin(run_critic_after(networks.policy, networks.critic), s, networks, scores)


@njit
def with_margin(value, s, networks, scores):
    """A critic's output as a return; the critic predicts only changes of the score margin."""
    seat, shaping = int(s.player), networks.shaping
    if shaping > 0.0:  # add the present margin
        value += shaping * (scores[seat, c.TOTAL] - best_other(scores, s.num_players, seat)) / POINTS
    return as_return(value, int(s.num_players), networks)


@njit
def as_return(value, num_players, networks):
    """A reward as a return from 0 to 1, with the final margin if the critic counts it."""
    reward, shaping, kept = networks.reward, networks.shaping, networks.counts_end
    if reward == RETURNED:
        return min(1.0, max(0.0, value))
    if reward == MARGIN:
        margin = value * POINTS / (1.0 + shaping if kept else 1.0)
        return 1.0 / (1.0 + np.exp(-margin / DECISIVE))
    if kept:
        value /= 1.0 + shaping * CLEAR / POINTS
    # +1 for the winner, -1 shared by the others
    loss = 1.0 / (num_players - 1) if reward == WIN else 1.0
    return min(1.0, max(0.0, (value + loss) / (1.0 + loss)))


@njit
def paid_out(s, t, networks, scores, out):
    """The returns of a finished game, on the scale of the critic."""
    n = int(s.num_players)
    score(s, t, scores)
    rewards(scores, n, networks.reward, out)
    for seat in range(n):
        value = out[seat]
        if networks.counts_end:
            value += networks.shaping * (scores[seat, c.TOTAL] - best_other(scores, n, seat)) / POINTS
        out[seat] = as_return(value, n, networks)
