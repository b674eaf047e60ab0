"""Fuzzed inputs of training: experiment files, `--set`, the folder of a run, tuned weights."""

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import tomli_w

from spacemission_train.presets import settings_of
from spacemission_train.settings import NONE, Settings, read_experiment, to_toml
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
        value = NONE if settings[name] is None else settings[name]
        text = tomli_w.dumps({name: value}).strip()
        return mutated_bytes(rng, text.encode()).decode("utf-8", "surrogateescape")

    def read(self, value: str) -> Any:
        return settings_of(None, None, [value], {})

    def use(self, rng: random.Random, read: Settings) -> None:
        assert to_toml(read)


SHORT = b'preset = "demo"\nplayers = 3\nsteps = "none"\nminutes = 3.5\n'
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
}
