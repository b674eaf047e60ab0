"""Fuzzed inputs of training: experiment files, `--set`, the folder of a run, tuned weights."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from spacemission_train.run import trainer
from spacemission_train.run.folder import PROGRESS_FILE
from spacemission_train.run.listing import cells, list_runs
from spacemission_train.settings.experiment import (
    EXPERIMENT_FILE,
    as_toml,
    read_experiment,
    settings_of,
    to_toml,
)
from spacemission_train.settings.settings import Settings
from tests.fuzz.env_kinds import Files, Kind
from tests.fuzz.mutate import mutated_bytes
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
    "runs": RunFolders,
}
