"""Kills a tournament at random moments, resumes it, and compares its report with an undisturbed one.

    python -m studies.kill_arena [kills] [games a table] [seed]

The study kills only the parent (SIGKILL); its workers end by themselves. The next run starts at once.
`tests/agents/test_kill_arena.py` runs a small one.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.arena.journal import record_of
from spacemission_env.core.game_spec import find_game

RECORD = record_of(find_game("space_mission"))
RECORD_BYTES = RECORD.itemsize
SLOW_BOT = """
import time
from spacemission_env.core.agents import Agent


class Slow(Agent):
    def act(self, decisions):
        time.sleep(0.001 * len(decisions))
        return decisions.masks.argmax(1)
"""
AGENTS = "slow_bot:Slow,greedy,random"
TABLES = 3
STARTS = 2  # kills before there is a game
LONGEST = 120.0  # seconds that a run may take to its next game


def command(out: Path, games: int, engine: str, resume: bool) -> list[str]:
    more = ["--resume"] if resume else []
    return [
        sys.executable, "-m", "spacemission_env", "arena", "--agents", AGENTS, "--games", str(games),
        "--json", "--records", "2", "--workers", "2", "--engine", engine, "--out", str(out), *more,
    ]  # fmt: skip


def to_the_end(out: Path, games: int, engine: str = "local", resume: bool = False) -> dict[str, Any]:
    """The report of a run that is left alone, without what was timed."""
    done = subprocess.run(
        command(out, games, engine, resume), cwd=out.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    for row in report["ladder"]:
        del row["ms_per_decision"]
    return report


def journaled(out: Path) -> int:
    """Whole records in the journal."""
    try:
        return os.path.getsize(out / "games.bin") // RECORD_BYTES
    except FileNotFoundError:
        return 0


def kill_when(out: Path, games: int, count: int, extra: float) -> bool:
    """Run until the journal has so many records and some seconds more, then kill; False: it had ended."""
    process = subprocess.Popen(
        command(out, games, "local", True), cwd=out.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    end = time.monotonic() + LONGEST
    while process.poll() is None and journaled(out) < count:
        assert time.monotonic() < end, "no game for too long"
        time.sleep(0.002)
    time.sleep(extra)
    process.kill()
    errors = process.communicate()[1].decode()
    assert process.returncode in (0, -9), errors
    return process.returncode == -9


def check(kills: int, games: int, seed: int, folder: Path) -> int:
    """Kill and compare; return how many kills hit a running tournament."""
    rng = random.Random(seed)
    (folder / "slow_bot.py").write_text(SLOW_BOT)
    alone = to_the_end(folder / "alone", games)
    out, total = folder / "killed", games * TABLES
    moments = [(0, rng.uniform(0, 2)) for _ in range(STARTS)]
    moments += sorted((rng.randrange(1, total - 4), rng.uniform(0, 0.02)) for _ in range(kills - STARTS))
    before, hits = b"", 0
    for count, extra in moments:
        hits += kill_when(out, games, max(count, len(before) // RECORD_BYTES + (count > 0)), extra)
        # what stood in the journal stays there, before and after the torn end is mended
        now = (out / "games.bin").read_bytes() if (out / "games.bin").exists() else b""
        assert now.startswith(before)
        before = now[: len(now) - len(now) % RECORD_BYTES]
    report = to_the_end(out, games, resume=True)
    assert (out / "games.bin").read_bytes().startswith(before)
    numbers = np.fromfile(out / "games.bin", RECORD)["game"]
    assert sorted(numbers.tolist()) == list(range(total)), "a game is missing or stands there twice"
    assert report == alone, "the report differs"
    for row in report["records"]:
        assert (out / row["file"]).read_bytes() == (folder / "alone" / row["file"]).read_bytes()
    return hits


if __name__ == "__main__":
    kills_, games_, seed_ = (int(a) for a in [*sys.argv[1:], *("30", "120", "0")[len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{check(kills_, games_, seed_, Path(scratch))} of {kills_} kills met a run at work: all agree")
