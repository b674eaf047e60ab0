"""Defines Space Mission's PPO networks in torch, with weights shared by planets.

`policy/network.py` of the agents runs the same networks in compiled code.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from spacemission_agents.games.space_mission.policy import inputs as p
from spacemission_agents.games.space_mission.policy import network
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_train.ppo.networks import Networks, ResidualHead, dense_layers
from spacemission_train.settings.settings import Form


class PlanetNetworks(Networks):
    """Networks that read each planet with the same weights."""

    def make_layers(self, form: Form) -> None:
        """Make the layers; SB3 initialises them in this order."""
        self.seen, self.rated = p.SIZES[form.input], form.input == p.INPUTS[p.RATED]
        card = {**form.card(), "value": {"full": form.full_critic}}
        self.policy_planet = nn.Linear(p.PLANET_SIZE, form.planets) if form.planets else None
        of_planet = network.planet_width(card, "value")
        self.value_planet = nn.Linear(of_planet, form.planets) if form.planets else None
        self.policy_net = dense_layers(network.first_width(card), form.hidden)
        self.value_net = dense_layers(network.first_width(card, "value"), form.hidden)

    def forward_actor(self, x: torch.Tensor) -> torch.Tensor:
        """The policy's last hidden layer (n, hidden), without hidden information."""
        seen = x[:, : self.seen]
        if self.policy_planet is not None:
            parts = (
                seen[:, : p.GAME_SIZE],
                _by_planet(self.policy_planet, _planets(seen)),
                seen[:, p.RING_SIZE :],
            )
            latent = self.policy_net(torch.cat(parts, 1))
        else:
            latent = self.policy_net(seen)
        return torch.cat([latent, x[:, p.RING_SIZE : self.seen]], 1) if self.rated else latent

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden)."""
        if self.value_planet is None:
            return self.value_net(x)
        seen, hidden = x[:, : self.seen], x[:, self.seen :]
        planets = _planets(seen)
        if hidden.shape[1]:
            planets = torch.cat([planets, hidden[:, p.HIDDEN_GAME :].reshape(-1, c.RING, p.HIDDEN_PLANET)], 2)
        parts = seen[:, : p.GAME_SIZE], _by_planet(self.value_planet, planets), seen[:, p.RING_SIZE :]
        return self.value_net(torch.cat([*parts, hidden[:, : p.HIDDEN_GAME]], 1))

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """A layer that adds the ratings, if the input has them."""
        return ResidualHead(linear) if self.rated else linear

    @staticmethod
    def widened(weight: torch.Tensor, narrow: int, wide: int) -> torch.Tensor:
        """Pad the first layer's weights with zeros, from `narrow` to `wide` numbers per planet."""
        sizes = [p.GAME_SIZE, c.RING * narrow, weight.shape[1] - p.GAME_SIZE - c.RING * narrow]
        game, planets, behind = weight.split(sizes, 1)
        planets = functional.pad(planets.reshape(-1, c.RING, narrow), (0, wide - narrow)).flatten(1)
        return torch.cat([game, planets, behind], 1)


def _planets(seen: torch.Tensor) -> torch.Tensor:
    return seen[:, p.GAME_SIZE : p.RING_SIZE].reshape(-1, c.RING, p.PLANET_SIZE)


def _by_planet(layer: nn.Linear, planets: torch.Tensor) -> torch.Tensor:
    return torch.relu(layer(planets)).flatten(1)
