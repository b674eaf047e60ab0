"""Kills a tournament at random moments, resumes it, and compares its report with an undisturbed one.

    python -m studies.kill_arena [kills] [games a table] [seed] [local or ray]

The study kills only the parent (SIGKILL); its workers end by themselves. The next run starts at once.
`tests/agents/test_kill_arena.py` runs a small one.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacemission_agents.arena.results import RESULTS_FILE
from tests.support.tournaments import stored

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
LONGEST = 180.0  # seconds that a run may take to its next moment


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


def rows(out: Path) -> list[tuple[Any, ...]]:
    """The finished games without times, in order; none without a file, or without a table yet."""
    try:
        return stored(out) if (out / RESULTS_FILE).exists() else []
    except sqlite3.OperationalError:
        return []


def finished(out: Path) -> int:
    """Number of finished games."""
    return len(rows(out))


def kill_when(command: list[str], folder: Path, moment: Callable[[], bool], extra: float) -> bool:
    """Run a command until that moment and some seconds more, then kill it; False: it had ended."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    end = time.monotonic() + LONGEST
    while process.poll() is None and not moment():
        assert time.monotonic() < end, "the moment did not come"
        time.sleep(0.0005)
    time.sleep(extra)
    process.kill()
    errors = process.communicate()[1].decode()
    assert process.returncode in (0, -9), errors
    return process.returncode == -9


def check(kills: int, games: int, seed: int, folder: Path, engine: str = "local") -> int:
    """Kill and compare; return how many kills hit a running tournament."""
    rng = random.Random(seed)
    (folder / "slow_bot.py").write_text(SLOW_BOT)
    alone = to_the_end(folder / "alone", games)
    out, total = folder / "killed", games * TABLES
    moments = [(0, rng.uniform(0, 2)) for _ in range(STARTS)]
    moments += sorted((rng.randrange(1, total - 4), rng.uniform(0, 0.02)) for _ in range(kills - STARTS))
    before: list[tuple[Any, ...]] = []
    hits = 0
    for count, extra in moments:
        wanted = max(count, len(before) + (count > 0))
        again = command(out, games, engine, True)
        hits += kill_when(again, folder, lambda wanted=wanted: finished(out) >= wanted, extra)  # type: ignore[misc]
        now = rows(out)
        assert set(before) <= set(now), "a finished game was lost or played again"
        before = now
    report = to_the_end(out, games, engine, resume=True)
    assert set(before) <= set(rows(out)), "a finished game was lost or played again"
    assert [row[0] for row in rows(out)] == list(range(total)), "a game is missing"
    assert rows(out) == rows(folder / "alone"), "the games differ"
    assert report == alone, "the report differs"
    for row in report["records"]:
        assert (out / row["file"]).read_bytes() == (folder / "alone" / row["file"]).read_bytes()
    return hits


if __name__ == "__main__":
    given = [*sys.argv[1:], *("30", "120", "0", "local")[len(sys.argv) - 1 :]]
    kills_, games_, seed_ = (int(a) for a in given[:3])
    with tempfile.TemporaryDirectory() as scratch:
        hits_ = check(kills_, games_, seed_, Path(scratch), given[3])
        print(f"{hits_} of {kills_} kills met a run at work: all agree")
