"""A tournament killed ten times has the same result (`python -m studies.kill_arena` kills longer)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studies.kill_arena import SLOW_BOT, check, command, journaled

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]


def test_killed_ten_times(tmp_path: Path) -> None:
    assert check(10, 24, 1, tmp_path), "no kill met a run at work"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    (tmp_path / "slow_bot.py").write_text(SLOW_BOT)
    out = tmp_path / "out"
    process = subprocess.Popen(command(out, 1000, "local", False), cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while not journaled(out):
            assert process.poll() is None
            time.sleep(0.01)
        assert writers(out)
    finally:
        process.kill()
        process.wait()
    end = time.monotonic() + 300
    while left := writers(out):
        assert time.monotonic() < end, f"still there: {left}"
        time.sleep(0.05)


def writers(out: Path) -> list[str]:
    """Ids of the processes that have the journal open."""
    found = []
    for folder in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(folder) == str(out / "games.bin"):
                found.append(folder.parts[2])
        except OSError:
            continue
    return found
