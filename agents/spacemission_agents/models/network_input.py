"""Defines what the networks of a game read, and runs the networks.

A policy network reads the observation, or the afterstate of each move. A value network reads afterstates
(`afterstates/`).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates import network as value
from spacemission_agents.afterstates.moves import Afterstates, Evaluator, find_afterstates
from spacemission_agents.game_agents import find_game_agents
from spacemission_agents.models import layers
from spacemission_agents.models.layers import draw, forward, heard, live_inputs, most_probable, pack
from spacemission_env.core.agents import Decisions
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.core.reading import Json

njit = make_njit(layers.njit, Path(__file__))

PLAIN_INPUT = "observation"  # the input that every game has
TANH = "tanh"


class Pin(NamedTuple):
    """Installed data on which a network's input depends; the model card has the digest of the data."""

    sha256: str  # digest of the installed data
    what: str  # name of the data in messages


def find_network_input(game: str | GameSpec) -> NetworkInput:
    """The `NetworkInput` of a game."""
    return _network_input(find_game(game).name)


@lru_cache(maxsize=64)
def _network_input(name: str) -> NetworkInput:
    own = find_game_agents(name).network_input
    read: NetworkInput = NetworkInput(find_game(name)) if own is None else resolve_name(own)()
    return read


def layer_shapes(sizes: list[int]) -> dict[str, tuple[int, ...]]:
    """Shapes of the tensors of dense layers; `sizes`: widths from the input to the output."""
    shapes: dict[str, tuple[int, ...]] = {}
    for i, (width_in, width_out) in enumerate(pairwise(sizes)):
        shapes[f"policy.{i}.weight"] = (width_out, width_in)
        shapes[f"policy.{i}.bias"] = (width_out,)
    return shapes


class NetworkInput:
    """What networks of a game read. An argument called `network` is the entry `network` of a model's card.

    The subclass of a game names the shipped models, and gives the digest of the weights that rate moves.
    """

    shipped: dict[str, Path] = {}  # model folders in the package by name, as in `policy:NAME`

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec

    @property
    def afterstates(self) -> Afterstates:
        """The afterstates of the game, which value networks read."""
        return find_afterstates(self.spec)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Values of a card's `input`; the first is the default."""
        rated = len(self.afterstates.features.rating_scales) > 0
        return (PLAIN_INPUT, *value.POLICY_INPUTS[: 1 + rated], *value.INPUTS[: 1 + rated])

    @property
    def with_rows(self) -> tuple[str, ...]:
        """Inputs that allow a layer that all rows of features share (entry `planets` of the card)."""
        return (*value.POLICY_INPUTS, *value.INPUTS) if self.afterstates.features.rows else ()

    def judges_moves(self, network: Json) -> bool:
        """Whether the network gives the value of afterstates instead of a policy."""
        return network.get("input") in value.INPUTS

    def reads_afterstates(self, network: Json) -> bool:
        """Whether the network reads afterstates, for values or for a policy, and so needs sampled worlds."""
        return self.judges_moves(network) or network.get("input") in value.POLICY_INPUTS

    def pinned(self, network: Json) -> dict[str, Pin]:
        """The `Pin`s of the network, each under the name of the card entry that holds its digest."""
        kind = network.get("input")
        if kind not in value.RATED_INPUTS or kind not in self.inputs:
            return {}
        return {"ratings_sha256": Pin(self.ratings_digest(), "weights of 'heuristic', which rates its moves")}

    def ratings_digest(self) -> str:
        """The digest of the weights of `heuristic`, which rates moves; a game with ratings overrides it."""
        raise NotImplementedError(self.spec.name)

    def shapes(self, network: Json) -> dict[str, tuple[int, ...]]:
        """Name and shape of each tensor."""
        if self.reads_afterstates(network):
            return value.shapes(self.afterstates.features, network)
        return layer_shapes([self.spec.observation_size, *network["hidden"], self.spec.action_count])

    def same_option(self, name: str, trained: object, played: object, observation: str) -> bool:
        """Whether a model trained with one value of a rules option may play with another value."""
        return bool(trained == played)

    def new_network(self, arrays: dict[str, np.ndarray], network: Json) -> Any:
        """The network in the form that `run_rows` takes, with scratch buffers for one thread."""
        if self.reads_afterstates(network):
            reward = value.WIN
            if (paid := network.get("reward")) is not None:
                reward = float(self.spec.reward_mode(paid[0])), float(paid[1]), float(paid[2])
            of = self.afterstates.for_network(network["input"] in value.RATED_INPUTS)
            net = of.new_network(arrays, not self.judges_moves(network), reward)
            return Evaluator(net, of.new_scratch())
        sizes, weights = pack(arrays)
        live = live_inputs(arrays["policy.0.weight"])
        widest = int(sizes.max())
        buffers = np.zeros(widest, np.float32), np.zeros(widest, np.float32), np.zeros(widest, np.int64)
        return network["activation"] == TANH, sizes, weights, live, *buffers

    def run_rows(self, decisions: Decisions, network: Any, sample: bool) -> tuple[np.ndarray, np.ndarray]:
        """Actions int64 (n,) and logits float32 (n, actions).

        The actions are the most probable ones, or with `sample` random ones, chosen by the decisions' keys.
        """
        if isinstance(network, Evaluator):
            of = self.afterstates.for_network(network.net.reads_ratings)
            return of.run_rows(decisions, network, sample)
        actions = np.zeros(len(decisions), np.int64)
        logits = np.empty((len(decisions), self.spec.action_count), np.float32)
        observations = np.ascontiguousarray(decisions.observations, np.float32)
        masks = np.ascontiguousarray(decisions.masks, np.int8)
        keys = np.ascontiguousarray(decisions.keys, np.int64)
        choose_plainly(observations, masks, keys, network, sample, actions, logits)
        return actions, logits


@njit
def choose_plainly(observations, masks, keys, network, sample, actions, logits):
    """Write an action and its logits for each row: `actions` int64 (n,), `logits` float32 (n, actions)."""
    use_tanh, sizes, weights, live, first, second, places = network
    for n in range(len(actions)):
        o = observations[n]
        count = heard(o, live, places)
        logits[n, :] = forward(o, count, sizes, weights, use_tanh, first, second, places)
        actions[n] = draw(logits[n], masks[n], keys[n]) if sample else most_probable(logits[n], masks[n])
