"""A tournament killed ten times has the same result (`python -m studies.kill_arena` kills longer)."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studies.kill_arena import SLOW_BOT, check, command, finished

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]


def test_killed_ten_times(tmp_path: Path) -> None:
    assert check(10, 24, 1, tmp_path), "no kill met a run at work"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    (tmp_path / "slow_bot.py").write_text(SLOW_BOT)
    out = tmp_path / "out"
    process = subprocess.Popen(command(out, 1000, "local", False), cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while not finished(out):
            assert process.poll() is None
            time.sleep(0.05)
        started = children(process.pid)
        assert started
    finally:
        process.kill()
        process.wait()
    end = time.monotonic() + 300
    while left := [pid for pid in started if is_there(pid)]:
        assert time.monotonic() < end, f"still there: {left}"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """Ids of all processes that a process and its children have started."""
    own = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return own + [below for child in own for below in children(child)]


def is_there(pid: int) -> bool:
    """Whether a process still runs."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
