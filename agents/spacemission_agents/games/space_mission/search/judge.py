"""The judge of the leaves of `ismcts`: what a position is worth to a seat, by the value of `policy:scratch`.

It reads what the seat would know there, so that it believes in no hidden tiles or cards of a sampled world.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.afterstate.judge import Room, new_room, share_of
from spacemission_agents.games.space_mission.afterstate.network import Network, new_network
from spacemission_agents.games.space_mission.afterstate.worlds import standing
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.leaf import new_leaf
from spacemission_agents.models.policy import PolicyAgent

VALUE = "scratch"  # policy:scratch: learnt from nothing, by 2 to 5 players


class Judge(NamedTuple):
    """The value as compiled code takes it, with scratch."""

    value: Network
    room: Room
    logits: np.ndarray


class Judges(NamedTuple):
    """What judges leaves: what the seat knows; with a guide the sampled world."""

    known: Judge
    world: tuple[np.ndarray, ...]  # `leaf.new_leaf`


@cache
def shipped_value() -> dict[str, np.ndarray]:
    """The tensors of `policy:scratch`."""
    return PolicyAgent(VALUE).arrays


def new_judge(arrays: dict[str, np.ndarray] | None = None) -> Judge:
    """The value of such tensors, of `policy:scratch` unless said otherwise."""
    return Judge(new_network(shipped_value() if arrays is None else arrays), new_room(), np.zeros(1))


def new_judges() -> Judges:
    """Those that ship."""
    return Judges(new_judge(), new_leaf())


@njit
def judge_position(s, t, me, judge):
    """The share of the win that a seat may expect, 0 to 1."""
    return share_of(standing(s, t, me, judge.value, judge.room, judge.logits))
