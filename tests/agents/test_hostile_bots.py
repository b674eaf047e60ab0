"""No bot stops a tournament: it forfeits, the others' games go on, and nothing stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_agents.arena import definition as definition_module
from spacemission_agents.arena import play as play_module
from spacemission_agents.arena.definition import define
from spacemission_agents.arena.play import Players, Setting
from spacemission_agents.arena.storage.journal import FORFEITED
from spacemission_agents.arena.workers import bots as bots_module
from spacemission_agents.arena.workers.bots import BotServer
from spacemission_env.core.errors import AgentError
from tests.support import hostile_bots
from tests.support.paths import ROOT
from tests.support.tournaments import Kept

SECONDS = 1.0  # a decision


class _Shared:
    """One server for all tests: each would take a second to start."""

    def __init__(self) -> None:
        self.one = BotServer()

    @property
    def alive(self) -> bool:
        return self.one.alive

    def start(self) -> Any:
        return self.one.start()

    def end(self, pid: int) -> None:
        self.one.end(pid)

    def close(self) -> None:
        """It stays for the next test."""

    def __call__(self) -> _Shared:
        if not self.one.alive:  # a bot has ended it
            self.one = BotServer()
        return self


@pytest.fixture(scope="module")
def shared() -> Iterator[_Shared]:
    server = _Shared()
    yield server
    server.one.close()


@pytest.fixture
def quick(shared: _Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bots_module, "BotServer", shared)
    monkeypatch.setattr(bots_module, "COMPILING_SECONDS", 1.0)


def played(spec: str, games: int, players: int = 2) -> np.ndarray:
    sink = Kept()
    rules = "printed,max_rounds=6"
    tournament = define([spec, "greedy"], players, rules=rules, seed=3, seconds_per_decision=SECONDS)
    table = Players(Setting(tournament, first_extra=0.0), lambda *about: None)
    try:
        table.play(np.arange(games), sink)
    finally:
        table.close()
    return sink.ordered()


def is_there(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", hostile_bots.KINDS)
def test_whatever_a_bot_does_it_forfeits_its_games_and_leaves_nothing(quick: None, kind: str) -> None:
    records = played(f"tests.support.hostile_bots:{kind}", 2)
    assert (records["ending"] == FORFEITED).all()
    assert records["seat"].tolist() == [0, 1]  # where the bot sat
    for text in records["text"]:
        line = text.decode()
        assert line and line.isprintable(), line
    assert hostile_bots.PIDS.exists() == (kind in ("Forks", "LeavesADaemon"))
    if hostile_bots.PIDS.exists():
        assert not any(is_there(int(pid)) for pid in hostile_bots.PIDS.read_text().split())


def test_enough_kinds_of_bots_are_tried() -> None:
    assert len(hostile_bots.KINDS) + len(hostile_bots.BEFORE) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("kind", hostile_bots.BEFORE)
def test_a_bot_that_cannot_be_made_is_refused_in_one_line(
    quick: None, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(bots_module, "START_SECONDS", 2.0)
    with pytest.raises(AgentError) as refused:
        define([f"tests.support.hostile_bots:{kind}", "greedy"])
    line = str(refused.value)
    assert line.startswith("agent ") and kind in line and line.isprintable()


def test_a_bot_that_behaves_plays_on_beside(quick: None) -> None:
    records = played("tests.support.hostile_bots:Fine", 4)
    assert (records["ending"] != FORFEITED).all()


@pytest.mark.slow
def test_the_command_goes_on_and_says_little(tmp_path: Path) -> None:
    kinds = ("Interrupts", "Prints", "Ends", "LongTraceback")
    names = [f"tests.support.hostile_bots:{kind}" for kind in kinds]
    command = [sys.executable, "-m", "spacemission_env", "arena", "--agents", ",".join([*names, "greedy"])]
    options = ["--games", "2", "--rules", "printed,max_rounds=4", "--workers", "1", "--out", "out"]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [*command, *options],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) <= 2 * len(kinds)
    assert "listen to me" not in done.stdout + done.stderr


SPY = """
import gc
import numpy as np
from spacemission_env.core.agents_api import Agent
from spacemission_env.games.space_mission.engine.layout import LAYOUT

START, RING = LAYOUT["start_player"].slice, LAYOUT["planets"].slice
SECRETS = ("Game", "BatchedGames", "Tournament", "Players", "Setting", "Schedule")


class Memory(Agent):
    # Plays an illegal move where it meets a ring again from another seat.

    def __init__(self, parameter=None):
        self.met = {}

    def act(self, decisions):
        actions = decisions.masks.argmax(1).astype(np.int64)
        for i, seen in enumerate(decisions.observations):
            start = seen[START].tobytes()
            if self.met.setdefault(seen[RING].tobytes(), start) != start:
                actions[i] = 1000
        return actions


class Search(Agent):
    # Plays an illegal move where it finds a game, or what a tournament is, in its process.

    def act(self, decisions):
        actions = decisions.masks.argmax(1).astype(np.int64)
        if any(type(thing).__name__ in SECRETS for thing in gc.get_objects()):
            actions[:] = 1000
        return actions


class Marks(Agent):
    # Writes into all that it is handed.

    def act(self, decisions):
        actions = decisions.masks.argmax(1).astype(np.int64)
        for array in (decisions.observations, decisions.masks, decisions.keys):
            array.setflags(write=True)
            array[:] = 1
        return actions
"""


@pytest.fixture
def spies(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spies.py").write_text(SPY)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.delitem(sys.modules, "spies", raising=False)


def let_all_play_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was before bots had processes: the spies have to notice."""
    for module in (definition_module, play_module):
        monkeypatch.setattr(module, "plays_in_process", lambda *agent: True)


@pytest.mark.parametrize("players", [2, 3])
def test_a_bot_never_meets_a_set_up_again(spies: None, monkeypatch: pytest.MonkeyPatch, players: int) -> None:
    assert (played("spies:Memory", 2 * players, players)["ending"] != FORFEITED).all()
    let_all_play_here(monkeypatch)
    assert (played("spies:Memory", 2 * players, players)["ending"] == FORFEITED).any()


def test_a_bot_finds_no_game_in_its_process(spies: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (played("spies:Search", 2)["ending"] != FORFEITED).all()
    let_all_play_here(monkeypatch)
    assert (played("spies:Search", 2)["ending"] == FORFEITED).all()


def test_what_a_bot_writes_into_its_own_copies_changes_nothing(spies: None) -> None:
    marked, fine = played("spies:Marks", 4), played("tests.support.hostile_bots:Fine", 4)
    assert (marked["scores"] == fine["scores"]).all()


@pytest.mark.slow
def test_a_bot_that_looks_everywhere_finds_nothing(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SECONDS", 60.0)  # `heuristic` is loaded in each process
    monkeypatch.setattr(bots_module, "COMPILING_SECONDS", 600.0)  # and compiled there, in an empty cache
    plain, cheat = (
        played("tests.agents.cheating_bots:Plain", 4),
        played("tests.agents.cheating_bots:Cheat", 4),
    )
    assert (cheat["ending"] != FORFEITED).all(), cheat["text"]
    assert (plain["scores"] == cheat["scores"]).all()
    let_all_play_here(monkeypatch)
    assert (played("tests.agents.cheating_bots:Cheat", 4)["ending"] == FORFEITED).any()
