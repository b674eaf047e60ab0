"""A bot that fails forfeits, cannot stop a tournament, and gets only what its seat may know."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_agents.arena import bots as bots_module
from spacemission_agents.arena import play as player_module
from spacemission_agents.arena import tournament as tournament_module
from spacemission_agents.arena.asking import DIED, KINDS, TOO_SLOW
from spacemission_agents.arena.bots import SANDBOX, BotProcess, BotServer
from spacemission_agents.arena.results import FORFEITED, Games
from spacemission_agents.arena.schedule import Limits, Tournament
from spacemission_agents.arena.tournament import define
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from tests.support import tournaments
from tests.support.hostile_bots import HARMLESS, LATE, NOT_MADE, PIDS, WAYS

BOT = "tests.support.hostile_bots:Bot"


class _Shared:
    """One bot server for all tests, because each takes a second to start."""

    def __init__(self) -> None:
        self.one = BotServer()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.one, name)

    def close(self) -> None:
        """Stay open for the next test."""

    def __call__(self) -> _Shared:
        if not self.one.alive:
            self.one = BotServer()
        return self


@pytest.fixture(scope="module")
def server() -> Iterator[BotServer]:
    shared = _Shared()
    yield shared
    shared.one.close()


@pytest.fixture
def quick(server: BotServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bots_module, "BotServer", server)


@pytest.fixture(scope="module")
def greedy_against_itself() -> Tournament:
    other = "spacemission_agents.games.space_mission.greedy:GreedyAgent"
    return define([other, "greedy"], 2, rules="printed,max_rounds=6", seed=3)


def played(tournament: Tournament, spec: str, games: int, seconds: float = 60.0) -> Games:
    """Play games of a bot and `greedy` in this process."""
    limits = Limits(seconds_per_decision=seconds)
    changed = replace(tournament, agents=(spec, "greedy"), limits=limits)
    return tournaments.played(changed, np.arange(games))


def lost(games: Games) -> np.ndarray:
    """Which games were forfeited, bool (games,)."""
    return np.asarray(games.rows["ending"] == FORFEITED)


def let_all_play_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run bots in this process, as on a system that cannot fork."""
    for module in (tournament_module, player_module):
        monkeypatch.setattr(module, "plays_in_process", lambda *agent: True)


def is_there(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_bot_that_goes_wrong_forfeits_and_leaves_nothing(
    quick: None, greedy_against_itself: Tournament, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "says that it compiles":
        monkeypatch.setattr(bots_module, "COMPILING_SECONDS", 1.0)
    hangs = WAYS[way][1] == TOO_SLOW
    games = 1 if hangs else 2
    records = played(greedy_against_itself, f"{BOT}:{way}", games, LATE / 4 if hangs else 60.0)
    assert lost(records).all()
    assert records.rows["seat"].tolist() == [0, 1][:games]  # the bot's seats
    for kind, line in records.why.values():
        assert kind == KINDS[WAYS[way][1]], line
        assert line and line.isprintable(), line
    assert PIDS.exists() == (way in ("forks", "leaves a daemon"))
    if PIDS.exists():
        assert not any(is_there(int(pid)) for pid in PIDS.read_text().split())


@pytest.mark.parametrize(
    "way", ["raises", "exits by sys.exit", "answers NaN", "answers no action", "answers late"]
)
def test_so_it_does_in_the_process_of_the_games(
    greedy_against_itself: Tournament, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_all_play_here(monkeypatch)
    seconds = LATE / 4 if way == "answers late" else 60.0
    records = played(greedy_against_itself, f"{BOT}:{way}", 2, seconds)
    assert lost(records).all()
    assert {kind for kind, _ in records.why.values()} == {KINDS[WAYS[way][1]]}


@pytest.mark.slow
@pytest.mark.parametrize("way", HARMLESS)
def test_what_a_bot_prints_or_writes_into_its_copies_changes_nothing(
    quick: None, greedy_against_itself: Tournament, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    fine, marked = played(greedy_against_itself, BOT, 4), played(greedy_against_itself, f"{BOT}:{way}", 4)
    assert not lost(fine).any()
    assert (marked.rows["scores"] == fine.rows["scores"]).all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("way", NOT_MADE)
def test_a_bot_that_cannot_be_made_is_refused_in_one_line(
    quick: None, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(bots_module, "START_SECONDS", 2.0)
    with pytest.raises(AgentError) as refused:
        define([f"{BOT}:{way}", "greedy"])
    line = str(refused.value)
    assert line.startswith(f"agent '{BOT}:{way}'") and line.isprintable()


# ---------------------------------------------------------------- what it is handed


@pytest.mark.parametrize("game", ["space_mission", "kuhn_poker"])
def test_a_bot_is_sent_the_same_where_its_seat_cannot_tell_the_difference(
    server: BotServer, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    games = BatchedGames(1, game=game)
    bot = BotProcess(server(), "tests.support.hostile_bots:Searching", games.info)
    sent: list[bytes] = []
    send = BotProcess._send
    monkeypatch.setattr(BotProcess, "_send", lambda self, data: (sent.append(bytes(data)), send(self, data)))
    hidden = 0
    for seed in range(3):
        games.deal(0, seed)
        while not games.over[0]:
            index, true = np.zeros(1, np.int64), games.states.copy()
            seat = int(games.players[0])
            action, _ = bot.act(games.ask(index).part(bot.agent, index), 60.0)
            told, sent[:] = b"".join(sent), []
            games.states[:] = games.game(0).determinize(seat, 99).states
            hidden += games.states.tobytes() != true.tobytes()
            bot.act(games.ask(index).part(bot.agent, index), 60.0)
            assert b"".join(sent) == told
            sent.clear()
            games.states[:] = true
            games.step(index, action)
    bot.close()
    assert hidden  # else the test shows nothing


@pytest.mark.parametrize("players", [2, 3])
def test_a_bot_never_meets_a_set_up_from_another_seat(
    quick: None, monkeypatch: pytest.MonkeyPatch, players: int
) -> None:
    memory = "tests.support.hostile_bots:Memory"
    tournament = define([memory, "greedy"], players, rules="printed,max_rounds=6", seed=3)
    assert not lost(played(tournament, memory, 2 * players)).any()
    let_all_play_here(monkeypatch)
    assert lost(played(tournament, memory, 2 * players)).any()


# ---------------------------------------------------------------- a sandbox around the bots

THIEF = """
import os, socket
from pathlib import Path
from spacemission_env import Agent


class Thief(Agent):
    def __init__(self, parameter):
        self.attack = {
            "write": lambda: Path("planted").write_text("x"),
            "network": lambda: socket.create_connection(("192.0.2.1", 53), 1),
            "read": lambda: Path("report/games.sqlite").read_text(),
            "forge": lambda: open("report/games.sqlite", "r+"),
            "parameter": lambda: os.environ["FOR_THE_BOT"],
        }[parameter]

    def act(self, decisions):
        try:
            done = self.attack()
        except (OSError, KeyError) as error:
            done = error
        raise RuntimeError(done)
"""


@pytest.fixture
def thief(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "thief.py").write_text(THIEF)
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "games.sqlite").write_text("the seed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def said(tournament: Tournament, attack: str) -> str:
    ((_, text),) = played(tournament, f"thief:Thief:{attack}", 1).why.values()
    return text


def test_bots_run_by_the_command_of_the_sandbox(
    thief: Path, greedy_against_itself: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SANDBOX, "env 'FOR_THE_BOT=in here'")
    assert "in here" in said(greedy_against_itself, "parameter")
    monkeypatch.setenv(SANDBOX, "false")
    assert played(greedy_against_itself, BOT, 1).why[0][0] == KINDS[DIED]
    for wrong in ("/no/such/program -x", "unclosed '"):
        monkeypatch.setenv(SANDBOX, wrong)
        with pytest.raises(AgentError, match=r"^\$SPACEMISSION_SANDBOX: .* cannot be run: ") as refused:
            define([BOT, "greedy"])
        assert "\n" not in str(refused.value)


def can_sandbox() -> bool:
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_sandbox(), reason="no bubblewrap")
def test_in_a_sandbox_a_bot_reaches_nothing(
    thief: Path, greedy_against_itself: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "the seed" in said(greedy_against_itself, "read")  # the bot finds the seed in this process
    sandbox = "bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc --tmpfs"
    monkeypatch.setenv(SANDBOX, f"{sandbox} {thief / 'report'}")
    assert "Read-only file system" in said(greedy_against_itself, "write")
    assert "Network is unreachable" in said(greedy_against_itself, "network")
    for attack in ("read", "forge"):
        assert "No such file" in said(greedy_against_itself, attack)
    assert not (thief / "planted").exists()
