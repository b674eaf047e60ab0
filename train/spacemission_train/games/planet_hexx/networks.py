"""Builds the PyTorch networks that score each considered move with the same weights."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import nn
from torch.nn import functional

from spacemission_agents.games.planet_hexx.policy import inputs as p
from spacemission_agents.games.planet_hexx.policy.network import PARTS, VALUE_SIZE
from spacemission_train.ppo.networks import Networks, dense_layers, named_layers
from spacemission_train.settings.settings import Form

SHARPNESS = 120.0  # initial factor of the ratings: a move rated 1 / 120 higher is e times as likely


def make_networks(form: Form) -> Networks:
    """Make networks of a form."""
    return MoveNetworks(form) if form.input == p.INPUTS[p.RATED] else Networks(form)


class MoveNetworks(Networks):
    """Networks that read each considered move with the same weights."""

    def make_layers(self, form: Form) -> None:
        """Make the layers; SB3 initialises them in this order."""
        first = form.hidden[0]
        self.parts = nn.ModuleDict({name: nn.Linear(size, first) for name, size in PARTS.items()})
        self.policy_net = dense_layers(first, form.hidden[1:])
        self.value_net = dense_layers(VALUE_SIZE, form.hidden)

    def forward_actor(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Last hidden layer of each of m moves (m, hidden); the moves' places (m,); ratings (n, MOVES)."""
        moves = x[:, : p.COUNT_AT].reshape(-1, p.MOVES, p.MOVE_SIZE)
        there = torch.arange(p.MOVES, device=x.device) < x[:, p.COUNT_AT, None]
        places = there.flatten().nonzero()[:, 0]
        given = moves.reshape(-1, p.MOVE_SIZE)[places]
        base = self.parts["position"](x[:, p.POSITION_AT : p.ABOUT_AT]) + self._card(
            "about", x[:, p.ABOUT_AT]
        )
        first = self.parts["move"](given[:, : p.MOVE_NUMBERS]) + self._card("card", given[:, p.CARD_AT])
        first = torch.relu(first + base[places // p.MOVES])
        return self.policy_net(first), places, moves[:, :, p.RATING]

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, hidden), from the position and the best move's afterstate."""
        return self.value_net(torch.cat([x[:, p.POSITION_AT : p.ABOUT_AT], x[:, : p.MOVE_NUMBERS]], 1))

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """A layer that gives one number for each move, which is added to its rating."""
        for name in ("card", "about"):  # at first all cards are alike
            nn.init.zeros_(self._part(name).weight)
        return MoveHead(self.latent_dim_pi)

    def policy_layers(self, last: nn.Module) -> dict[str, nn.Linear]:
        """The policy's layers by their names in a model folder."""
        parts: Any = {f"policy.{name}": part for name, part in self.parts.items()}
        return parts | named_layers("policy", None, self.policy_net, last)

    def _part(self, name: str) -> nn.Linear:
        return cast(nn.Linear, self.parts[name])

    def _card(self, name: str, kinds: torch.Tensor) -> torch.Tensor:
        # The embeddings of card kinds from 1; kind 0, no card, has the embedding 0.
        part = self._part(name)
        table = torch.cat([part.weight.new_zeros(len(part.weight), 1), part.weight], 1).t()
        return functional.embedding(kinds.long(), table) + part.bias


class MoveHead(nn.Module):
    """A policy's last layer: each move's logit is one number plus its rating times a learnt factor."""

    def __init__(self, width: int) -> None:
        """`width`: width of the last hidden layer. The weights start at 0, so at first the ratings decide."""
        super().__init__()
        self.linear = nn.Linear(width, 1)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)
        self.residual = nn.Parameter(torch.tensor([SHARPNESS]))

    def forward(self, given: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Logits (n, MOVES) from the results of `MoveNetworks.forward_actor`."""
        latent, places, ratings = given
        logits = (self.residual * ratings).flatten()
        return logits.index_add(0, places, self.linear(latent)[:, 0].to(logits.dtype)).reshape(ratings.shape)
