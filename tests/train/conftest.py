"""Training runs that several tests share; each is made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spacemission_train.run import trainer
from tests.support.small_runs import RUNS


@pytest.fixture(scope="session")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], trainer.Run]:
    """The finished run of a name in `RUNS`; a test must not change its folder."""
    done: dict[str, trainer.Run] = {}

    def run(name: str) -> trainer.Run:
        if name not in done:
            out = tmp_path_factory.mktemp(name) / "out"
            done[name] = trainer.start(RUNS[name], out, "spacemission train")
        return done[name]

    return run
