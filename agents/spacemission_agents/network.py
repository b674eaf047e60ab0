"""A model folder's network as compiled code runs it: what it reads, planets by shared weights, layers.

A network is a tuple that `new_network` makes of tensors; it holds scratch, so each thread has its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents import network_input, policy_kernel
from spacemission_agents.network_input import (
    GAME_SIZE,
    INPUTS,
    OBSERVATION,
    PLANET_SIZE,
    RING_SIZE,
    SIZES,
    new_scratch,
    write_input,
)
from spacemission_agents.policy_kernel import activate, add_layer, draw, forward, most_probable, pack
from spacemission_env.engine.constants import ACTION_COUNT, RING
from spacemission_env.engine.jit import make_njit
from spacemission_env.engine.symmetry import ACTION_SOURCES

COMPILED_FROM = (*network_input.COMPILED_FROM, *policy_kernel.COMPILED_FROM, Path(__file__))
njit = make_njit(*dict.fromkeys(COMPILED_FROM))

TANH = "tanh"


def first_width(network: dict[str, Any]) -> int:
    """Numbers that the first hidden layer of a card's `network` reads."""
    size, width = SIZES[network.get("input", INPUTS[OBSERVATION])], network.get("planets", 0)
    return size - RING_SIZE + GAME_SIZE + RING * width if width else size


def new_network(
    arrays: dict[str, np.ndarray] | None = None, network: dict[str, Any] | None = None, name: str = "policy"
) -> tuple[Any, ...]:
    """The network of a model folder, for compiled code; without arrays one that `is_there` tells apart.

    Args:
        arrays: tensors of a model folder (model_folder.py).
        network: the card's `network`.
        name: policy, or value for the critic.
    """
    network = network or {"activation": TANH}
    kind = network.get("input", INPUTS[OBSERVATION])
    sizes, weights = pack(arrays, name) if arrays else (np.zeros(0, np.int64), np.zeros(0, np.float32))
    planet = np.zeros((0, PLANET_SIZE + 1), np.float32)
    if arrays and network.get("planets", 0):
        planet = np.concatenate([arrays[f"{name}.planet.weight"], arrays[f"{name}.planet.bias"][:, None]], 1)
    widest = int(max([SIZES[kind], *sizes]))
    residual = float(arrays["policy.residual"][0]) if arrays and name == "policy" and kind == "rated" else 0.0
    buffers = np.zeros(widest, np.float32), np.zeros(widest, np.float32), np.zeros(widest, np.int64)
    inputs = np.zeros(SIZES[kind], np.float32), np.zeros(first_width(network), np.float32)
    shape = INPUTS.index(kind), network["activation"] == TANH, len(planet), residual
    flat = np.ascontiguousarray(planet.T.ravel(), np.float32)
    return (*shape, sizes, weights, flat, new_scratch(), *inputs, *buffers)


@njit
def is_there(network):
    """Whether the network was made of tensors."""
    return len(network[4]) > 0


@njit
def run_network(o, mask, turn, network):
    """Outputs for an observation, a view into the network's scratch, and the turn that they stand in."""
    kind, use_tanh, width, residual, sizes, weights, planet, scratch, x, z, first, second, places = network
    turn = write_input(o, mask, kind, turn, scratch, x)
    if width == 0:
        out = forward(x, sizes, weights, use_tanh, first, second, places)
    else:
        z[:GAME_SIZE] = x[:GAME_SIZE]
        for q in range(RING):
            start = GAME_SIZE + q * PLANET_SIZE
            y = z[GAME_SIZE + q * width : GAME_SIZE + (q + 1) * width]
            add_layer(x[start : start + PLANET_SIZE], planet, y, places)
            activate(y, use_tanh)
        z[GAME_SIZE + RING * width :] = x[RING_SIZE:]
        out = forward(z, sizes, weights, use_tanh, first, second, places)
    if residual != 0.0:
        for a in range(len(out)):
            out[a] += np.float32(residual) * x[RING_SIZE + a]
    return out, turn


@njit
def network_logits(o, mask, network, logits):
    """Write the logits of the game's own actions, float32 (101,)."""
    out, turn = run_network(o, mask, 0, network)
    for a in range(ACTION_COUNT):
        logits[ACTION_SOURCES[turn, a]] = out[a]


@njit
def choose_by_network(observations, masks, keys, network, sample, actions, logits):
    """Write an action and its logits for each row: `actions` int64 (n,), `logits` float32 (n, 101)."""
    for n in range(len(actions)):
        network_logits(observations[n], masks[n], network, logits[n])
        if sample:
            actions[n] = draw(logits[n], masks[n], keys[n])
        else:
            actions[n] = most_probable(logits[n], masks[n])


def run_rows(
    observations: np.ndarray, masks: np.ndarray, keys: np.ndarray, network: tuple[Any, ...], sample: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Actions int64 (n,) and logits float32 (n, 101): the most probable ones, or drawn by the keys."""
    actions = np.zeros(len(keys), np.int64)
    logits = np.empty((len(keys), ACTION_COUNT), np.float32)
    choose_by_network(observations, masks, keys, network, sample, actions, logits)
    return actions, logits
