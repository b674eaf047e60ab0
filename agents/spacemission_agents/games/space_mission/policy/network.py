"""Runs the network of a model folder in compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.policy import inputs
from spacemission_agents.models import layers
from spacemission_agents.models.network_input import TANH
from spacemission_env.core.agents import Decisions
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.symmetry import ACTION_SOURCES


class Network(NamedTuple):
    """A network with scratch memory."""

    kind: int  # index of its input in `INPUTS`
    use_tanh: bool  # tanh instead of relu
    width: int  # width of the layer shared by all planets, or 0
    residual: float  # factor on the ratings in the logits
    sizes: np.ndarray  # widths of all other layers, int64; empty for an absent network
    weights: np.ndarray  # weights and biases of these layers, float32
    planet: np.ndarray  # weights and bias of the layer for planets, float32, flat
    scratch: inputs.Scratch  # scratch memory of `write_input`
    x: np.ndarray  # the input, float32
    z: np.ndarray  # the input of the first hidden layer, float32
    first: np.ndarray  # outputs of the 1st, 3rd, … layer, float32
    second: np.ndarray  # outputs of the layers between, float32
    places: np.ndarray  # indices of numbers other than zero, int64
    hidden: np.ndarray  # hidden input, float32; empty if the network does not read it
    live: np.ndarray  # inputs of the first hidden layer with nonzero weights
    live_of_planet: np.ndarray  # likewise of the layer for planets


def sees_world(network: Json, name: str) -> bool:
    """Whether the policy or value (`name`) of a model also reads hidden pieces."""
    return name == "value" and bool(network.get("value", {}).get("full", False))


def planet_width(network: Json, name: str = "policy") -> int:
    """The numbers of a planet that the shared layer reads."""
    return inputs.PLANET_SIZE + (inputs.HIDDEN_PLANET if sees_world(network, name) else 0)


def first_width(network: Json, name: str = "policy") -> int:
    """The input width of the first hidden layer; `name`: policy or value."""
    size, hidden = inputs.SIZES[network.get("input", inputs.INPUTS[inputs.AS_IT_IS])], inputs.HIDDEN_SIZE
    if width := network.get("planets", 0):
        size, hidden = size - inputs.RING_SIZE + inputs.GAME_SIZE + c.RING * width, inputs.HIDDEN_GAME
    return size + (hidden if sees_world(network, name) else 0)


def new_network(
    arrays: dict[str, np.ndarray] | None = None, network: Json | None = None, name: str = "policy"
) -> Network:
    """Make the network of a model folder for compiled code; without arrays, an absent network.

    Args:
        arrays: tensors of a model folder (models/folder.py).
        network: the card's `network`.
        name: policy, or value for the critic.
    """
    network = network or {"activation": TANH}
    kind = network.get("input", inputs.INPUTS[inputs.AS_IT_IS])
    sizes, weights = layers.pack(arrays, name) if arrays else (np.zeros(0, np.int64), np.zeros(0, np.float32))
    planet = np.zeros((0, planet_width(network, name) + 1), np.float32)
    live = layers.live_inputs(arrays[f"{name}.0.weight"] if arrays else np.zeros((0, 0)))
    if arrays and network.get("planets", 0):
        planet = np.concatenate([arrays[f"{name}.planet.weight"], arrays[f"{name}.planet.bias"][:, None]], 1)
    live_of_planet = layers.live_inputs(planet[:, :-1])
    widest = int(max([inputs.SIZES[kind] + inputs.HIDDEN_SIZE, *sizes]))
    hidden = np.zeros(inputs.HIDDEN_SIZE if sees_world(network, name) else 0, np.float32)
    rated = arrays is not None and name == "policy" and kind == inputs.INPUTS[inputs.RATED]
    return Network(
        kind=inputs.INPUTS.index(kind),
        use_tanh=network["activation"] == TANH,
        width=len(planet),
        residual=float(arrays["policy.residual"][0]) if arrays and rated else 0.0,
        sizes=sizes,
        weights=weights,
        planet=np.ascontiguousarray(planet.T.ravel(), np.float32),
        scratch=inputs.new_scratch(),
        x=np.zeros(inputs.SIZES[kind], np.float32),
        z=np.zeros(first_width(network, name), np.float32),
        first=np.zeros(widest, np.float32),
        second=np.zeros(widest, np.float32),
        places=np.zeros(widest, np.int64),
        hidden=hidden,
        live=live,
        live_of_planet=live_of_planet,
    )


@njit
def is_there(network):
    return len(network.sizes) > 0


@njit
def run_network(o, mask, t, turn, network):
    """The outputs for an observation, in the network's scratch memory, and their turn."""
    turn = inputs.write_input(o, mask, t, network.kind, turn, network.scratch, network.x)
    return run_layers(network), turn


@njit
def run_critic(s, t, seat, o, mask, scores, network):
    """A critic's output for a seat's observation and, if it reads them, hidden pieces."""
    turn = inputs.write_input(o, mask, t, network.kind, 0, network.scratch, network.x)
    if len(network.hidden) > 0:
        inputs.write_hidden(s, t, seat, turn, scores, network.hidden)
    return float(run_layers(network)[0])


@njit
def run_critic_after(policy, critic):
    """A critic's output for the input that its policy has just read."""
    critic.x[:] = policy.x
    return float(run_layers(critic)[0])


@njit
def run_layers(network):
    """The outputs for the input in the network's scratch memory."""
    x, z, hidden, places, use_tanh = network.x, network.z, network.hidden, network.places, network.use_tanh
    width, residual, seen = network.width, network.residual, len(x)
    if width == 0 and len(hidden) == 0:
        z = x
    elif width == 0:
        z[:seen] = x
        z[seen:] = hidden
    else:
        z[: inputs.GAME_SIZE] = x[: inputs.GAME_SIZE]
        behind = inputs.GAME_SIZE + c.RING * width
        for q in range(c.RING):
            y = z[inputs.GAME_SIZE + q * width : inputs.GAME_SIZE + (q + 1) * width]
            read_planet(network, q, y)
            layers.activate(y, use_tanh)
        z[behind : behind + seen - inputs.RING_SIZE] = x[inputs.RING_SIZE :]
        z[behind + seen - inputs.RING_SIZE :] = hidden[: inputs.HIDDEN_GAME]
    known = layers.heard(z, network.live, places)
    first, second = network.first, network.second
    out = layers.forward_from(z, known, network.sizes, network.weights, use_tanh, first, second, places)
    if residual != 0.0:
        for a in range(len(out)):
            out[a] += np.float32(residual) * x[inputs.RING_SIZE + a]
    return out


@njit
def read_planet(network, q, y):
    """Write the sums of the shared layer for planet q into y, float32 (width,)."""
    hidden, buffer, places = network.hidden, network.first, network.places
    start = inputs.GAME_SIZE + q * inputs.PLANET_SIZE
    seen = network.x[start : start + inputs.PLANET_SIZE]
    if len(hidden) > 0:
        buffer[: inputs.PLANET_SIZE] = seen
        at = inputs.HIDDEN_GAME + q * inputs.HIDDEN_PLANET
        buffer[inputs.PLANET_SIZE : inputs.PLANET_SIZE + inputs.HIDDEN_PLANET] = hidden[
            at : at + inputs.HIDDEN_PLANET
        ]
        seen = buffer[: inputs.PLANET_SIZE + inputs.HIDDEN_PLANET]
    layers.add_layer(seen, layers.heard(seen, network.live_of_planet, places), network.planet, y, places)


@njit
def network_logits(o, mask, t, network, logits):
    """Write the logits of the original (not turned) actions, float32 (101,)."""
    out, turn = run_network(o, mask, t, 0, network)
    for a in range(c.ACTION_COUNT):
        logits[ACTION_SOURCES[turn, a]] = out[a]


@njit
def choose_by_network(observations, masks, keys, parameters, network, sample, actions, logits):
    """Write an action and the logits for each row: `actions` int64 (n,), `logits` float32 (n, 101)."""
    t = parameters[0]
    for n in range(len(actions)):
        network_logits(observations[n], masks[n], t, network, logits[n])
        if sample:
            actions[n] = layers.draw(logits[n], masks[n], keys[n])
        else:
            actions[n] = layers.most_probable(logits[n], masks[n])


def run_rows(decisions: Decisions, network: Network, sample: bool) -> tuple[np.ndarray, np.ndarray]:
    """Actions int64 (n,), most probable or sampled by the keys, and logits float32 (n, 101)."""
    actions = np.zeros(len(decisions), np.int64)
    logits = np.empty((len(decisions), c.ACTION_COUNT), np.float32)
    observations = np.ascontiguousarray(decisions.observations, np.float32)
    masks = np.ascontiguousarray(decisions.masks, np.int8)
    keys = np.ascontiguousarray(decisions.keys, np.int64)
    choose_by_network(observations, masks, keys, decisions.parameters, network, sample, actions, logits)
    return actions, logits


def compile_network() -> None:
    """Compile `choose_by_network` by a call without rows."""
    size = inputs.SIZES[inputs.INPUTS[inputs.AS_IT_IS]]
    nothing = np.zeros((0, size), np.float32), np.zeros((0, c.ACTION_COUNT), np.int8), np.zeros(0, np.int64)
    run_rows(Decisions(*nothing, parameters=find_game().default_parameters()), new_network(), True)
