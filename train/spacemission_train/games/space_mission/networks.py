"""Networks that read Space Mission planet by planet, with the same weights for all planets."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from spacemission_agents.games.space_mission.hidden_inputs import HIDDEN_GAME, HIDDEN_PLANET
from spacemission_agents.games.space_mission.inputs import (
    GAME_SIZE,
    INPUTS,
    PLANET_SIZE,
    RATED,
    RING_SIZE,
    SIZES,
)
from spacemission_agents.games.space_mission.network import first_width, planet_width
from spacemission_env.games.space_mission.engine.constants import RING
from spacemission_train.ppo.networks import ResidualHead, dense_layers, named_layers
from spacemission_train.settings.settings import Form


class PlanetNetworks(nn.Module):
    """Policy and critic up to their last hidden layers: SB3's `mlp_extractor`."""

    one_trunk = False

    def __init__(self, form: Form) -> None:
        """Layers are initialised by SB3."""
        super().__init__()
        self.seen, self.rated = SIZES[form.input], form.input == INPUTS[RATED]
        card = {**form.card(), "value": {"full": form.full_critic}}
        self.policy_planet = nn.Linear(PLANET_SIZE, form.planets) if form.planets else None
        of_planet = planet_width(card, "value")
        self.value_planet = nn.Linear(of_planet, form.planets) if form.planets else None
        self.policy_net = dense_layers(first_width(card), form.hidden)
        self.value_net = dense_layers(first_width(card, "value"), form.hidden)
        self.latent_dim_pi = self.latent_dim_vf = form.hidden[-1]

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Both, from inputs (n, size)."""
        return self.forward_actor(x), self.forward_critic(x)

    def forward_actor(self, x: torch.Tensor) -> torch.Tensor:
        """The policy's last hidden layer (n, hidden); it reads nothing of what the seat cannot see."""
        seen = x[:, : self.seen]
        if self.policy_planet is not None:
            parts = seen[:, :GAME_SIZE], _by_planet(self.policy_planet, _planets(seen)), seen[:, RING_SIZE:]
            latent = self.policy_net(torch.cat(parts, 1))
        else:
            latent = self.policy_net(seen)
        return torch.cat([latent, x[:, RING_SIZE : self.seen]], 1) if self.rated else latent

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden)."""
        if self.value_planet is None:
            return self.value_net(x)
        seen, hidden = x[:, : self.seen], x[:, self.seen :]
        planets = _planets(seen)
        if hidden.shape[1]:
            planets = torch.cat([planets, hidden[:, HIDDEN_GAME:].reshape(-1, RING, HIDDEN_PLANET)], 2)
        parts = seen[:, :GAME_SIZE], _by_planet(self.value_planet, planets), seen[:, RING_SIZE:]
        return self.value_net(torch.cat([*parts, hidden[:, :HIDDEN_GAME]], 1))

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """With the input `rated` the ratings are added."""
        return ResidualHead(linear) if self.rated else linear

    def policy_layers(self, last: nn.Module) -> dict[str, nn.Linear]:
        """The policy's layers by their names in a model folder."""
        return named_layers("policy", self.policy_planet, self.policy_net, last)

    def value_layers(self, last: nn.Linear) -> dict[str, nn.Linear]:
        """The critic's."""
        return named_layers("value", self.value_planet, self.value_net, last)

    @staticmethod
    def widened(weight: torch.Tensor, narrow: int, wide: int) -> torch.Tensor:
        """A first layer reading `narrow` numbers of each planet, as one of `wide` that ignores the new."""
        sizes = [GAME_SIZE, RING * narrow, weight.shape[1] - GAME_SIZE - RING * narrow]
        game, planets, behind = weight.split(sizes, 1)
        planets = functional.pad(planets.reshape(-1, RING, narrow), (0, wide - narrow)).flatten(1)
        return torch.cat([game, planets, behind], 1)


def _planets(seen: torch.Tensor) -> torch.Tensor:
    return seen[:, GAME_SIZE:RING_SIZE].reshape(-1, RING, PLANET_SIZE)


def _by_planet(layer: nn.Linear, planets: torch.Tensor) -> torch.Tensor:
    return torch.relu(layer(planets)).flatten(1)
