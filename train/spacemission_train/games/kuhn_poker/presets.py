"""Declares how Kuhn poker is trained."""

from __future__ import annotations

from spacemission_train.presets import MIXED_STRATEGY, GameTraining

# Learning to win bluffs too little.
TRAINING = GameTraining("kuhn_poker", presets={"demo": {**MIXED_STRATEGY, "minutes": 2.0}})
