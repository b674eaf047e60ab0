"""Runs that several tests look at, each made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spacemission_train.run import trainer
from tests.support.small_runs import RUNS


@pytest.fixture(scope="session")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], trainer.Run]:
    """The finished run of a name in `RUNS`; its folder is not to be changed."""
    done: dict[str, trainer.Run] = {}

    def run(name: str) -> trainer.Run:
        if name not in done:
            out = tmp_path_factory.mktemp(name) / "out"
            done[name] = trainer.start(RUNS[name], out, "spacemission train")
        return done[name]

    return run
