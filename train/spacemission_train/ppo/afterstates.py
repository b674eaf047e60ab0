"""Learns a policy over afterstates by PPO, and its critic by TD(lambda), for any game.

The input is that of the value method (td/). So nothing has to be learnt about the numbers of actions, and
the critic learns as a value does. PPO (Schulman et al. 2017) learns when to depart from it. The policy learns
only from the decisions with the largest advantages.
"""

from __future__ import annotations

import numpy as np
import torch

from spacemission_train.ppo.afterstate_games import PolicyGames
from spacemission_train.run.progress import Row
from spacemission_train.settings.settings import Settings
from spacemission_train.td.learner import FIRST, Learner, running_mean
from spacemission_train.td.network import Policy

NO_MOVE = -1e9  # logit of an empty place


class PolicyLearner(Learner):
    """Games, network and optimizer of a run of PPO over afterstates.

    Attributes:
        entropy: running mean of the entropy of the policy in the decisions learnt from, in nats.
    """

    games: PolicyGames
    network: Policy
    entropy: float | None = None

    def __init__(self, settings: Settings, games: PolicyGames) -> None:
        """See `Learner`."""
        super().__init__(settings, games)
        self._entropy_weight = settings.entropy

    def advance(self, fraction: float) -> None:
        """Play and learn; `fraction` is the part of the run that is done."""
        of = self.settings
        self._entropy_weight = of.falling("entropy", fraction)
        super().advance(fraction)

    def player(self) -> Policy:
        """The present network: PPO learns from the policy's own games."""
        return self.network

    def figures(self) -> Row:
        """The columns of progress.csv."""
        return {"entropy": None if self.entropy is None else round(self.entropy, 4), **super().figures()}

    def _batches(self) -> list[tuple[torch.Tensor, ...]]:
        # Batches of decisions, each with positions for the critic. Each epoch is one pass over the decisions.
        of, kept = self.settings, self.games.take()
        if kept is None or self.games.filled < FIRST * of.batch_size:
            return []
        decisions, counts = kept.decisions, kept.decisions["moves"]
        ends = np.cumsum(counts)
        advantages = decisions["advantage"]
        parts = max(1, round(len(decisions) / of.batch_size)) * of.epochs
        positions, self._due = max(1, int(self._due * of.batch_size / parts)), 0.0
        batches = []
        for _ in range(of.epochs):
            order = np.array_split(self.rng.permutation(len(decisions)), parts // of.epochs)
            for rows in order:
                moves = np.concatenate([np.arange(ends[n] - counts[n], ends[n]) for n in rows])
                features = kept.features[moves][:, self.games.draw_turn(self.rng)]
                chosen = (
                    counts[rows],
                    decisions["pick"][rows],
                    decisions["log_prob"][rows],
                    advantages[rows],
                )
                tensors = map(torch.from_numpy, (features, *chosen))
                batches.append((*tensors, *self.games.sample(self.rng, positions)))
        return batches

    def _loss(self, *batch: torch.Tensor) -> torch.Tensor:
        features, counts, picks, before, advantages, x, y = batch
        of = self.settings
        outputs = self.network(torch.cat([features, x]))
        there = torch.arange(int(counts.max())) < counts[:, None]
        logits = torch.full(there.shape, NO_MOVE)
        logits = logits.masked_scatter(there, self.network.logits_of(outputs[: len(features)]))
        log_probs = torch.log_softmax(logits, 1)
        ratio = (log_probs.gather(1, picks[:, None])[:, 0] - before).exp()
        clipped = ratio.clamp(1 - of.clip_range, 1 + of.clip_range)
        gain = torch.min(advantages * ratio, advantages * clipped).mean()
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        self.entropy = running_mean(self.entropy, entropy)
        return self._value_loss(outputs[len(features) :, 1:], y) - gain - self._entropy_weight * entropy
