"""Builds the networks of a run in torch and converts them to model tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn
from torch.nn import functional

FORBIDDEN = -1e9  # logit of an illegal action


class LeaguePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor-critic of the flat observation, faster.

    Attributes:
        fast: multiply matrices in bfloat16; weights, logits and values stay float32.
    """

    action_net: nn.Linear

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Arguments as in SB3."""
        self.fast = False
        super().__init__(*args, **kwargs)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n,), values (n, 1) and log probabilities (n,)."""
        logits, values = self.both(obs)
        allowed = torch.ones_like(logits) if action_masks is None else torch.as_tensor(action_masks)
        log_probs = masked_log_probs(logits, allowed.to(logits.device) == 0)
        # Gumbel-max trick: the argmax of logits with Gumbel noise is a sample.
        noise = 0.0 if deterministic else torch.empty_like(log_probs).exponential_().log()
        actions = (log_probs - noise).argmax(1)
        return actions, values, log_probs.gather(1, actions[:, None])[:, 0]

    def both(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Unmasked logits, float32 (n, actions), and values, float32 (n, 1)."""
        with self._precision(obs):
            latent, judged = self.mlp_extractor(obs)
            return self.action_net(latent).float(), self.value_net(judged).float()

    def logits(self, obs: torch.Tensor) -> torch.Tensor:
        """Unmasked logits, float32 (n, actions)."""
        with self._precision(obs):
            return self.action_net(self.mlp_extractor.forward_actor(obs)).float()

    def predict_values(self, obs: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Values, float32 (n, 1)."""
        with self._precision(obs):
            return self.value_net(self.mlp_extractor.forward_critic(obs)).float()

    def _precision(self, obs: torch.Tensor) -> torch.autocast:
        return torch.autocast(obs.device.type, torch.bfloat16, enabled=self.fast)


def masked_log_probs(logits: torch.Tensor, forbidden: torch.Tensor) -> torch.Tensor:
    """Log probabilities (n, actions), about `FORBIDDEN` where `forbidden` (bool) is set."""
    return functional.log_softmax(logits.masked_fill(forbidden, FORBIDDEN), 1)


def policy_layers(policy: LeaguePolicy) -> dict[str, nn.Linear]:
    """The layers from the observation to the action logits, by their names in a model folder."""
    layers = (*policy.mlp_extractor.policy_net, policy.action_net)
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    return {f"policy.{i}": layer for i, layer in enumerate(linear)}


def policy_arrays(policy: LeaguePolicy) -> dict[str, np.ndarray]:
    """Copies of the policy network's weights under the names of a model folder (models/folder.py)."""
    arrays = {}
    for name, layer in policy_layers(policy).items():
        arrays[f"{name}.weight"] = layer.weight.detach().cpu().numpy().copy()
        arrays[f"{name}.bias"] = layer.bias.detach().cpu().numpy().copy()
    return arrays


def policy_parameters(policy: LeaguePolicy) -> list[nn.Parameter]:
    """All parameters of the policy network."""
    return [p for layer in policy_layers(policy).values() for p in layer.parameters()]
