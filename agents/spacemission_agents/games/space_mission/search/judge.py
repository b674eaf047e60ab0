"""The judge of the leaves of `ismcts`: what a position promises a seat by what it knows (`known.py`).

A small network: all planets through the same weights, summed, beside the rest. Trained by
`python -m spacemission_train.games.space_mission.fit_judge --out FILE` on games of two players; with more the
network of `leaf.py` judges.
"""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load as load_tensors

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.known import FEATURES, Known, new_known
from spacemission_agents.games.space_mission.search.known_features import known_features
from spacemission_agents.games.space_mission.search.leaf import new_leaf
from spacemission_agents.models.layers import forward, pack
from spacemission_env.games.space_mission.engine.constants import RING

# Tensors `planet.weight` (out, in), `planet.bias`, and `judge.{i}.weight`, `judge.{i}.bias`.
WEIGHTS_FILE = "data/judge.safetensors"
PLANETS_SCALE = 0.25  # of the sum over planets


class Judge(NamedTuple):
    """The network as compiled code takes it, with scratch."""

    known: Known
    planet: np.ndarray  # float32 (PLANET + 1, width): weights, the bias in the last row
    sizes: np.ndarray  # `layers.pack` of the rest
    weights: np.ndarray
    x: np.ndarray  # float32 (FEATURES + width,)
    hidden: np.ndarray  # float32 (width,)
    first: np.ndarray  # scratch of `layers.forward`
    second: np.ndarray
    places: np.ndarray


class Judges(NamedTuple):
    """What judges leaves: of games of two players what the seat knows, of others the sampled world."""

    known: Judge
    world: tuple[np.ndarray, ...]  # `leaf.new_leaf`


def new_judge(arrays: dict[str, np.ndarray] | None = None) -> Judge:
    """The network as compiled code takes it; `arrays`: other weights than those that ship."""
    if arrays is None:
        folder = files("spacemission_agents.games.space_mission")
        arrays = load_tensors(folder.joinpath(WEIGHTS_FILE).read_bytes())
    sizes, weights = pack(arrays, "judge")
    planet = np.concatenate([arrays["planet.weight"].T, arrays["planet.bias"][None]])
    widest = int(sizes.max())
    return Judge(
        new_known(),
        np.ascontiguousarray(planet, np.float32),
        sizes,
        weights,
        x=np.zeros(FEATURES + planet.shape[1], np.float32),
        hidden=np.zeros(planet.shape[1], np.float32),
        first=np.zeros(widest, np.float32),
        second=np.zeros(widest, np.float32),
        places=np.zeros(widest, np.int64),
    )


def new_judges() -> Judges:
    """Those that ship."""
    return Judges(new_judge(), new_leaf())


@njit
def is_judged(s):
    """Whether the searching seat's knowledge is judged: the network has learnt from games of two players."""
    return s.num_players == 2


@njit
def pool_planets(planets, weights, hidden, out):
    """The planets through one layer with relu, summed."""
    rows, width = planets.shape[1], weights.shape[1]
    for j in range(width):
        out[j] = 0.0
    for p in range(RING):
        for j in range(width):
            hidden[j] = weights[rows, j]
        for i in range(rows):
            value = planets[p, i]
            if value != 0:
                for j in range(width):
                    hidden[j] += value * weights[i, j]
        for j in range(width):
            out[j] += np.float32(PLANETS_SCALE) * max(hidden[j], np.float32(0))


@njit
def judge_position(s, t, me, judge):
    """The return that a seat may expect, 0 to 1."""
    known_features(s, t, me, judge.known)
    for i in range(FEATURES):
        judge.x[i] = judge.known.x[i]
    pool_planets(judge.known.planets, judge.planet, judge.hidden, judge.x[FEATURES:])
    logit = float(
        forward(judge.x, judge.sizes, judge.weights, False, judge.first, judge.second, judge.places)[0]
    )
    return 1.0 / (1.0 + np.exp(-logit))
