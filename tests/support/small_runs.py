"""Training runs that take seconds, and comparisons of two runs."""

from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_agents.models.folder import load_model
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from spacemission_train.presets import combine
from spacemission_train.run import start
from spacemission_train.settings import Settings

RULES = {"space_mission": "printed,max_rounds=3", "planet_hexx": "max_turns=1"}
TINY: Json = {
    "envs": 8, "n_steps": 16, "batch_size": 2, "steps": 512, "checkpoint_steps": 256, "evaluation_games": 4,
    "threads": 1, "temperature": 0.1, "learning_rate": 1e-3, "epochs": 1, "start": None,
}  # fmt: skip


def tiny(preset: str = "demo", game: str = "space_mission", **changes: object) -> Settings:
    """A preset with small networks and few steps."""
    hidden = (5, 6, 7) if find_afterstates(find_game(game)).features.rows else (6, 7)
    of: Json = {"hidden": hidden, **({"rules": RULES[game]} if game in RULES else {})}
    return combine(preset, [{"game": game, **TINY, **of, **changes}])


def weights(folder: Path) -> dict[str, np.ndarray]:
    return load_model(folder)[1]


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all((a[name] == b[name]).all() for name in a)


def stop(_: object) -> None:
    raise KeyboardInterrupt


def stopped(settings: Settings, out: Path, when: str = "report") -> Path:
    """The folder of a run stopped at its first checkpoint, or at its start (`advance`)."""
    told: Json = {when: stop}
    with pytest.raises(KeyboardInterrupt):
        start(settings, out, "spacemission train", **told)
    return out


def files_of(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
