"""Reads the shipped weights of `heuristic`: one set for two players, one for more (studies/tuning.py)."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from spacemission_agents import weights

FILES = ("data/heuristic_2_players.toml", "data/heuristic.toml")


def shipped_weights() -> np.ndarray:
    """The shipped weights, (2,): for two players and for more."""
    return weights.shipped_weights("spacemission_agents.games.space_mission", *FILES)


def shipped_digest() -> str:
    """The digest of all shipped weights; models that read ratings depend on them."""
    shipped = shipped_weights()
    values = [dict(zip(shipped.dtype.names or (), one.tolist(), strict=True)) for one in shipped]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
