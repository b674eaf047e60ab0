"""`MaskedNetworks`: policy and value network of PPO, with illegal moves masked.

The tensors of its state have the names and the shapes that model folders have (models/folder.py): what
is exported is the module's state as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.inference_only_api import InferenceOnlyAPI
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import nn

from spacemission_train.rllib.env import MASK, OBSERVATIONS

LEAST_LOGIT = torch.finfo(torch.float32).min  # finite: log probability times probability 0 have to come to 0


class Layers(nn.ModuleList):
    """A relu network; layer i is its tensors `i.weight` (out, in) and `i.bias` (out,)."""

    def __init__(self, sizes: Sequence[int], last_gain: float) -> None:
        """Orthogonal weights and no biases, as Stable-Baselines3 begins: runs of the two engines compare."""
        layers = [nn.Linear(width_in, width_out) for width_in, width_out in pairwise(sizes)]
        for layer in layers:
            nn.init.orthogonal_(layer.weight, last_gain if layer is layers[-1] else 2**0.5)
            nn.init.zeros_(layer.bias)
        super().__init__(layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Outputs (n, last width) of inputs (n, first width)."""
        last = len(self) - 1
        for i, layer in enumerate(self):
            x = layer(x) if i == last else torch.relu(layer(x))
        return x


class MaskedNetworks(TorchRLModule, ValueFunctionAPI, InferenceOnlyAPI):
    """An RLModule of two networks that share nothing.

    Its `model_config` is `{"hidden": [widths], "sizes": [observation, actions]}`.
    """

    def setup(self) -> None:
        """Make the networks; RLlib calls it."""
        config: Any = self.model_config
        hidden = list(config["hidden"])
        size, actions = config["sizes"]
        self.policy = Layers([size, *hidden, actions], 0.01)
        self.value = Layers([size, *hidden, 1], 1.0)

    def get_non_inference_attributes(self) -> list[str]:
        """Env runners have no value network, and are sent none."""
        return ["value"]

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Logits of the moves (n, actions), those of illegal moves so low that their probabilities are 0."""
        seen = batch[Columns.OBS]
        logits = self.policy(seen[OBSERVATIONS])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen[MASK] == 0, LEAST_LOGIT)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """What the value network expects of each row: (n,)."""
        return self.value(batch[Columns.OBS][OBSERVATIONS]).squeeze(-1)


def model_arrays(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Copies of a module's state (`get_state`) as the tensors of a model folder."""
    return {name: np.array(tensor, np.float32) for name, tensor in state.items()}


def policy_part(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The policy's tensors alone; what a player needs."""
    return {name: array for name, array in arrays.items() if name.startswith("policy.")}
