"""Networks of Space Mission for PPO in torch: planets, and with `cards` cards, read by shared weights.

`policy/network.py` of the agents runs the same networks in compiled code, and says how moves are given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from spacemission_agents.games.space_mission.policy.inputs import (
    GAME_SIZE,
    HAND_PLACE,
    HIDDEN_GAME,
    HIDDEN_PLANET,
    HIDDEN_SIZE,
    INPUTS,
    PLANET_SIZE,
    RATED,
    RING_SIZE,
    SIZES,
)
from spacemission_agents.games.space_mission.policy.network import (
    CARD_QUERIES,
    PLANET_QUERIES,
    first_width,
    last_width,
    part_shapes,
    planet_width,
)
from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    CARD_FEATURES,
    DEVELOP,
    DEVELOP_PAIRS,
    FLY_NEXT,
    JUMP,
    RING,
    SCAN,
    SLOTS,
    TOP_UP,
)
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


class Latent(NamedTuple):
    """What the last layer needs."""

    hidden: torch.Tensor  # the last hidden layer, (n, width)
    planets: torch.Tensor  # what each planet is read as, (n, 8, planets)
    pairs: torch.Tensor  # what each pair of card and planet is read as, (n, 5, 8, cards)


class PartNetworks(nn.Module):
    """Policy and critic up to their last hidden layers: SB3's `mlp_extractor`."""

    one_trunk = True

    def __init__(self, form: Form) -> None:
        """Layers are initialised by SB3."""
        super().__init__()
        self.form = form
        shapes = part_shapes(form.planets, form.cards)
        self.parts = nn.ModuleDict({name: nn.Linear(wide, out) for name, (out, wide) in shapes.items()})
        self.policy_net = dense_layers(first_width(form.card()), form.hidden)
        unseen = HIDDEN_SIZE if form.full_critic else 0
        self.value_net = dense_layers(form.hidden[-1] + unseen, form.hidden[-1:])
        self.latent_dim_pi = self.latent_dim_vf = form.hidden[-1]

    def forward(self, x: torch.Tensor) -> tuple[Latent, torch.Tensor]:
        """Both, from inputs (n, size); what they share is computed once."""
        latent = self.forward_actor(x)
        return latent, self._judged(latent, x)

    def forward_actor(self, x: torch.Tensor) -> Latent:
        """What the policy's last layer needs; it reads nothing of what the seat cannot see."""
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))  # once, not for each layer that reads it
        game, planets = x[:, :GAME_SIZE], x[:, GAME_SIZE:RING_SIZE].reshape(-1, RING, PLANET_SIZE)
        hand = game[:, HAND_PLACE : HAND_PLACE + SLOTS * CARD_FEATURES].reshape(-1, SLOTS, CARD_FEATURES)
        cards, meeting = self.parts["card"](hand), self.parts["pair"](planets)
        pairs = torch.relu_(cards[:, :, None] + meeting[:, None])
        both = torch.cat([torch.relu(self.parts["planet"](planets)), pairs.sum(1)], 2)
        read = torch.relu(self.parts["place"](both))
        return Latent(self.policy_net(torch.cat([game, read.flatten(1)], 1)), read, pairs)

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden)."""
        return self._judged(self.forward_actor(x), x)

    def _judged(self, latent: Latent, x: torch.Tensor) -> torch.Tensor:
        return self.value_net(torch.cat([latent.hidden, x[:, RING_SIZE:]], 1))

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """The policy's last layer, in place of `linear`."""
        return MovesHead(self.form)

    def policy_layers(self, last: nn.Module) -> dict[str, nn.Linear]:
        """The policy's layers by their names in a model folder."""
        parts: Any = {f"policy.{name}": part for name, part in self.parts.items()}
        return parts | named_layers("policy", None, self.policy_net, last)

    def value_layers(self, last: nn.Linear) -> dict[str, nn.Linear]:
        """The critic's, behind the policy's."""
        return named_layers("value", None, self.value_net, last)

    @staticmethod
    def widened(weight: torch.Tensor, narrow: int, wide: int) -> torch.Tensor:
        """Only networks of the same widths are started from."""
        return weight


class MovesHead(nn.Module):
    """The last layer, and the moves said by what they are about."""

    subsets: torch.Tensor
    couples: torch.Tensor

    def __init__(self, form: Form) -> None:
        """`form`: of the networks."""
        super().__init__()
        self.linear = nn.Linear(form.hidden[-1], last_width(form.planets, form.cards))
        self.sizes = [ACTION_COUNT, *[form.planets] * PLANET_QUERIES, *[form.cards] * CARD_QUERIES]
        nn.init.orthogonal_(self.linear.weight, 0.01)
        nn.init.zeros_(self.linear.bias)
        bits = torch.arange(1 << SLOTS)[None] >> torch.arange(SLOTS)[:, None] & 1
        couples = torch.tensor([[float(i in pair) for pair in DEVELOP_PAIRS] for i in range(SLOTS)])
        self.register_buffer("subsets", bits.float(), persistent=False)
        self.register_buffer("couples", couples, persistent=False)

    def forward(self, latent: Latent) -> torch.Tensor:
        """Logits (n, actions)."""
        own, *queries = self.linear(latent.hidden).split(self.sizes, 1)
        # Every product with a query, asked for or not, in two multiplications.
        of_planet = torch.bmm(latent.planets, torch.stack(queries[:PLANET_QUERIES], 2))
        of_pair = torch.bmm(latent.pairs.flatten(1, 2), torch.stack(queries[PLANET_QUERIES:], 2))
        there, flying = of_planet.unbind(2)
        goes, plays, jumping, scanning, developing = of_pair.unflatten(1, (SLOTS, RING)).unbind(3)
        goes, plays = goes.mean(2), plays.mean(2)
        said = {
            TOP_UP: goes @ self.subsets.to(goes.dtype),
            JUMP: (jumping + there[:, None] + plays[:, :, None]).flatten(1),
            FLY_NEXT: torch.stack([flying[:, 1], flying[:, -1]], 1),
            SCAN: plays + scanning[:, :, 0],
            DEVELOP: (plays + developing[:, :, 0]) @ self.couples.to(plays.dtype),
        }
        assert list(said) == sorted(said)
        together = torch.cat(list(said.values()), 1)
        return own + functional.pad(together, (0, ACTION_COUNT - together.shape[1]))


def networks_of(form: Form) -> nn.Module:
    """The networks of a form of this game."""
    return PartNetworks(form) if form.cards else PlanetNetworks(form)
