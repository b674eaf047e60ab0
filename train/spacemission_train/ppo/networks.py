"""Builds a run's networks as torch modules for SB3 and as tensors of a model folder."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn
from torch.nn import functional

from spacemission_env.core.game_spec import find_game
from spacemission_train.game_training import find_game_training
from spacemission_train.settings.settings import Form

FORBIDDEN = -1e9  # logit of an illegal action
RESIDUAL = 30.0  # at first a move is e times as likely as one that is rated a third of a point below it


class Networks(nn.Module):
    """Policy and critic up to their last hidden layers, reading the observation: SB3's `mlp_extractor`.

    A game with networks of its own gives a subclass.

    Attributes:
        policy_planet, value_planet: layers that read parts of the input with the same weights, or None.
        one_trunk: the critic goes on from the policy's layers; a model folder has no critic of its own.
        policy_net, value_net: the hidden layers.
    """

    one_trunk = False
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
        """Make the layers, in the order in which SB3 is to initialise them."""
        size = find_game(form.game).observation_size
        self.policy_net = dense_layers(size, form.hidden)
        self.value_net = dense_layers(size, form.hidden)

    def forward(self, x: torch.Tensor) -> tuple[Any, torch.Tensor]:
        """Both, from inputs (n, size)."""
        return self.forward_actor(x), self.forward_critic(x)

    def forward_actor(self, x: torch.Tensor) -> Any:
        """The policy's last hidden layer (n, hidden)."""
        return self.policy_net(x)

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden)."""
        return self.value_net(x)

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """What gives the logits of what `forward_actor` gives; `linear` would, and is initialised by SB3."""
        return linear

    def policy_layers(self, last: nn.Module) -> dict[str, nn.Linear]:
        """The policy's layers by their names in a model folder; `last`: see `last_layer`."""
        return named_layers("policy", self.policy_planet, self.policy_net, last)

    def value_layers(self, last: nn.Linear) -> dict[str, nn.Linear]:
        """The critic's."""
        return named_layers("value", self.value_planet, self.value_net, last)

    @staticmethod
    def widened(weight: torch.Tensor, narrow: int, wide: int) -> torch.Tensor:
        """A first hidden layer that reads `narrow` numbers of each part as one of `wide`; not with these."""
        return weight


def new_networks(form: Form) -> nn.Module:
    """The networks of a form, of its game's class."""
    training = find_game_training(form.game)
    built: nn.Module = training.load(training.networks, Networks)(form)
    return built


def dense_layers(width: int, hidden: tuple[int, ...]) -> nn.Sequential:
    """Hidden layers with relu behind each, from `width` numbers."""
    layers: list[nn.Module] = []
    for before, after in pairwise((width, *hidden)):
        layers += [nn.Linear(before, after), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


class LeaguePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor-critic with the networks of a `Form`.

    `fast`: multiply matrices in bfloat16; weights, logits and values stay float32.
    """

    def __init__(self, *args: Any, form: Form, **kwargs: Any) -> None:
        """`form`: of the networks; the rest as SB3 has it."""
        self.form = form
        self.fast = False
        super().__init__(*args, **kwargs)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n,), values (n, 1) and log probabilities (n,), without distribution objects of SB3."""
        logits, values = self.both(obs)
        allowed = torch.ones_like(logits) if action_masks is None else torch.as_tensor(action_masks)
        log_probs = masked_log_probs(logits, allowed.to(logits.device) == 0)
        # The largest of logits with Gumbel noise is a draw from their probabilities.
        noise = 0.0 if deterministic else torch.empty_like(log_probs).exponential_().log()
        actions = (log_probs - noise).argmax(1)
        return actions, values, log_probs.gather(1, actions[:, None])[:, 0]

    def both(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What policy and critic say: float32 (n, actions) before masking, and (n, 1)."""
        with self._precision(obs):
            latent, judged = self.mlp_extractor(obs)
            return self.action_net(latent).float(), self.value_net(judged).float()

    def logits(self, obs: torch.Tensor) -> torch.Tensor:
        """What the policy says before masking: float32 (n, actions)."""
        with self._precision(obs):
            return self.action_net(self.mlp_extractor.forward_actor(obs)).float()

    def predict_values(self, obs: Any) -> torch.Tensor:
        """What the critic says: float32 (n, 1)."""
        with self._precision(obs):
            return self.value_net(self.mlp_extractor.forward_critic(obs)).float()

    def _precision(self, obs: torch.Tensor) -> Any:
        return torch.autocast(obs.device.type, torch.bfloat16, enabled=self.fast)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = new_networks(self.form)  # type: ignore[assignment]

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        networks: Any = self.mlp_extractor
        first, self.action_net = self.action_net, networks.last_layer(self.action_net)
        learnt = {id(one) for group in self.optimizer.param_groups for one in group["params"]}
        added = [one for one in self.action_net.parameters() if id(one) not in learnt]
        if not set(map(id, first.parameters())) <= set(map(id, self.action_net.parameters())):
            make: Any = self.optimizer_class  # the layer that SB3 made is no part of the policy
            self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
        elif added:
            self.optimizer.add_param_group({"params": added})


def masked_log_probs(logits: torch.Tensor, forbidden: torch.Tensor) -> torch.Tensor:
    """Logarithms of the probabilities of all actions (n, actions); forbidden ones (bool) get none."""
    return functional.log_softmax(logits.masked_fill(forbidden, FORBIDDEN), 1)


class ResidualHead(nn.Module):
    """A policy's last layer that adds ratings of the moves, times a learnt number, to its logits."""

    def __init__(self, linear: nn.Linear) -> None:
        """`linear`: from the last hidden layer to logits; it begins with zeros: the ratings decide."""
        super().__init__()
        nn.init.zeros_(linear.weight)
        self.linear = linear
        self.residual = nn.Parameter(torch.tensor([RESIDUAL]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits (n, actions) from the last hidden layer and, behind it, the ratings."""
        width = self.linear.in_features
        return self.linear(x[:, :width]) + self.residual * x[:, width:]


def policy_layers(policy: Any) -> dict[str, nn.Linear]:
    """The layers of an SB3 policy from input to action logits, by their names in a model folder."""
    layers: dict[str, nn.Linear] = policy.mlp_extractor.policy_layers(policy.action_net)
    return layers


def policy_parameters(policy: Any) -> list[nn.Parameter]:
    """All that an SB3 policy's moves depend on."""
    residual = getattr(policy.action_net, "residual", None)
    layers = policy_layers(policy).values()
    return [p for layer in layers for p in layer.parameters()] + ([] if residual is None else [residual])


def named_layers(
    name: str, planet: nn.Linear | None, hidden: nn.Sequential, last: nn.Module
) -> dict[str, nn.Linear]:
    """Layers by their names in a model folder: one that parts share, hidden ones, the last."""
    last = getattr(last, "linear", last)
    layers = [layer for layer in (*hidden, last) if isinstance(layer, nn.Linear)]
    named = {f"{name}.{i}": layer for i, layer in enumerate(layers)}
    return named if planet is None else {f"{name}.planet": planet, **named}


def network_arrays(policy: Any) -> dict[str, np.ndarray]:
    """The weights for a model folder: the policy's and, where it stands by itself, the critic's."""
    networks = policy.mlp_extractor
    critic = {} if networks.one_trunk else critic_arrays(networks, policy.value_net)
    return policy_arrays(policy) | critic


def critic_arrays(networks: Any, last: nn.Linear) -> dict[str, np.ndarray]:
    """The critic's weights for a model folder; `last`: what its last hidden layer goes into."""
    return _arrays(networks.value_layers(last))


def policy_arrays(policy: Any) -> dict[str, np.ndarray]:
    """Copies of the policy network's weights under the names of a model folder (models/folder.py)."""
    arrays = _arrays(policy_layers(policy))
    if hasattr(policy.action_net, "residual"):
        arrays["policy.residual"] = policy.action_net.residual.detach().cpu().numpy().copy()
    return arrays


def _arrays(layers: dict[str, nn.Linear]) -> dict[str, np.ndarray]:
    arrays = {}
    for name, layer in layers.items():
        arrays[f"{name}.weight"] = layer.weight.detach().cpu().numpy().copy()
        arrays[f"{name}.bias"] = layer.bias.detach().cpu().numpy().copy()
    return arrays
