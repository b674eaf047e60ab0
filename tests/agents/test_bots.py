"""Bots by lines: a fault forfeits with one line, check-bot explains it, and nothing is left behind."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_agents.arena import play as play_module
from spacemission_agents.arena import tournament as tournament_module
from spacemission_agents.arena.results import FORFEITED, Games
from spacemission_agents.arena.schedule import Limits, set_up_seed
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from spacemission_agents.bots import bot as bots
from spacemission_agents.bots import protocol
from spacemission_agents.bots.bot import SeatBot
from spacemission_agents.bots.check import check_bot
from spacemission_agents.bots.process import SANDBOX, LineProcess
from spacemission_env.core.agents import make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import make_game
from tests.support import tournaments
from tests.support.bad_bots import write_bots
from tests.support.broken_bots import FAULTS, HARMLESS
from tests.support.command_line import run
from tests.support.paths import ROOT

BROKEN = f"command:{sys.executable} {ROOT / 'tests' / 'support' / 'broken_bots.py'}"
EXAMPLES = [
    f"command:{sys.executable} {ROOT / 'examples' / 'bots' / 'first_points.py'}",
    f"command:node {ROOT / 'examples' / 'bots' / 'first_points.mjs'}",
]
KUHN: dict[str, Any] = {"game": "kuhn_poker"}


def broken(way: str) -> str:
    return f"{BROKEN} '{way}'"


def played(spec: str, games: int, seconds: float = 60.0, players: int = 2, **options: Any) -> Games:
    """Games of a bot against `random`, in this process."""
    limits = Limits(seconds_per_decision=seconds)
    of = define([spec, "random"], players, limits, seed=3, **options)
    return tournaments.played(of, np.arange(games))


def lost(games: Games) -> np.ndarray:
    return np.asarray(games.rows["ending"] == FORFEITED)


# ---------------------------------------------------------------- faults


@pytest.mark.slow
@pytest.mark.parametrize("way", FAULTS)
def test_check_bot_names_the_fault(way: str) -> None:
    found = check_bot(broken(way), games=2, seconds=0.5 if "0.5 s" in FAULTS[way] else 10.0)
    (fault,) = found.faults
    assert FAULTS[way] in fault and fault.isprintable() and len(fault) < 600, fault


@pytest.mark.parametrize("way", HARMLESS)
def test_check_bot_lets_harmless_ways_pass(way: str) -> None:
    found = check_bot(broken(way), games=2, **KUHN)
    assert (found.faults, found.games) == ([], 2)


def test_check_bot_command() -> None:
    refused = run("check-bot", broken("answers in prose"), status=1).stderr
    where = f"move 3 of seat 0, game 0, seed {set_up_seed(0, 0)}"
    fault = "wrote no JSON but 'I fly' – write only messages"
    assert f"after act, {where}: {fault}" in refused
    assert "no such program" not in refused and refused.count("\n") == 1
    fine = run("check-bot", BROKEN, "--game", "kuhn_poker", "--games", "3")
    assert "3 games against random moves" in fine.stdout and "no fault" in fine.stdout
    assert json.loads(run("check-bot", BROKEN, "--game", "kuhn_poker", "--json").stdout)["faults"] == []


@pytest.mark.slow
def test_a_bot_that_fails_forfeits_and_the_tournament_goes_on(tmp_path: Path) -> None:
    ways = ["crashes", "answers another id", "answers NaN", "answers 2 MiB", "answers in prose", "floods"]
    agents = [f"{way}={broken(way)}" for way in [*ways, "answers twice"]] + ["random"]
    report = run_tournament(define(agents, 2, Limits(2)), tmp_path / "out", RunOptions(workers=1))
    assert report["games"] == 56 and report["forfeited"] >= 50
    for row in report["forfeits"]:
        assert row["agent"] != "random" and row["reason"].isprintable()


def test_a_bot_that_is_late_forfeits_and_is_started_again() -> None:
    games = played(broken("hangs"), 2, 0.5)
    assert lost(games).all()
    assert {kind for kind, _ in games.why.values()} == {"too slow"}


def test_a_bot_that_does_not_start_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "START_SECONDS", 1.0)
    for way, words in (
        ("refuses", r"^agent .*: not with two players$"),
        ("ends at its start", "its process ended"),
    ):
        with pytest.raises(AgentError, match=words):
            define([broken(way), "random"])
    with pytest.raises(AgentError, match="was not ready within 1 s"):
        define([f"command:{sys.executable} -c 'import time; time.sleep(100)'", "random"])
    with pytest.raises(AgentError, match="expected a command; '/no/such' is no program"):
        make_agent("command:/no/such bot")


# ---------------------------------------------------------------- bots that play


@pytest.mark.slow
@pytest.mark.parametrize("spec", EXAMPLES)
def test_example_bots_play(spec: str) -> None:
    if "node" in spec and shutil.which("node") is None:
        pytest.skip("no node")
    script = Path(spec.split()[1])
    assert len(script.read_text().splitlines()) <= 40 and "spacemission_" not in script.read_text()
    games = played(spec, 10)
    assert not lost(games).any()
    assert games.rows["winners"][::2, 0].sum() + games.rows["winners"][1::2, 1].sum() >= 8


def test_a_bot_plays_wherever_an_agent_is_named(tmp_path: Path) -> None:
    agent = make_agent(BROKEN, "kuhn_poker")
    game = make_game("kuhn_poker")
    for seed in range(4):
        game.reset(seed)
        while not game.over:
            game.step(agent.play(game))
    report = json.loads(
        run(
            "play", "--agents", f"b={BROKEN},random", "--games", "20", "--game", "kuhn_poker", "--json"
        ).stdout
    )
    assert report["agents"] == ["b", "random"] and report["games"] == 20
    bad, one = make_agent(broken("answers in prose")), make_game()
    one.reset(1)
    for _ in range(2):
        bad.play(one)
    with pytest.raises(AgentError, match=r"^agent .*: player_\d: wrote no JSON but 'I fly'"):
        bad.play(one)


HOSTED = """
import os, sys
import numpy as np
from spacemission_env import Agent


class Many(Agent):
    def act(self, decisions):
        print("what it prints is on its log")
        return decisions.masks.argmax(1)


class One(Agent):
    def choose(self, observation, mask, rng):
        assert observation.dtype == np.float32 and 0 <= observation.min() and observation.max() <= 1
        return int(rng.choice(np.flatnonzero(mask)))


class Searching(Agent):
    needs = {"observations", "worlds"}

    def choose_with_world(self, observation, mask, rng, world):
        assert (world.mask() == mask).all() and (world.observe() == observation).all()
        return int(rng.choice(np.flatnonzero(mask)))


class Odd(Many):
    def act(self, decisions):
        if (decisions.keys % 50 == 0).any():
            raise RuntimeError("out of ideas")
        return super().act(decisions)


class Forker(Many):
    def act(self, decisions):
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if pid := os.fork():
                    os._exit(0)
                open("left_behind.txt", "a").write(f"{os.getpid()}\\n")
                sys.stdin.close()
                import time
                time.sleep(1000)
        raise RuntimeError("look behind you")


class Greedy(Many):
    def act(self, decisions):
        np.empty(5 << 30, np.uint8).fill(1)


class Thief(Agent):
    def act(self, decisions):
        told = []
        for attack in (
            lambda: open("planted", "w").write("x"),
            lambda: open("report/games.sqlite").read(),
            lambda: __import__("socket").create_connection(("192.0.2.1", 53), 1),
            lambda: os.environ["FOR_THE_BOT"],
        ):
            try:
                told.append(str(attack()))
            except (OSError, KeyError) as error:
                told.append(str(getattr(error, "strerror", None) or error))
        raise RuntimeError("; ".join(told))
"""


@pytest.fixture
def hosted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_bots(tmp_path / "bots", monkeypatch, hosted=HOSTED)
    (tmp_path / "bots" / "report").mkdir()
    (tmp_path / "bots" / "report" / "games.sqlite").write_text("the seed")
    return tmp_path / "bots"


@pytest.mark.parametrize("agent", ["Many", "One", "Searching"])
def test_a_class_plays_the_same_by_lines_and_in_this_process(
    hosted: Path, agent: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    games = played(f"hosted:{agent}", 12, **KUHN)
    assert not lost(games).any() and capfd.readouterr() == ("", "")
    for module in (tournament_module, play_module):
        monkeypatch.setattr(module, "is_bot", lambda *about: False)
    here = played(f"hosted:{agent}", 12, **KUHN)
    for name in ("scores", "winners", "decisions"):
        assert (games.rows[name] == here.rows[name]).all(), name


@pytest.mark.slow
def test_an_error_costs_only_the_game_in_which_it_happens(hosted: Path) -> None:
    games, fine = played("hosted:Odd", 60, **KUHN), played("hosted:Many", 60, **KUHN)
    assert 0 < lost(games).sum() < 30
    assert {text for _, text in games.why.values()} == {
        f"failed with RuntimeError: out of ideas (hosted.py:{1 + HOSTED.splitlines().index(LINE)})"
    }
    assert (games.rows["scores"] == fine.rows["scores"])[~lost(games)].all()


LINE = '            raise RuntimeError("out of ideas")'


@pytest.mark.skipif(sys.platform != "linux", reason="macOS ends only the bot's group, and sets no limit")
def test_all_that_a_bot_started_ends_with_it_and_memory_is_limited(hosted: Path) -> None:
    assert "look behind you" in played("hosted:Forker", 1, **KUHN).why[0][1]
    pids = [int(word) for word in Path("left_behind.txt").read_text().split()]
    assert pids
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert "MemoryError" in played("hosted:Greedy", 1, **KUHN).why[0][1]


def test_bots_run_by_the_command_of_the_sandbox(hosted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SANDBOX, "env 'FOR_THE_BOT=in here'")
    told = played("hosted:Thief", 1, **KUHN).why[0][1]
    assert "in here" in told and "the seed" in told  # without a sandbox it may do all this
    for wrong in ("/no/such/program -x", "unclosed '"):
        monkeypatch.setenv(SANDBOX, wrong)
        with pytest.raises(AgentError, match=r"^\$SPACEMISSION_SANDBOX: .* cannot be run: "):
            define(["hosted:Many", "random"], **KUHN)


def can_sandbox() -> bool:
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_sandbox(), reason="no bubblewrap")
def test_in_a_sandbox_a_bot_reaches_nothing(hosted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = "bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc --tmpfs"
    monkeypatch.setenv(SANDBOX, f"{sandbox} {hosted / 'report'}")
    told = played("hosted:Thief", 1, **KUHN).why[0][1]
    for words in ("Read-only file system", "No such file", "Network is unreachable"):
        assert words in told
    assert not (hosted / "planted").exists()


# ---------------------------------------------------------------- what a bot is told


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    lines: list[bytes] = []
    send = LineProcess.send
    monkeypatch.setattr(LineProcess, "send", lambda self, line: (lines.append(line), send(self, line))[1])
    return lines


WANTS_ALL = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        ready = {"type": "ready", "protocol": 1, "name": "all", "version": "7", "wants": WANTS}
        print(json.dumps(ready), flush=True)
    elif m["type"] == "act" and "rows" in m:
        actions = [row["legal"][0] for row in m["rows"]]
        print(json.dumps({"type": "move", "id": m["id"], "actions": actions}), flush=True)
    elif m["type"] == "act":
        print(json.dumps({"type": "move", "id": m["id"], "action": m["legal"][0]}), flush=True)
"""


def wanting(folder: Path, *wants: str) -> str:
    (folder / "wants.py").write_text(f"WANTS = {list(wants)!r}\n{WANTS_ALL}")
    return f"command:{sys.executable} {folder / 'wants.py'}"


@pytest.mark.parametrize("batch", [False, True])
def test_messages_have_the_form_of_the_schema(batch: bool, sent: list[bytes], tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(Path(protocol.__file__).with_name("protocol.schema.json").read_text())
    offers = [offer for offer in protocol.OFFERS if batch or offer != "batch"]
    games = played(wanting(tmp_path, *offers), 2, rules="printed,max_rounds=2")
    assert not lost(games).any()
    kinds = []
    for line in sent:
        message = json.loads(line)
        jsonschema.validate(message, schema)
        kinds.append(message["type"])
        for row in message.get("rows", [message]) if message["type"] == "act" else ():
            assert {"moves", "words", "view", "observation", "worlds"} <= set(row)
            assert [one["action"] for one in row["moves"]] == row["legal"]
    assert kinds.count("end") == 2 and kinds[0] == "hello"
    last = json.loads(next(line for line in reversed(sent) if b'"act"' in line))
    view = (last["rows"][0] if batch else last)["view"]
    assert len(view["history"]) > 5 and view["history"][0].startswith("player_")


@pytest.mark.parametrize("game", [pytest.param("space_mission", marks=pytest.mark.slow), "kuhn_poker"])
def test_a_bot_is_sent_the_same_where_its_seat_cannot_tell_the_difference(
    sent: list[bytes], game: str, tmp_path: Path
) -> None:
    games, row = BatchedGames(1, game=game), np.zeros(1, np.int64)
    spec = wanting(tmp_path, "moves", "words", "view", "observation", "worlds")
    seats = [SeatBot(spec, games.info, seat, 60.0) for seat in range(games.num_players)]
    hidden = 0
    for seed in range(2):
        games.deal(0, seed)
        while not games.over[0]:
            true, seat = games.states.copy(), int(games.players[0])
            told = []
            for _ in range(2):
                sent.clear()
                actions, _, forfeits = seats[seat].ask(games.ask(row), lambda row, seed=seed: seed, row)
                assert not forfeits
                told.append({**json.loads(sent[-1]), "id": 0, "seconds": 0})
                games.states[:] = games.game(0).determinize(seat, 99).states
                hidden += games.states.tobytes() != true.tobytes()
            assert told[0] == told[1]
            games.states[:] = true
            games.step(row, actions)
    for bot in seats:
        bot.close()
    assert hidden  # else the test shows nothing


def test_line_ups_and_seats_have_processes_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[int] = []
    start = LineProcess.__init__
    monkeypatch.setattr(LineProcess, "__init__", lambda *a: (started.append(1), start(*a))[1])
    games = played(wanting(tmp_path, "batch"), 24, players=3, **KUHN)
    assert not lost(games).any()
    # Two tables of three rotations; the bot has one seat at the first and two at the second.
    assert len(started) == 1 + 3 * 1 + 3 * 2  # one tried the bot


def test_the_version_of_a_bot_is_compared_on_resume(tmp_path: Path) -> None:
    spec = wanting(tmp_path)
    assert define([spec, "random"], **KUHN).versions == {spec: "7"}


def test_a_long_batch_is_sent_in_lines_of_at_most_a_mebibyte(sent: list[bytes], tmp_path: Path) -> None:
    games = BatchedGames(400)
    for i in range(400):
        games.deal(i, i)
    bot, asked = (
        SeatBot(wanting(tmp_path, "batch", "observation"), games.info, 0, 60.0),
        games.ask(games.everyone),
    )
    done = 0
    while done < 400:
        actions, _, forfeits = bot.ask(asked, lambda row: row, games.everyone[done:])
        assert not forfeits
        done += len(actions)
    bot.close()
    assert max(map(len, sent)) <= protocol.LINE_BYTES and len(sent) < 12


def test_a_game_that_is_played_again_has_another_number(sent: list[bytes], tmp_path: Path) -> None:
    games, row = BatchedGames(1, **KUHN), np.zeros(1, np.int64)
    games.deal(0, 1)
    bot = SeatBot(wanting(tmp_path), games.info, 0, 60.0)
    for _ in range(2):
        bot.ask(games.ask(row), lambda row: "this game", row)
        bot.end("this game", {})
    bot.end("this game", {})  # it has been told
    bot.close()
    told = [(message["type"], message["game_id"]) for message in map(json.loads, sent[1:])]
    assert told == [("act", 1), ("end", 1), ("act", 2), ("end", 2)]


def test_a_batch_has_the_time_of_at_most_eight_decisions_and_the_first_one_more(
    sent: list[bytes], tmp_path: Path
) -> None:
    games = BatchedGames(40, **KUHN)
    for i in range(40):
        games.deal(i, i)
    bot = SeatBot(wanting(tmp_path, "batch"), games.info, 0, 10.0)
    for rows in (games.everyone[:3], games.everyone):
        bot.ask(games.ask(games.everyone), lambda row: row, rows)
    bot.close()
    first, second = map(json.loads, sent[1:])
    assert len(first["rows"]) == 3 and first["seconds"] == 30 + protocol.FIRST_SECONDS
    assert len(second["rows"]) > protocol.MOST_ROWS == 8 and second["seconds"] == 80


SAYS_WHY_ONCE = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif m["type"] == "act":
        if m["id"] == 1:
            print("no idea", file=sys.stderr, flush=True)
        print(json.dumps({"type": "move", "id": m["id"], "action": None}), flush=True)
"""


def test_a_line_of_the_log_is_the_reason_of_one_forfeit(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(SAYS_WHY_ONCE)
    games, row = BatchedGames(1, **KUHN), np.zeros(1, np.int64)
    games.deal(0, 1)
    bot = SeatBot(f"command:{sys.executable} {tmp_path / 'bot.py'}", games.info, 0, 60.0)
    why = [bot.ask(games.ask(row), lambda row: row, row)[2][0].text for _ in range(2)]
    bot.close()
    assert why == ["no idea", "answered null"]


def test_the_end_of_the_last_game_is_told_to_a_bot_in_every_seat(sent: list[bytes], tmp_path: Path) -> None:
    agent, game = make_agent(wanting(tmp_path), "kuhn_poker"), make_game("kuhn_poker", 2)
    game.reset(1)
    while not game.over:
        game.step(agent.play(game))
    agent.close()
    ends = [message for message in map(json.loads, sent) if message["type"] == "end"]
    assert len(ends) == 2 and all(end["result"]["winners"] == game.winners() for end in ends)
