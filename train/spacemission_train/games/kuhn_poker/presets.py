"""Declares how Kuhn poker is trained."""

from __future__ import annotations

from spacemission_train.presets import MIXED_STRATEGY, GameTraining

# A policy that learns only to win bluffs too little, so `demo` learns a mixed strategy.
TRAINING = GameTraining("kuhn_poker", presets={"demo": {**MIXED_STRATEGY, "minutes": 2.0}})
