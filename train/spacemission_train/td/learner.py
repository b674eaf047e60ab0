"""Learns the value of afterstates from games that it plays (Sutton 1988; Tesauro 1995).

The network's first output is the logit of the own share of the win, by which moves are chosen; the others are
learnt only so that it learns sooner what matters.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from spacemission_train.settings.settings import Form, Settings

OTHERS_WEIGHT = 0.3  # of the squared errors of the other outputs, beside the cross entropy of the share
LARGEST_GRADIENT = 1.0
FIRST = 16  # batches of positions that there have to be before anything is learnt

Batch = tuple[torch.Tensor, torch.Tensor]  # positions (size, …), targets float32 (size, outputs)


class ValueGames(Protocol):
    """Games of a value against itself; `GameTraining.values` of a game names the class."""

    games: int  # that have ended
    rounds: float  # of those that ended last, the mean

    def network(self, form: Form) -> Any:
        """An `nn.Module` from positions to outputs, with `arrays`, `set_arrays`, `set_ensemble`."""

    def play(self, arrays: dict[str, np.ndarray]) -> tuple[int, int]:
        """Play on with these weights; how many decisions, and how many positions have got their target."""

    @property
    def filled(self) -> int:
        """Positions that can be learnt from."""

    def sample(self, rng: np.random.Generator, size: int) -> Batch:
        """Positions (size, …) and targets float32 (size, outputs), drawn at random."""

    def close(self) -> None:
        """End what it has started."""


class Learner:
    """Games, network and optimizer of a run.

    Attributes:
        games: the `ValueGames`.
        network: as it is learnt.
        steps: decisions so far.
        updates: of the network so far.
        loss: cross entropy of the share, its running mean; None before the first update.
    """

    def __init__(self, settings: Settings, games: ValueGames) -> None:
        """Make the network, by the seed of the settings."""
        self.settings, self.games = settings, games
        torch.manual_seed(settings.seed)
        self.rng = np.random.default_rng([settings.seed, 0x7D])
        self.network = games.network(settings.form)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
        self.steps = self.updates = 0
        self.loss: float | None = None
        self._due = 0.0
        self._beside = ThreadPoolExecutor(1)

    def advance(self, fraction: float) -> None:
        """Play on and learn; `fraction` of the run is done."""
        of = self.settings
        rate = of.learning_rate + (of.last_learning_rate - of.learning_rate) * fraction
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        if of.overlap_rollouts:
            batches = self._batches()  # drawn first, so that the run is the same however long the games take
            playing = self._beside.submit(self.games.play, self.network.arrays())
            for batch in batches:
                self._update(*batch)
            played, new = playing.result()
        else:
            played, new = self.games.play(self.network.arrays())
        self.steps += played
        self._due += new * of.epochs / of.batch_size
        if not of.overlap_rollouts:
            for batch in self._batches():
                self._update(*batch)

    def close(self) -> None:
        """End what it has started."""
        self._beside.shutdown()
        self.games.close()

    def _batches(self) -> list[Batch]:
        # As many as are due.
        size = self.settings.batch_size
        if self.games.filled < FIRST * size:
            return []
        due, self._due = int(self._due), self._due % 1
        return [self.games.sample(self.rng, size) for _ in range(due)]

    def _update(self, x: torch.Tensor, y: torch.Tensor) -> None:
        outputs = self.network(x)
        loss = nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], y[:, 0])
        others = ((outputs[:, 1:] - y[:, 1:]) ** 2).mean()
        self.optimizer.zero_grad()
        (loss + OTHERS_WEIGHT * others).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.updates += 1
        now = float(loss.detach())
        self.loss = now if self.loss is None else 0.99 * self.loss + 0.01 * now
