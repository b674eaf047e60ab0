"""Defines Space Mission's PPO networks in torch, with weights shared by planets and cards.

`policy/network.py` of the agents runs the same networks in compiled code and documents them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from spacemission_agents.games.space_mission.policy import inputs as p
from spacemission_agents.games.space_mission.policy import network
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_train.ppo.networks import Networks, ResidualHead, dense_layers, named_layers
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


class Latent(NamedTuple):
    """The input of the last layer."""

    hidden: torch.Tensor  # the last hidden layer, (n, width)
    planets: torch.Tensor  # embedding of each planet, (n, 8, planets)
    pairs: torch.Tensor  # embedding of each pair of card and planet, (n, 5, 8, cards)


class PartNetworks(Networks):
    """Networks with shared weights for all planets, all cards, and all pairs of both."""

    one_trunk = True

    def make_layers(self, form: Form) -> None:
        """Make the layers; SB3 initialises them in this order."""
        self.form = form
        shapes = network.part_shapes(form.planets, form.cards)
        self.parts = nn.ModuleDict({name: nn.Linear(wide, out) for name, (out, wide) in shapes.items()})
        self.policy_net = dense_layers(network.first_width(form.card()), form.hidden)
        unseen = p.HIDDEN_SIZE if form.full_critic else 0
        self.value_net = dense_layers(form.hidden[-1] + unseen, form.hidden[-1:])

    def forward(self, x: torch.Tensor) -> tuple[Latent, torch.Tensor]:
        """The results of `forward_actor` and `forward_critic`, with the shared layers computed once."""
        latent = self.forward_actor(x)
        return latent, self._judged(latent, x)

    def forward_actor(self, x: torch.Tensor) -> Latent:
        """The input of the policy's last layer, without hidden information."""
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))  # otherwise each layer would convert it again
        game, planets = (
            x[:, : p.GAME_SIZE],
            x[:, p.GAME_SIZE : p.RING_SIZE].reshape(-1, c.RING, p.PLANET_SIZE),
        )
        hand = game[:, p.HAND_PLACE : p.HAND_PLACE + c.SLOTS * c.CARD_FEATURES].reshape(
            -1, c.SLOTS, c.CARD_FEATURES
        )
        cards, meeting = self.parts["card"](hand), self.parts["pair"](planets)
        pairs = torch.relu_(cards[:, :, None] + meeting[:, None])
        both = torch.cat([torch.relu(self.parts["planet"](planets)), pairs.sum(1)], 2)
        read = torch.relu(self.parts["place"](both))
        return Latent(self.policy_net(torch.cat([game, read.flatten(1)], 1)), read, pairs)

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden)."""
        return self._judged(self.forward_actor(x), x)

    def _judged(self, latent: Latent, x: torch.Tensor) -> torch.Tensor:
        return self.value_net(torch.cat([latent.hidden, x[:, p.RING_SIZE :]], 1))

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """The policy's last layer, in place of `linear`."""
        return MovesHead(self.form)

    def policy_layers(self, last: nn.Module) -> dict[str, nn.Linear]:
        """The policy's layers by their names in a model folder."""
        parts: Any = {f"policy.{name}": part for name, part in self.parts.items()}
        return parts | named_layers("policy", None, self.policy_net, last)


class MovesHead(nn.Module):
    """The policy's last layer: a move's logit uses the embeddings of its cards and planets."""

    subsets: torch.Tensor
    couples: torch.Tensor

    def __init__(self, form: Form) -> None:
        """`form`: form of the networks."""
        super().__init__()
        self.linear = nn.Linear(form.hidden[-1], network.last_width(form.planets, form.cards))
        self.sizes = [
            c.ACTION_COUNT,
            *[form.planets] * network.PLANET_QUERIES,
            *[form.cards] * network.CARD_QUERIES,
        ]
        nn.init.orthogonal_(self.linear.weight, 0.01)
        nn.init.zeros_(self.linear.bias)
        bits = torch.arange(1 << c.SLOTS)[None] >> torch.arange(c.SLOTS)[:, None] & 1
        couples = torch.tensor([[float(i in pair) for pair in c.DEVELOP_PAIRS] for i in range(c.SLOTS)])
        self.register_buffer("subsets", bits.float(), persistent=False)
        self.register_buffer("couples", couples, persistent=False)

    def forward(self, latent: Latent) -> torch.Tensor:
        """Logits (n, actions)."""
        own, *queries = self.linear(latent.hidden).split(self.sizes, 1)
        # All products with queries, needed or not, because two large products are fast.
        of_planet = torch.bmm(latent.planets, torch.stack(queries[: network.PLANET_QUERIES], 2))
        of_pair = torch.bmm(latent.pairs.flatten(1, 2), torch.stack(queries[network.PLANET_QUERIES :], 2))
        there, flying = of_planet.unbind(2)
        goes, plays, jumping, scanning, developing = of_pair.unflatten(1, (c.SLOTS, c.RING)).unbind(3)
        goes, plays = goes.mean(2), plays.mean(2)
        said = {
            c.TOP_UP: goes @ self.subsets.to(goes.dtype),
            c.JUMP: (jumping + there[:, None] + plays[:, :, None]).flatten(1),
            c.FLY_NEXT: torch.stack([flying[:, 1], flying[:, -1]], 1),
            c.SCAN: plays + scanning[:, :, 0],
            c.DEVELOP: (plays + developing[:, :, 0]) @ self.couples.to(plays.dtype),
        }
        assert list(said) == sorted(said)
        together = torch.cat(list(said.values()), 1)
        return own + functional.pad(together, (0, c.ACTION_COUNT - together.shape[1]))


def networks_of(form: Form) -> Networks:
    """Make networks of a form."""
    return PartNetworks(form) if form.cards else PlanetNetworks(form)
