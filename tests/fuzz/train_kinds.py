"""Fuzzed inputs of training: experiment files, `--set`, the state of a run, its folder, tuned weights."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load, save

from spacemission_env.core.errors import SpaceMissionError
from spacemission_train.ppo.run import PpoRun
from spacemission_train.run import trainer
from spacemission_train.run.folder import PROGRESS_FILE, STATE_FILE
from spacemission_train.run.listing import cells, list_runs
from spacemission_train.run.state import read_state, state_bytes
from spacemission_train.settings.experiment import (
    EXPERIMENT_FILE,
    as_toml,
    read_experiment,
    settings_from_json,
    settings_of,
    to_toml,
)
from spacemission_train.settings.settings import Settings
from tests.fuzz.env_kinds import Files, Kind
from tests.fuzz.mutate import mutated_bytes, mutated_value
from tests.support.small_runs import tiny


def use_settings(rng: random.Random, read: Settings) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "again.toml"
        path.write_bytes(to_toml(read, "again").encode("utf-8", "replace"))
        assert read_experiment(path)


class Sets(Kind):
    share = 4.0

    def mutate(self, rng: random.Random) -> str:
        settings = Settings().to_json()
        name = rng.choice(list(settings))
        text = f"{name}={as_toml(tuple(v) if isinstance(v := settings[name], list) else v)}"
        return mutated_bytes(rng, text.encode()).decode("utf-8", "surrogateescape")

    def read(self, value: str) -> Any:
        return settings_of(None, None, [value], {})

    def use(self, rng: random.Random, read: Settings) -> None:
        assert to_toml(read)


class States(Kind):
    """State files with changed bytes, or with changed content and a correct digest."""

    share = 1.5

    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder)
        settings = tiny(hidden=(4,), envs=4, players=(2, 3), steps=256, checkpoint_steps=128)
        self.out = folder / "run"
        trainer.start(settings, self.out)
        self.path = self.out / STATE_FILE
        self.data = self.path.read_bytes()
        self.text, self.tensors = read_state(self.path)
        self.settings = settings_from_json(self.text["settings"], "here")
        self.run = PpoRun(self.settings, self.out, "")

    def mutate(self, rng: random.Random) -> bytes:
        if rng.random() < 0.3:
            return mutated_bytes(rng, self.data, 1)
        text, tensors = self.text, dict(self.tensors)
        if rng.random() < 0.4:
            text = mutated_value(rng, text)
        else:
            name = rng.choice(list(tensors))
            tensors[name] = _tensor_changed(rng, tensors[name])
            if rng.random() < 0.1:
                del tensors[name]
        data = state_bytes(text, tensors)
        return data if rng.random() < 0.7 else save({"state": load(data)["state"], **tensors})

    def read(self, value: bytes) -> Any:
        self.path.write_bytes(value)
        text, tensors = read_state(self.path)
        try:
            settings = settings_from_json(text["settings"], str(self.path))
        except (KeyError, TypeError) as error:  # as trainer.resume does
            raise SpaceMissionError(error) from None
        if settings == self.settings:
            self.run.restore(self.path, text, tensors)
            return True
        return False

    def use(self, rng: random.Random, read: bool) -> None:
        env = self.run.env
        for _ in range(60 if read else 0):
            legal = [np.flatnonzero(mask).tolist() for mask in env.action_masks()]
            env.step_async(np.array([rng.choice(actions) for actions in legal]))
            env.step_wait()


def _tensor_changed(rng: random.Random, tensor: Any) -> Any:
    data = bytearray(save({"x": tensor}))
    start = 8 + int.from_bytes(data[:8], "little")
    for _ in range(rng.choice((1, 1, 3)) if len(data) > start else 0):
        i = rng.randrange(start, len(data))
        data[i] = rng.choice((data[i] ^ 1, data[i] ^ 128, data[i] + 1 & 255, 0, 255, 127))
    changed = load(bytes(data))["x"]
    way = rng.randrange(12)
    if way == 0:
        return changed.to(rng.choice((torch.float64, torch.int32, torch.uint8)))
    return changed[:-1].clone() if way == 1 and changed.ndim else changed


class RunFolders(Kind):
    def __init__(self, rng: random.Random, folder: Path) -> None:
        super().__init__(rng, folder / "runs")
        settings = tiny(hidden=(4,), envs=4, steps=64, checkpoint_steps=64, evaluation_games=2, final_games=2)
        self.out = self.folder / "one"
        trainer.start(settings, self.out)
        self.files = [self.out / EXPERIMENT_FILE, self.out / PROGRESS_FILE, self.out / "model" / "card.json"]
        self.seeds = [file.read_bytes() for file in self.files]

    def mutate(self, rng: random.Random) -> Any:
        which = rng.randrange(len(self.files))
        return which, mutated_bytes(rng, self.seeds[which])

    def read(self, value: Any) -> Any:
        for i, (file, data) in enumerate(zip(self.files, self.seeds, strict=True)):
            file.write_bytes(value[1] if i == value[0] else data)
        return list_runs(self.folder)

    def use(self, rng: random.Random, read: Any) -> None:
        assert len(read) == 1 and len(cells(read[0])) == 9


SHORT = b'preset = "quick"\nplayers = 3\nsteps = "none"\nminutes = 3.5\n'
KINDS: dict[str, Callable[[random.Random, Path], Kind]] = {
    "experiment": partial(
        Files,
        name="e.toml",
        seeds=lambda: [to_toml(tiny(), "train").encode(), SHORT],
        load=lambda path: settings_of(None, path, [], {}),
        use=use_settings,
        share=3.0,
    ),
    "set": Sets,
    "state": States,
    "runs": RunFolders,
}
