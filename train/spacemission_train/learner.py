"""Learns from self-play: values of afterstates by TD(lambda), policies over afterstates by PPO.

The value (Sutton 1988; Tesauro 1995) is the logit of the seat's share of the reward. A run of values plays by
the value. A run of policies uses it as critic; PPO (Schulman et al. 2017) learns when to depart from it.
Value and policy read the position after each move (the afterstate), so a network need not learn what action
numbers mean. The value network's other outputs have auxiliary targets, which speed up learning.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from spacemission_train.networks import Policy, Value
from spacemission_train.self_play import SelfPlay
from spacemission_train.settings import Settings

OTHERS_WEIGHT = 0.3  # weight that the squared errors of the other outputs have in the loss
LARGEST_GRADIENT = 1.0
FIRST = 16  # learning begins when the buffer has positions for this many batches
NO_MOVE = -1e9  # logit in places without a move
LEAST_SPREAD = 1e-3  # added to the standard deviation of a batch's advantages before dividing by it
CLIP = 0.2  # PPO clips the probability ratio to 1 plus or minus this

Batch = tuple[torch.Tensor, ...]  # positions and targets; for a policy also the arrays of its decisions


class Learner:
    """Games, network and optimizer of a run.

    Attributes:
        games: the self-play games.
        network: the network that learns.
        mean: a copy of the network with the mean of its weights, or None.
        steps: decisions so far.
        updates: updates of the network so far.
        loss: running mean of the cross entropy of the value's share; None before the first update.
        entropy: running mean of the policy's entropy in the decisions learnt from, in nats; None for values.
    """

    def __init__(self, settings: Settings, begun: int = 0) -> None:
        """Make the network with the seed of the settings; `begun`: decisions before a run was resumed."""
        self.settings, self.games = settings, SelfPlay(settings, begun)
        torch.manual_seed(settings.seed)
        features = self.games.of.features
        self.network = (
            Policy(features, settings.network, settings.temperature)
            if settings.is_policy
            else Value(features, settings.network)
        )
        self.mean = mean_weights(self.network, settings.average)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate[0])
        self.steps, self.updates = begun, 0
        self.loss: float | None = None
        self.entropy: float | None = None
        self._entropy_weight = settings.entropy[0]
        self._beside = ThreadPoolExecutor(1)
        self._begin()

    def _begin(self) -> None:
        self.rng = np.random.default_rng([self.settings.seed, 0x7D, self.steps])
        self._due = 0.0  # batches of positions still to learn from

    def begin_anew(self) -> None:
        """Begin new games, as a run resumed at this step does, so that both continue in the same way."""
        self.games.begin(self.steps)
        self._begin()

    def advance(self, fraction: float) -> None:
        """Play and learn; `fraction` is the part of the run that is done.

        While a policy learns from the last games, the next games are played with the weights from before the
        update; the probability ratio of PPO corrects for that.
        """
        of = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = between(of.learning_rate, fraction)
        self._entropy_weight = between(of.entropy, fraction)
        self.games.discount(between(of.gamma, fraction))
        if isinstance(self.network, Policy):
            batches = self._policy_batches()  # sampled before the games begin, so that timing changes nothing
            playing = self._beside.submit(self.games.play, self.network.arrays())
            for batch in batches:
                self._update(batch)
            self._count(*playing.result())
            return
        # A value plays with the mean weights: it plays better with less noise.
        self._count(*self.games.play(self.outcome.arrays()))
        for batch in self._value_batches():
            self._update(batch)

    def _count(self, played: int, new: int) -> None:
        self.steps += played
        self._due += new * self.settings.epochs / self.settings.batch_size

    @property
    def outcome(self) -> Value:
        """The network that a run saves: the one with the mean weights if they are kept, else `network`."""
        return self.network if self.mean is None else cast(Value, self.mean.module)

    def figures(self) -> dict[str, Any]:
        """The learner's columns of progress.csv."""
        loss = None if self.loss is None else round(self.loss, 4)
        entropy = None if self.entropy is None else round(self.entropy, 4)
        shown = {"entropy": entropy} if self.settings.is_policy else {}
        return {**shown, "value_loss": loss, "rounds": round(self.games.rounds, 1)}

    def close(self) -> None:
        """Stop all threads."""
        self._beside.shutdown()
        self.games.close()

    def _value_batches(self) -> list[Batch]:
        # The batches that are due for the positions played since the last call.
        size = self.settings.batch_size
        if self.games.filled < FIRST * size:
            return []
        due, self._due = int(self._due), self._due % 1
        return [self.games.sample(self.rng, size) for _ in range(due)]

    def _policy_batches(self) -> list[Batch]:
        # Batches of positions and decisions. Each epoch is one pass over the decisions.
        of, decided = self.settings, self.games.take_decisions()
        if decided is None or self.games.filled < min(FIRST * of.batch_size, of.envs * of.n_steps):
            return []
        decisions, counts = decided.decisions, decided.decisions["moves"]
        ends = np.cumsum(counts)
        parts = max(1, round(len(decisions) / of.batch_size)) * of.epochs
        positions, self._due = max(1, int(self._due * of.batch_size / parts)), 0.0
        batches = []
        for _ in range(of.epochs):
            order = np.array_split(self.rng.permutation(len(decisions)), parts // of.epochs)
            for rows in order:
                moves = np.concatenate([np.arange(ends[n] - counts[n], ends[n]) for n in rows])
                features = decided.features[moves][:, self.games.draw_symmetry(self.rng)]
                own = decisions[rows]
                columns = (own["moves"], own["pick"], own["log_prob"], own["advantage"])
                tensors = [torch.from_numpy(np.ascontiguousarray(one)) for one in (features, *columns)]
                batches.append((*self.games.sample(self.rng, positions), *tensors))
        return batches

    def _update(self, batch: Batch) -> None:
        x, y, *decisions = batch
        if isinstance(self.network, Policy):
            features = decisions[0]
            outputs = self.network(torch.cat([features, x]))
            gain = self._policy_gain(self.network.logits_of(outputs[: len(features)]), *decisions[1:])
            loss = self._value_loss(outputs[len(features) :, 1:], y) - gain
        else:
            loss = self._value_loss(self.network(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.updates += 1
        if self.mean is not None:
            self.mean.update_parameters(self.network)

    def _policy_gain(
        self,
        of_moves: torch.Tensor,
        counts: torch.Tensor,
        picks: torch.Tensor,
        before: torch.Tensor,
        advantages: torch.Tensor,
    ) -> torch.Tensor:
        there = torch.arange(int(counts.max())) < counts[:, None]
        logits = torch.full(there.shape, NO_MOVE).masked_scatter(there, of_moves)
        log_probs = torch.log_softmax(logits, 1)
        ratio = (log_probs.gather(1, picks[:, None])[:, 0] - before).exp()
        gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        self.entropy = running_mean(self.entropy, entropy)
        gain = gain + self._entropy_weight * entropy
        # A mixed strategy's advantages are small beside the value's errors: divide by the advantages' spread.
        return gain / (advantages.std(correction=0) + LEAST_SPREAD) if self.settings.mixed else gain

    def _value_loss(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], y[:, 0])
        others = ((outputs[:, 1:] - y[:, 1:]) ** 2).mean() if outputs.shape[1] > 1 else 0.0
        self.loss = running_mean(self.loss, loss)
        return loss + OTHERS_WEIGHT * others


def between(ends: tuple[float, float], fraction: float) -> float:
    """A setting after this fraction of the run; it moves linearly from its first to its last value."""
    first, last = ends
    return first + (last - first) * fraction


def running_mean(mean: float | None, new: torch.Tensor) -> float:
    """Update the running mean of a figure over about a hundred updates; `mean`: None at first."""
    now = float(new.detach())
    return now if mean is None else 0.99 * mean + 0.01 * now


def mean_weights(network: nn.Module, share: float) -> AveragedModel | None:
    """Copy a network to keep the mean of its weights; None if `share` is 0.

    After each update of the network, `update_parameters(network)` moves the mean towards the new weights with
    the step 1 / (share * updates). So the mean covers about this share of the updates, the latest ones. It
    cancels the noise of the updates and the cycles of self-play (Shamir and Zhang, ICML 2013).
    """

    def join(mean: torch.Tensor, now: torch.Tensor, joined: torch.Tensor | int) -> torch.Tensor:
        return mean.lerp(now, min(1.0, 1.0 / (share * (int(joined) + 1))))

    return AveragedModel(network, avg_fn=join) if share else None
