"""Lets PPO judge the afterstate of each legal move, for any game (input `afterstate_policy`).

The same layers give each move a logit from the features of the position after it, as the value method does.
So nothing has to be learnt about the numbers of actions. An action of the network is the place of a move
among the legal moves. The critic reads the mean and the maximum of the last hidden layer over the moves.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from spacemission_agents.afterstates.moves import WORLD_STREAM, Afterstates, find_afterstates
from spacemission_agents.afterstates.network import GROUP
from spacemission_env.core.batch import with_globals
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.rng import hash63, seed_rng
from spacemission_train.ppo.networks import Networks
from spacemission_train.self_play.table import GameTable, View
from spacemission_train.settings.settings import Form
from spacemission_train.td import games as td_games
from spacemission_train.td.games import leave_out
from spacemission_train.td.network import Value

MOST_MOVES = 32  # with more legal moves, a decision offers a random choice of this many
FIRST = GROUP  # index of the first afterstate in an input, behind the number of moves
CHOICE_STREAM = 0xC401  # stream of the random choice


def read_batch(states, parameters, index, most, scratch, dice, moves, inputs):
    """Write the moves int64 (n, most) of the seats to act and their afterstates into inputs, uint8 (n, size).

    With hidden information one determinization answers all moves of a decision.
    """
    t = parameters[0]
    for n in range(len(index)):
        s = states[index[n]]
        seat, key, x, count = int(s.player), decision_key(s), inputs[n], 0
        write_mask(s, t, seat, scratch.mask)
        seed_rng(dice[0], hash63(key, 0, CHOICE_STREAM))
        leave_out(dice, most, scratch.mask)
        scratch.worlds[0] = s
        if WORLDS > 1:
            determinize(s, t, seat, 1, hash63(key, 0, WORLD_STREAM), scratch.worlds)
        for action in range(len(scratch.mask)):
            if scratch.mask[action]:
                scratch.tried[0] = scratch.worlds[0]
                w = scratch.tried[0]
                pending = begin_move(w, t, action)
                at = FIRST + count * SIZE
                write_features(w, t, seat, pending, scratch.seen, scratch.means, x[at : at + SIZE])
                moves[n, count] = action
                count += 1
        x[0] = count


def _unbound(*_: object) -> int:
    raise NotImplementedError("of the game")


decision_key = write_mask = determinize = begin_move = write_features = _unbound  # as in core/batch.py
WORLDS = SIZE = 0


@lru_cache(maxsize=64)
def bind_reader(of: Afterstates) -> Callable[..., None]:
    """Compile `read_batch` for a game."""
    names = {**globals(), **of.names, "SIZE": of.features.size}
    decorate = make_njit(of.njit, td_games.njit, Path(__file__))
    template: Any = read_batch
    read: Callable[..., None] = decorate(with_globals(template, f"{__name__}.{of.name}", names))
    return read


class AfterstateView(View):
    """Shows the afterstate of each legal move; an action is the place of a move."""

    def __init__(self, table: GameTable, form: Form, augment: bool = False) -> None:
        """`form` and `augment` have no effect here."""
        of = find_afterstates(table.spec)
        self.table, self.action_count = table, min(MOST_MOVES, table.action_count)
        size = FIRST + self.action_count * of.features.size
        self.space = spaces.Box(0, 255, (size,), np.uint8)
        self._read, self._scratch, self._dice = bind_reader(of), of.new_scratch(), table.spec.new_states(1)
        self._moves = np.zeros((table.count, self.action_count), np.int64)
        self._counts = np.ones(table.count, np.int64)

    def read(
        self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """New arrays of inputs uint8 (n, size) and of masks int8 (n, moves) of places with a move."""
        inputs, moves = self._empty(len(index)), np.zeros((len(index), self.action_count), np.int64)
        states, parameters = self.table.states, self.table.template.parameters
        self._read(states, parameters, index, self.action_count, self._scratch, self._dice, moves, inputs)
        self._moves[index], self._counts[index] = moves, inputs[:, 0]
        return inputs, (np.arange(self.action_count) < inputs[:, :1]).astype(np.int8)

    def read_seats(self, index: np.ndarray, seats: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
        """Zeros, because a seat that does not decide has no moves."""
        return self._empty(len(index))

    def _empty(self, count: int) -> np.ndarray:
        return np.zeros((count, *self.space.shape), np.uint8)

    def own_actions(self, actions: np.ndarray) -> np.ndarray:
        """The game's moves at the chosen places, for all games: int64 (count,); -1 for an empty place."""
        inside = actions.clip(0, self.action_count - 1)
        there = (actions == inside) & (actions < self._counts)
        return np.where(there, self._moves[np.arange(len(actions)), inside], -1)

    def turned_actions(self, actions: np.ndarray) -> np.ndarray:
        """The places of the game's moves, for all games; 0 if a move is not offered."""
        return (self._moves == actions[:, None]).argmax(1)


class AfterstateNetworks(Networks):
    """Networks that judge each afterstate with the same weights."""

    one_trunk = True

    def make_layers(self, form: Form) -> None:
        """Make the layers; SB3 initialises them in this order."""
        self.of = find_afterstates(find_game(form.game)).features
        self.value = Value(self.of, form)

    def __init__(self, form: Form) -> None:
        """Make the networks of a form."""
        super().__init__(form)
        self.latent_dim_vf = 2 * form.hidden[-1]

    def forward(self, x: torch.Tensor) -> tuple[tuple[torch.Tensor, torch.Tensor], torch.Tensor]:
        """The results of `forward_actor`, and the mean and the maximum of its first over the moves."""
        latent, there = self.forward_actor(x)
        rows = there.nonzero()[:, 0]
        each = latent.new_zeros(len(x), latent.shape[1])
        mean = each.index_add(0, rows, latent) / there.sum(1, keepdim=True).clamp(min=1)
        most = each.scatter_reduce(0, rows[:, None].expand_as(latent), latent, "amax")
        return (latent, there), torch.cat([mean, most], 1)

    def forward_actor(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The last hidden layer of each of m moves (m, hidden), and where there is one, bool (n, moves)."""
        each = x[:, FIRST:].view(len(x), -1, self.of.size)
        there = torch.arange(each.shape[1], device=x.device) < x[:, :1]
        return self.value.hidden(each[there]), there

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """The critic's last hidden layer (n, 2 hidden)."""
        return self.forward(x)[1]

    def last_layer(self, linear: nn.Linear) -> nn.Module:
        """A layer that gives one number for each move; at first all moves are equally likely."""
        nn.init.zeros_(self.value.outputs.weight)
        nn.init.zeros_(self.value.outputs.bias)
        return AfterstateHead(self.value.outputs)

    def parameters_of(self, last: nn.Module) -> list[nn.Parameter]:
        """The policy's parameters."""
        return list(self.value.parameters())

    def arrays(self, last: nn.Module) -> dict[str, np.ndarray]:
        """The policy's tensors of a model folder."""
        return self.value.arrays()

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Load the policy's tensors of a model folder."""
        self.value.set_arrays(arrays)


class AfterstateHead(nn.Module):
    """A policy's last layer: the first output of each afterstate is the logit of its move."""

    def __init__(self, outputs: nn.Linear) -> None:
        super().__init__()
        self.linear = outputs

    def forward(self, given: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Logits (n, moves) from the result of `AfterstateNetworks.forward_actor`; 0 without a move."""
        latent, there = given
        logits = latent.new_zeros(there.shape)
        return logits.masked_scatter(there, self.linear(latent)[:, 0].to(logits.dtype))
