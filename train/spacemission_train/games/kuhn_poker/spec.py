"""Declares Kuhn poker to the training package: the preset that brings self-play to its equilibrium."""

from __future__ import annotations

from typing import Any

from spacemission_train.game_training import QUICK, GameTraining

# How near it comes, and what each part is worth: docs/training.md. Two players that learn from each other
# go round the equilibrium in circles. The entropy bonus draws the circles in, but also keeps play off the
# equilibrium: so it falls. What is left of the circles cancels in the mean of the weights. Many small updates
# do more than few large ones.
EQUILIBRIUM: dict[str, Any] = dict(
    QUICK, reward="chips", opponents="latest=1", steps=1_000_000, envs=128, n_steps=4, batch_size=512,
    epochs=3, learning_rate=1e-3, last_learning_rate=1e-5, gamma=1.0, gae_lambda=1.0,
    entropy=0.15, last_entropy=0.04, average=0.3, hidden=(64, 64), precision="float32", threads=1,
    checkpoint_steps=250_000,
)  # fmt: skip

TRAINING = GameTraining("kuhn_poker", presets={"quick": QUICK, "equilibrium": EQUILIBRIUM})
