"""Writes model folders with random weights."""

from pathlib import Path

import numpy as np

from spacemission_agents.models.folder import save_model, tensor_shapes
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.options import make_rules


def write_model(
    folder: Path, seed: int = 0, hidden: tuple[int, ...] = (16, 8), activation: str = "relu"
) -> str:
    """Write a model folder with random weights; return its spec."""
    rng = np.random.default_rng(seed)
    shapes = tensor_shapes({"hidden": list(hidden)})
    card = {
        "rules": make_rules("printed").to_json(),
        "components_sha256": load_components().sha256,
        "network": {"hidden": list(hidden), "activation": activation},
        "training": {},
    }
    arrays = {name: rng.normal(size=shape).astype(np.float32) * 0.3 for name, shape in shapes.items()}
    save_model(folder, arrays, card)
    return f"policy:{folder}"
