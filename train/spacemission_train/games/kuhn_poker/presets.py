"""Declares how Kuhn poker is trained."""

from __future__ import annotations

from spacemission_train.presets import MIXED_STRATEGY, GameTraining

# A policy trained only for wins bluffs too little, so `demo` trains a mixed strategy.
TRAINING = GameTraining("kuhn_poker", presets={"demo": {**MIXED_STRATEGY, "minutes": 2.0}})
