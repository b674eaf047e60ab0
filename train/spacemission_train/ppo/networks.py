"""Builds the networks of a run in torch and converts them to model tensors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn
from torch.nn import functional

from spacemission_env.core.game_spec import find_game
from spacemission_train.game_training import find_game_training
from spacemission_train.settings.settings import Form

FORBIDDEN = -1e9  # logit of an illegal action
RESIDUAL = 30.0  # initial factor of the ratings: a move rated a third of a point higher is e times as likely


class Networks(nn.Module):
    """Policy and critic up to their last hidden layers: SB3's `mlp_extractor`. A game may have a subclass.

    Attributes:
        policy_planet, value_planet: layers shared by all planets, or None.
        policy_net, value_net: the hidden layers.
    """

    policy_net: nn.Sequential
    value_net: nn.Sequential

    def __init__(self, form: Form) -> None:
        """Make the networks of a form."""
        super().__init__()
        self.policy_planet: nn.Linear | None = None
        self.value_planet: nn.Linear | None = None
        self.make_layers(form)
        self.latent_dim_pi = self.latent_dim_vf = form.hidden[-1]

    def make_layers(self, form: Form) -> None:
        """Make the layers; SB3 initialises them in this order."""
        size = find_game(form.game).observation_size
        self.policy_net = dense_layers(size, form.hidden)
        self.value_net = dense_layers(size, form.hidden)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The results of `forward_actor` and `forward_critic`, from inputs (n, size)."""
        return self.forward_actor(x), self.forward_critic(x)

    def forward_actor(self, x: torch.Tensor) -> torch.Tensor:
        """The policy's last hidden layer (n, hidden)."""
        latent: torch.Tensor = self.policy_net(x)
        return latent

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden)."""
        latent: torch.Tensor = self.value_net(x)
        return latent

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """The layer from the result of `forward_actor` to logits; `linear`: SB3's layer, initialised."""
        return linear

    @staticmethod
    def widened(weight: torch.Tensor, narrow: int, wide: int) -> torch.Tensor:
        """Pad the first hidden layer's `weight` from `narrow` to `wide` numbers per planet; here unused."""
        return weight


def new_networks(form: Form) -> Networks:
    """Make networks of a form in the class of its game."""
    training = find_game_training(form.game)
    built: Networks = training.load(training.networks, Networks)(form)
    return built


def dense_layers(width: int, hidden: tuple[int, ...]) -> nn.Sequential:
    """Hidden layers, each followed by ReLU, from `width` inputs."""
    layers: list[nn.Module] = []
    for before, after in pairwise((width, *hidden)):
        layers += [nn.Linear(before, after), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


class LeaguePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor-critic with the networks of a `Form`.

    Attributes:
        fast: multiply matrices in bfloat16; weights, logits and values stay float32.
    """

    mlp_extractor: Networks  # type: ignore[assignment]  # SB3 allows any module with its interface

    def __init__(self, *args: Any, form: Form, **kwargs: Any) -> None:
        """`form`: form of the networks; other arguments as in SB3."""
        self.form = form
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

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = new_networks(self.form)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        self.action_net = self.mlp_extractor.last_layer(self.action_net)  # type: ignore[arg-type]
        learnt = {id(one) for group in self.optimizer.param_groups for one in group["params"]}
        added = [one for one in self.action_net.parameters() if id(one) not in learnt]
        if added:
            self.optimizer.add_param_group({"params": added})


def masked_log_probs(logits: torch.Tensor, forbidden: torch.Tensor) -> torch.Tensor:
    """Log probabilities (n, actions), about `FORBIDDEN` where `forbidden` (bool) is set."""
    return functional.log_softmax(logits.masked_fill(forbidden, FORBIDDEN), 1)


class ResidualHead(nn.Module):
    """A policy's last layer that adds the ratings of the moves, times a learnt factor, to its logits."""

    def __init__(self, linear: nn.Linear) -> None:
        """`linear`: the layer from the last hidden layer to logits; its weights are set to 0."""
        super().__init__()
        nn.init.zeros_(linear.weight)
        self.linear = linear
        self.residual = nn.Parameter(torch.tensor([RESIDUAL]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits (n, actions) from the last hidden layer and the ratings that follow it in `x`."""
        width = self.linear.in_features
        return self.linear(x[:, :width]) + self.residual * x[:, width:]


def policy_layers(policy: LeaguePolicy) -> dict[str, nn.Linear]:
    """The layers from the input to the action logits, by their names in a model folder."""
    of = policy.mlp_extractor
    return named_layers("policy", of.policy_planet, of.policy_net, policy.action_net)


def policy_parameters(policy: LeaguePolicy) -> list[nn.Parameter]:
    """All parameters of the policy network."""
    residual = getattr(policy.action_net, "residual", None)
    parameters = [p for layer in policy_layers(policy).values() for p in layer.parameters()]
    return parameters + ([] if residual is None else [residual])


def named_layers(
    name: str, planet: nn.Linear | None, hidden: nn.Sequential, last: nn.Module
) -> dict[str, nn.Linear]:
    """Layers by their names in a model folder: the layer of the planets, hidden layers, last layer."""
    last = getattr(last, "linear", last)
    layers = [layer for layer in (*hidden, last) if isinstance(layer, nn.Linear)]
    named = {f"{name}.{i}": layer for i, layer in enumerate(layers)}
    return named if planet is None else {f"{name}.planet": planet, **named}


def network_arrays(policy: LeaguePolicy) -> dict[str, np.ndarray]:
    """The weights for a model folder: those of the policy and of the critic."""
    return policy_arrays(policy) | critic_arrays(policy.mlp_extractor, policy.value_net)


def critic_arrays(networks: Networks, last: nn.Linear) -> dict[str, np.ndarray]:
    """The critic's weights for a model folder; `last`: its output layer."""
    return _arrays(named_layers("value", networks.value_planet, networks.value_net, last))


def policy_arrays(policy: LeaguePolicy) -> dict[str, np.ndarray]:
    """Copies of the policy network's weights under the names of a model folder (models/folder.py)."""
    arrays = _arrays(policy_layers(policy))
    residual = getattr(policy.action_net, "residual", None)
    if residual is not None:
        arrays["policy.residual"] = residual.detach().cpu().numpy().copy()
    return arrays


def _arrays(layers: dict[str, nn.Linear]) -> dict[str, np.ndarray]:
    arrays = {}
    for name, layer in layers.items():
        arrays[f"{name}.weight"] = layer.weight.detach().cpu().numpy().copy()
        arrays[f"{name}.bias"] = layer.bias.detach().cpu().numpy().copy()
    return arrays
