"""Learns the value of afterstates by TD(lambda) from its own games (Sutton 1988; Tesauro 1995).

The first output of the network is the logit of the seat's win share; play uses only this output. The other
outputs are auxiliary targets, which speed up learning.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import cast

import numpy as np
import torch
from torch import nn

from spacemission_train.run.mean_weights import mean_weights
from spacemission_train.run.progress import Row
from spacemission_train.settings.settings import Settings
from spacemission_train.td.games import SelfPlay
from spacemission_train.td.network import Value

OTHERS_WEIGHT = 0.3  # of the squared errors of the other outputs, in the loss
LARGEST_GRADIENT = 1.0
FIRST = 16  # batches of positions in the buffer before learning begins


class Learner:
    """Games, network and optimizer of a run.

    Attributes:
        games: the self-play games.
        network: the network that learns.
        mean: the mean of its weights, or None.
        steps: decisions so far.
        updates: updates of the network so far.
        loss: running mean of the cross entropy of the win share; None before the first update.
    """

    def __init__(self, settings: Settings, games: SelfPlay) -> None:
        """Make the network with the seed of the settings."""
        self.settings, self.games = settings, games
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng([settings.seed, 0x7D])
        self.network = games.network(settings)
        self.mean = mean_weights(self.network, settings.average)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
        self.steps = self.updates = 0
        self.loss: float | None = None
        self._due = 0.0
        self._beside = ThreadPoolExecutor(1)

    def advance(self, fraction: float) -> None:
        """Play and learn; `fraction` is the part of the run that is done."""
        of = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = of.falling("learning_rate", fraction)
        if of.overlap_rollouts:
            batches = self._batches()  # drawn before the games begin, so that timing changes nothing
            playing = self._beside.submit(self.games.play, self.player().arrays())
            for batch in batches:
                self._update(*batch)
            played, new = playing.result()
        else:
            played, new = self.games.play(self.player().arrays())
        self.steps += played
        self._due += new * of.epochs / of.batch_size
        if not of.overlap_rollouts:
            for batch in self._batches():
                self._update(*batch)

    @property
    def outcome(self) -> Value:
        """The network that a run saves: with the mean weights if they are kept, else the present one."""
        return self.network if self.mean is None else cast(Value, self.mean.module)

    def player(self) -> Value:
        """The network that plays the games: `outcome`, because a value without noise plays better."""
        return self.outcome

    def figures(self) -> Row:
        """The columns of progress.csv."""
        loss = None if self.loss is None else round(self.loss, 4)
        return {"value_loss": loss, "rounds": round(self.games.rounds, 1)}

    def close(self) -> None:
        """Stop all threads."""
        self._beside.shutdown()
        self.games.close()

    def _batches(self) -> list[tuple[torch.Tensor, ...]]:
        # The batches that are due for the positions played since the last call.
        size = self.settings.batch_size
        if self.games.filled < FIRST * size:
            return []
        due, self._due = int(self._due), self._due % 1
        return [self.games.sample(self.rng, size) for _ in range(due)]

    def _update(self, *batch: torch.Tensor) -> None:
        loss = self._loss(*batch)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.updates += 1
        if self.mean is not None:
            self.mean.update_parameters(self.network)

    def _loss(self, *batch: torch.Tensor) -> torch.Tensor:
        x, y = batch
        return self._value_loss(self.network(x), y)

    def _value_loss(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], y[:, 0])
        others = ((outputs[:, 1:] - y[:, 1:]) ** 2).mean() if outputs.shape[1] > 1 else 0.0
        self.loss = running_mean(self.loss, loss)
        return loss + OTHERS_WEIGHT * others


def running_mean(mean: float | None, new: torch.Tensor) -> float:
    """The running mean of a figure over about a hundred updates."""
    now = float(new.detach())
    return now if mean is None else 0.99 * mean + 0.01 * now
