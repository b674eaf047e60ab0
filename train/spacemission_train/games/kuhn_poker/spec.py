"""Declares how Kuhn poker is trained."""

from __future__ import annotations

from spacemission_env.core.reading import Json
from spacemission_train.game_training import QUICK, SCRATCH, GameTraining

# Two players that learn from each other circle around the equilibrium. The entropy bonus shrinks the circles,
# but keeps play away from the equilibrium, so it falls. The mean of the weights cancels the remaining
# circles. Measured results: docs/training.md.
EQUILIBRIUM: Json = dict(
    QUICK, reward="chips", opponents="latest=1", steps=1_000_000, envs=128, n_steps=4, batch_size=512,
    epochs=3, learning_rate=1e-3, last_learning_rate=1e-5, gamma=1.0, gae_lambda=1.0,
    entropy=0.15, last_entropy=0.04, average=0.3, hidden=(64, 64), precision="float32", threads=1,
    checkpoint_steps=250_000,
)  # fmt: skip

PRESETS: dict[str, Json] = {
    "quick": QUICK,
    "demo": dict(EQUILIBRIUM, steps=300_000),  # learning from nothing bluffs too little
    "equilibrium": EQUILIBRIUM,
    "scratch": SCRATCH,
}

TRAINING = GameTraining("kuhn_poker", presets=PRESETS)
