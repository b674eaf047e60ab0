"""Runs networks with the input `rated`, and declares both network inputs of Planet Hexx.

The same layers score each move of `inputs.py`. The first layer adds the move, the position and two card
embeddings. The output is one number; the rating of the move times a learnt weight is added to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacemission_agents.afterstates.network import RATED_INPUT
from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_digest, shipped_weights
from spacemission_agents.games.planet_hexx.policy import inputs
from spacemission_agents.models.layers import activate, draw, forward, most_probable, not_zero, pack
from spacemission_agents.models.network_input import TANH, NetworkInput, Pin, layer_shapes
from spacemission_env.core.agents import Decisions
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.engine import constants as c

SHIPPED = Path(__file__).parents[1] / "data" / "default"
UNLIKELY = np.float32(-1e9)  # logit of moves outside the input
VALUE_SIZE = inputs.POSITION_NUMBERS + inputs.MOVE_NUMBERS  # input of a critic: position and best move
PARTS = {"move": inputs.MOVE_NUMBERS, "position": inputs.POSITION_NUMBERS, "card": c.KINDS, "about": c.KINDS}


class Network(NamedTuple):
    """A network and its scratch."""

    use_tanh: bool  # else relu
    residual: float  # weight of the ratings in the logits
    parts: tuple[np.ndarray, ...]  # weights of the first layer (in, out), in the order of `PARTS`
    bias: np.ndarray  # bias of the first layer
    sizes: np.ndarray  # widths of the further layers, int64
    weights: np.ndarray  # weights and biases of the further layers, float32
    rating: np.ndarray  # weights of `heuristic`, which rates the moves: one record
    scratch: tuple[object, ...]  # scratch buffers of `write_input`
    x: np.ndarray  # the input, float32
    actions: np.ndarray  # the moves of the input, int64
    base: np.ndarray  # outputs of the first layer without the move, float32
    z: np.ndarray  # outputs of the first layer for one move, float32
    first: np.ndarray  # outputs of the odd layers, float32
    second: np.ndarray  # outputs of the even layers, float32
    places: np.ndarray  # indices of inputs that are not zero, int64


def policy_shapes(hidden: list[int]) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for name, size in PARTS.items():
        shapes[f"policy.{name}.weight"] = (hidden[0], size)
        shapes[f"policy.{name}.bias"] = (hidden[0],)
    return shapes | layer_shapes("policy", [*hidden, 1]) | {"policy.residual": (1,)}


def new_network(arrays: dict[str, np.ndarray], network: Json) -> Network:
    sizes, weights = pack(arrays)
    widest = int(max([*sizes, inputs.MOVE_SIZE, inputs.POSITION_NUMBERS]))
    parts = [np.ascontiguousarray(arrays[f"policy.{name}.weight"].T, np.float32) for name in PARTS]
    bias = np.sum([arrays[f"policy.{name}.bias"] for name in PARTS], axis=0)
    return Network(
        use_tanh=network["activation"] == TANH,
        residual=float(arrays["policy.residual"][0]),
        parts=tuple(parts),
        bias=np.ascontiguousarray(bias, np.float32),
        sizes=sizes,
        weights=weights,
        rating=shipped_weights(),
        scratch=inputs.new_scratch(),
        x=np.zeros(inputs.INPUT_SIZE, np.float32),
        actions=np.zeros(inputs.MOVES, np.int64),
        base=np.zeros(len(bias), np.float32),
        z=np.zeros(len(bias), np.float32),
        first=np.zeros(widest, np.float32),
        second=np.zeros(widest, np.float32),
        places=np.zeros(widest, np.int64),
    )


@njit
def add_part(x, weight, y, places):
    """Add the output of a part of the first layer, weights (in, out), to y."""
    for n in range(not_zero(x, places)):
        a = places[n]
        for j in range(len(y)):
            y[j] += x[a] * weight[a, j]


@njit
def add_card(number, weight, y):
    """Add the embedding of a card to y; `number`: 1 + its kind, or 0 for no card."""
    if number > 0:
        for j in range(len(y)):
            y[j] += weight[int(number) - 1, j]


@njit
def score_moves(network, count, logits):
    """Write the logits of the moves in `network.actions`, from `network.x`; other moves are `UNLIKELY`."""
    x, base, z, places = network.x, network.base, network.z, network.places
    move_part, position_part, card_part, about_part = network.parts
    base[:] = network.bias
    add_part(x[inputs.POSITION_AT : inputs.ABOUT_AT], position_part, base, places)
    add_card(x[inputs.ABOUT_AT], about_part, base)
    logits[:] = UNLIKELY
    for i in range(count):
        move = x[i * inputs.MOVE_SIZE : (i + 1) * inputs.MOVE_SIZE]
        z[:] = base
        add_part(move[: inputs.MOVE_NUMBERS], move_part, z, places)
        add_card(move[inputs.CARD_AT], card_part, z)
        activate(z, network.use_tanh)
        out = forward(
            z, network.sizes, network.weights, network.use_tanh, network.first, network.second, places
        )
        logits[network.actions[i]] = out[0] + np.float32(network.residual) * move[inputs.RATING]


@njit
def choose_rows(worlds, parameters, masks, keys, network, sample, actions, logits):
    """Write an action and its logits for each row: `actions` int64 (n,), `logits` float32 (n, 425)."""
    t, w = parameters[0], network.rating[0]
    for n in range(len(actions)):
        count = inputs.write_input(worlds[n], t, w, masks[n], network.scratch, network.actions, network.x)
        score_moves(network, count, logits[n])
        if sample:
            actions[n] = draw(logits[n], masks[n], keys[n])
        else:
            actions[n] = most_probable(logits[n], masks[n])


def is_rated(network: Json) -> bool:
    """Whether the network of a model card has the input `rated`."""
    return bool(network.get("input") == inputs.INPUTS[inputs.RATED])


class PlanetHexxNetworkInput(NetworkInput):
    """The inputs `observation`, as in every game, and `rated`, which needs a world."""

    own_inputs = inputs.INPUTS
    shipped = {"default": SHIPPED, "scratch": SHIPPED.with_name("scratch")}

    def __init__(self) -> None:
        super().__init__(find_game("planet_hexx"))

    def wants_worlds(self, network: Json) -> bool:
        return is_rated(network) or super().wants_worlds(network)

    def pinned(self, network: Json) -> dict[str, Pin]:
        """Digest of the weights of `heuristic`, if the network reads its ratings."""
        if not is_rated(network) and network.get("input") != RATED_INPUT:
            return {}
        return {"ratings_sha256": Pin(shipped_digest(), "weights of 'heuristic', which rates its moves")}

    def shapes(self, network: Json) -> dict[str, tuple[int, ...]]:
        if not is_rated(network):
            return super().shapes(network)
        shapes = policy_shapes(network["hidden"])
        if "value" in network:
            shapes |= layer_shapes("value", [VALUE_SIZE, *network["value"]["hidden"], 1])
        return shapes

    def new_network(self, arrays: dict[str, np.ndarray], network: Json) -> object:
        if not is_rated(network):
            return super().new_network(arrays, network)
        return new_network(arrays, network)

    def run_rows(self, decisions: Decisions, network: object, sample: bool) -> tuple[np.ndarray, np.ndarray]:
        if not isinstance(network, Network):
            return super().run_rows(decisions, network, sample)
        actions = np.zeros(len(decisions), np.int64)
        logits = np.empty((len(decisions), c.ACTION_COUNT), np.float32)
        masks = np.ascontiguousarray(decisions.masks, np.int8)
        keys = np.ascontiguousarray(decisions.keys, np.int64)
        choose_rows(decisions.worlds, decisions.parameters, masks, keys, network, sample, actions, logits)
        return actions, logits
