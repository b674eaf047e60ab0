"""After `spacemission warmup` other commands compile nothing."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from spacemission_env.core import private_folder
from spacemission_env.core.compiling import cache
from spacemission_env.core.heartbeat import QUIET

THEN = "import spacemission_env.frontends.aec as a; env = a.env('kuhn_poker'); env.reset(1); env.step(0)"


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")  # type: ignore[attr-defined]
def test_after_it_nothing_is_compiled(tmp_path: Path) -> None:
    def said(*command: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True, check=True
        )
        return [line for line in done.stderr.splitlines() if line == cache.LINE]

    environment = {**os.environ, private_folder.CHOSEN: str(tmp_path), QUIET: ""}
    spacemission, game = ("-m", "spacemission_env"), ("--game", "kuhn_poker")
    assert said(*spacemission, "warmup", *game) == [cache.LINE]
    for later in (
        ("play", "--agents", "random,random"),
        ("arena", "--agents", "a=random,b=random", "--games", "4"),
    ):
        assert said(*spacemission, *later, *game) == []
    assert said("-c", THEN) == []
