"""How long a fresh machine compiles: how much later a program ends with an empty cache than a full one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from spacemission_env.core.private_folder import CHOSEN

FIRST_MOVE = (
    "from spacemission_env.core.agents_api import act_alone, make_agent, prepare_agents\n"
    "from spacemission_env.core.batched import BatchedGames\n"
    "agent, games = make_agent('ismcts:50'), BatchedGames(1, 3)\n"
    "prepare_agents([agent], games.info)\n"
    "games.deal(0, 1)\n"
    "act_alone(agent, games.ask(games.everyone))\n"
)


def cold_seconds(program: str) -> tuple[float, float]:
    """Seconds that a Python program takes longer with an empty cache; processor seconds, its helpers' too.

    The processor seconds tell more where other work goes on.
    """
    with tempfile.TemporaryDirectory() as cache:
        cold = _seconds(program, cache)
        warm = min(_seconds(program, cache) for _ in range(2))
    return cold[0] - warm[0], cold[1] - warm[1]


def _seconds(program: str, cache: str) -> tuple[float, float]:
    began, used = time.perf_counter(), _used()
    environment = {**os.environ, CHOSEN: cache}
    subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    return time.perf_counter() - began, _used() - used


def _used() -> float:
    times = os.times()
    return times.children_user + times.children_system
