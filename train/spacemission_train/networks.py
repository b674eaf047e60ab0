"""The policy network in its two forms: SB3's torch module, and the tensors of a model folder.

`NetworkPlayer` plays such tensors in the compiled kernel of `policy:PATH`, so that training opponents
play as the agent that others load will; they draw from the odds, for variety.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import nn

from spacemission_agents.policy_kernel import choose_by_network, pack
from spacemission_env.agents_api import Agent, Decisions
from spacemission_env.engine.constants import ACTION_COUNT

ACTIVATION = "relu"


def policy_layers(policy: Any) -> list[nn.Linear]:
    """The linear layers of an SB3 actor-critic policy from observation to action logits."""
    hidden = [layer for layer in policy.mlp_extractor.policy_net if isinstance(layer, nn.Linear)]
    return [*hidden, policy.action_net]


def network_arrays(policy: Any) -> dict[str, np.ndarray]:
    """The policy's and the critic's weights under the names of a model folder (model_folder.py)."""
    hidden = [layer for layer in policy.mlp_extractor.value_net if isinstance(layer, nn.Linear)]
    return policy_arrays(policy) | _arrays("value", [*hidden, policy.value_net])


def policy_arrays(policy: Any) -> dict[str, np.ndarray]:
    """Copies of the policy network's weights under the names of a model folder (model_folder.py).

    `policy.{i}.weight` float32 (out, in) and `policy.{i}.bias` (out,); the value network is left out.
    """
    return _arrays("policy", policy_layers(policy))


def _arrays(name: str, layers: list[nn.Linear]) -> dict[str, np.ndarray]:
    arrays = {}
    for i, layer in enumerate(layers):
        arrays[f"{name}.{i}.weight"] = layer.weight.detach().cpu().numpy().copy()
        arrays[f"{name}.{i}.bias"] = layer.bias.detach().cpu().numpy().copy()
    return arrays


class NetworkPlayer(Agent):
    """A relu network in memory; by default it draws from its odds with the decision's key."""

    def __init__(self, arrays: dict[str, np.ndarray] | None = None, sample: bool = True) -> None:
        """`arrays` as of `policy_arrays`, copied; None: `set_arrays` is to be called before play."""
        self.sample = sample
        if arrays is not None:
            self.set_arrays(arrays)

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Play with these weights from now on."""
        self._sizes, self._weights = pack(arrays)

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 (n,)."""
        actions = np.zeros(len(decisions), np.int64)
        self._run(decisions, actions, _NO_LOGITS)
        return actions

    def logits(self, decisions: Decisions) -> np.ndarray:
        """What the network says before masking: float32 (n, 101)."""
        out = np.empty((len(decisions), ACTION_COUNT), np.float32)
        self._run(decisions, np.zeros(len(decisions), np.int64), out)
        return out

    def _run(self, decisions: Decisions, actions: np.ndarray, logits: np.ndarray) -> None:
        observations = np.ascontiguousarray(decisions.observations, np.float32)
        masks = np.ascontiguousarray(decisions.masks, np.int8)
        keys = np.ascontiguousarray(decisions.keys, np.int64)
        choose_by_network(
            observations, masks, keys, self._sizes, self._weights, False, self.sample, actions, logits
        )


_NO_LOGITS = np.empty((0, ACTION_COUNT), np.float32)
