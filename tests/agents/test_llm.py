"""Tests language models as agents against a scripted server with the faults of real ones.

`python -m tests.agents.test_llm 500` plays so many games with every fault, in one run and in one that
is killed and resumed (`make check-long`).
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from spacemission_agents.arena.play import play_games
from spacemission_agents.arena.schedule import Limits
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from spacemission_agents.commands.shared import transcripts
from spacemission_agents.llm import chat, options
from spacemission_agents.llm.agent import LlmAgent
from spacemission_agents.llm.store import FILE, Store, summary_of
from spacemission_env import TextSeat, make_agent, make_game
from spacemission_env.cli import app
from spacemission_env.core import heartbeat
from spacemission_env.core.errors import AgentError, StopError
from spacemission_env.core.heartbeat import QUIET
from tests.support.chat_server import Body, ChatServer, any_move, chat_server, legal_moves, says
from tests.support.pages import blocks, shell

KUHN = "kuhn_poker"
MODEL = "llm:m?legal=yes"
FAULTS = ("429", "500", "cut", "nonsense", "drop", "503")


def faulty(body: Body, number: int) -> str | None:
    """A fault in each third request."""
    return FAULTS[number // 3 % len(FAULTS)] if number % 3 == 0 else None


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "FIRST_WAIT", 0.005)
    for name in (options.URL, options.KEY, options.TRANSCRIPTS, options.TOKENS, options.COST, options.PRICES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with chat_server() as made:
        monkeypatch.setenv(options.URL, made.url)
        yield made


def decided(spec: str = MODEL, seed: int = 1) -> tuple[int, list[dict[str, object]]]:
    """The action of a model in a fresh game of Kuhn poker, and the rows of its transcript, oldest first."""
    game = make_game(KUHN, 2)
    game.reset(seed)
    with tempfile.TemporaryDirectory() as folder, transcripts(folder):
        agent = make_agent(spec, KUHN)
        action = agent.play(game)
        assert isinstance(agent, LlmAgent)
        agent.close()
        return action, rows_of(Path(folder))


def rows_of(folder: Path) -> list[dict[str, object]]:
    file = sqlite3.connect(folder / FILE)
    file.row_factory = sqlite3.Row
    rows = [dict(row) for row in file.execute("select * from answers order by rowid")]
    file.close()
    return rows


# ---------------------------------------------------------------- one question


def test_a_model_is_asked_in_text_and_its_answer_is_played(server: ChatServer) -> None:
    action, (row,) = decided(f"{MODEL}&temperature=0.5&tokens=50")
    (body,) = server.requests
    game = make_game(KUHN, 2)
    game.reset(1)
    seat = TextSeat(game, 0)
    asked = [message["content"] for message in body["messages"]]
    assert (
        asked[0] == seat.rules()
        and asked[1].startswith(seat.prompt())
        and legal_moves(body) == ["check", "bet"]
    )
    assert (body["model"], body["temperature"], body["max_completion_tokens"]) == ("m", 0.5, 50)
    assert game.move_text(action) == row["outcome"] and row["answer"] == any_move(body)
    assert (row["seed"], row["seat"], row["decision"], row["tries"]) == (1, 0, 0, 1)
    assert json.loads(str(row["messages"])) == body["messages"][1:]


@pytest.mark.parametrize("fault", [*FAULTS, "slow"])
def test_each_fault_of_a_server_is_followed_by_another_try(
    server: ChatServer, fault: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(QUIET, raising=False)
    server.faults = lambda body, number: fault if number < 3 else None
    _, (row,) = decided(f"{MODEL}&timeout=0.3")
    assert row["tries"] == 3 == len(server.requests)
    assert capsys.readouterr().err.count("; trying again") == 1


def test_the_server_says_how_long_to_wait(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "FIRST_WAIT", 60.0)
    server.faults = lambda body, number: "429" if number == 1 else None
    for header in ("0.02", formatdate(time.time() + 1, usegmt=True)):
        server.requests.clear()
        server.retry_after = header
        began = time.monotonic()
        decided()
        assert len(server.requests) == 2 and time.monotonic() - began < 50
    server.requests.clear()
    server.retry_after = "9999"
    with pytest.raises(StopError, match="no answer in 1 tries; the last: status 429"):
        decided()


@pytest.mark.parametrize(
    ("fault", "said", "requests"),
    [
        ("401", r"chat/completions: status 401: .*scripted", 1),
        ("404", r"chat/completions: status 404: ", 1),
        ("500", r"no answer in 8 tries; the last: status 500", 8),
        ("drop", r"no answer in 8 tries; the last: RemoteProtocolError", 8),
        ("nonsense", r"the last: no chat completion \(JSONDecodeError\)", 8),
    ],
)
def test_a_server_that_refuses_or_stays_away_stops_the_run(
    server: ChatServer, fault: str, said: str, requests: int
) -> None:
    server.faults = lambda body, number: fault
    with pytest.raises(StopError, match=said) as stopped:
        decided()
    assert len(server.requests) == requests and "\n" not in str(stopped.value)


def test_a_model_may_answer_again_and_is_told_what_was_wrong(server: ChatServer) -> None:
    script = iter(("I call.", says("raise"), says("bet")))
    server.answers = lambda body: next(script)
    action, rows = decided()
    assert action == 1
    assert [str(row["outcome"]).partition(":")[0] for row in rows] == ["Unreadable", "Illegal", "bet"]
    roles = [message["role"] for message in server.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    retries = [message["content"] for message in server.requests[-1]["messages"][3::2]]
    assert retries[0].startswith("Your answer could not be read") and "not legal" in retries[1]


@pytest.mark.parametrize("answer", ["I bet. move: bet", says("raise"), "", '[{"move": "bet"}]'])
@pytest.mark.parametrize(("illegal", "requests"), [("forfeit", 1), ("retry:3", 4)])
def test_an_agent_without_a_legal_move_fails_and_no_other_move_is_played(
    server: ChatServer, answer: str, illegal: str, requests: int
) -> None:
    server.answers = lambda body: answer
    with pytest.raises(AgentError, match=r"player_0: (illegal move|unreadable answer): "):
        decided(f"{MODEL}&illegal={illegal}")
    assert len(server.requests) == requests


def test_a_model_needs_a_key_or_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AgentError, match="set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without a key"):
        make_agent("llm:m", KUHN)
    monkeypatch.setenv(options.KEY, "secret")
    assert "secret" not in repr(vars(make_agent("llm:m", KUHN)))


def test_what_is_spent_is_counted_and_limited(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(options.PRICES, "1000,10000")
    _, (row,) = decided()
    assert row["cost"] == pytest.approx((100 * 1000 + 10 * 10_000) / 1e6)
    for name, limit in ((options.TOKENS, "250"), (options.COST, "0.5")):
        monkeypatch.setenv(name, limit)
        server.requests.clear()
        with pytest.raises(StopError, match=r"330 tokens and \$0\.6000 are spent"):
            play_games([f"{MODEL}&at_once=1", "random"], [[0, 1]] * 20, range(20), game=KUHN)
        assert len(server.requests) == 3
        monkeypatch.delenv(name)
    monkeypatch.setenv(options.TOKENS, "many")
    with pytest.raises(AgentError, match="SPACEMISSION_LLM_TOKENS: expected a number"):
        make_agent(MODEL, KUHN)
    monkeypatch.delenv(options.TOKENS)
    monkeypatch.setenv(options.PRICES, "0.25")
    with pytest.raises(AgentError, match="SPACEMISSION_LLM_PRICES: expected two numbers"):
        make_agent(MODEL, KUHN)
    monkeypatch.delenv(options.PRICES)
    monkeypatch.setenv(options.COST, "1")
    with pytest.raises(AgentError, match="SPACEMISSION_LLM_COST: needs SPACEMISSION_LLM_PRICES"):
        make_agent(MODEL, KUHN)


# ---------------------------------------------------------------- games


def test_many_questions_are_under_way_at_once(server: ChatServer) -> None:
    server.delay = 0.2
    play_games([MODEL, "random"], [[0, 1]] * 32, range(32), game=KUHN)
    assert 16 < server.most_at_once <= 32
    server.most_at_once = 0
    play_games([f"{MODEL}&at_once=4", "random"], [[0, 1]] * 12, range(12), game=KUHN)
    assert 2 <= server.most_at_once <= 4


def test_line_ups_with_one_deal_share_an_answer(server: ChatServer) -> None:
    play_games([MODEL, "random", "llm:null"], [[0, 1], [0, 2]], [7, 7], game=KUHN)
    first = [body for body in server.requests if "player_1: 1 in the pot; has not acted" in str(body)]
    assert len(first) == 1


def test_no_fault_costs_a_game_and_the_moves_are_those_without_faults(server: ChatServer) -> None:
    lineups, seeds = [[0, 1], [1, 0]] * 10, list(range(20))
    calm = play_games([MODEL, "random"], lineups, seeds, game=KUHN)
    server.faults = faulty
    rough = play_games([MODEL, "random"], lineups, seeds, game=KUHN)
    assert (calm.scores == rough.scores).all() and calm.decisions.sum() == rough.decisions.sum()


def test_prompts_in_a_tournament_have_the_moves_so_far(server: ChatServer) -> None:
    play_games([MODEL, "random"], [[0, 1], [1, 0]] * 4, range(8), game=KUHN)
    seconds = [body for body in server.requests if "You are player_1" in body["messages"][1]["content"]]
    assert seconds
    for body in seconds:
        assert "as you saw them:\nplayer_0: " in body["messages"][1]["content"]


def tournament(folder: Path, games: int, *agents: str, **more: float) -> dict[str, object]:
    with transcripts(str(folder / "transcripts")):
        limits = Limits(games, seconds_per_decision=more.get("seconds", 10.0))
        of = define(agents or (MODEL, "random"), 2, limits, game=KUHN)
        return run_tournament(of, folder, RunOptions(resume=True, workers=1))


def test_a_tournament_that_is_resumed_or_played_again_asks_nothing_twice(
    server: ChatServer, tmp_path: Path
) -> None:
    tournament(tmp_path, 6)
    asked = len(server.requests)
    first = rows_of(tmp_path / "transcripts")
    assert asked == len(first) > 5
    (tmp_path / "games.sqlite").unlink()
    tournament(tmp_path, 6)
    assert len(server.requests) == asked and rows_of(tmp_path / "transcripts") == first
    (row,) = summary_of(str(tmp_path / "transcripts"))
    assert (row["agent"], row["answers"], row["illegal"], row["prompt_tokens"]) == (
        MODEL,
        asked,
        0,
        100 * asked,
    )


def test_the_time_limit_of_the_arena_is_not_that_of_a_model(server: ChatServer, tmp_path: Path) -> None:
    server.delay = 0.05
    assert tournament(tmp_path, 4, MODEL, "llm:null", seconds=0.001)["forfeits_total"] == 0


def test_progress_counts_the_answers_of_this_run(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the first game has ended, and without the answers that were there before."""
    monkeypatch.delenv(QUIET)
    monkeypatch.setattr(heartbeat, "SECONDS", 0.1)
    server.delay = 0.3
    given = ["--agents", f"{MODEL}&at_once=1,random", "--game", KUHN, "--workers", "1"]
    for games in ("2", "4"):
        folder, before = tmp_path / games, len(server.requests)
        where = ["--out", str(folder), "--transcripts", str(tmp_path / "told")]
        result = CliRunner().invoke(app, ["arena", *given, "--games", games, *where])
        told = re.findall(r"playing, (\d+) answers of models: ", result.stderr)
        assert told and max(map(int, told)) <= len(server.requests) - before


def test_a_model_that_says_no_move_forfeits_in_the_arena(server: ChatServer, tmp_path: Path) -> None:
    server.answers = lambda body: "I fold" if "King" in str(body) or "hold K" in str(body) else any_move(body)
    report = tournament(tmp_path, 20, MODEL, "llm:null")
    lost = report["forfeits"]
    assert isinstance(lost, list) and 0 < len(lost) < 40
    why = "unreadable answer: there is no JSON object in the answer"
    assert all(row["agent"] == MODEL and row["reason"].endswith(why) for row in lost), lost


def test_a_server_that_fails_stops_a_tournament_and_loses_no_game(server: ChatServer, tmp_path: Path) -> None:
    server.faults = lambda body, number: "402" if number > 6 else None
    with pytest.raises(StopError, match="status 402"):
        tournament(tmp_path, 20)
    paid = len(rows_of(tmp_path / "transcripts"))
    server.faults = lambda body, number: None
    server.requests.clear()
    assert tournament(tmp_path, 20)["forfeits_total"] == 0
    assert len(server.requests) == len(rows_of(tmp_path / "transcripts")) - paid


def test_nobody_is_asked_for_null_and_it_plays_the_same_alone_and_in_a_batch(tmp_path: Path) -> None:
    lineups, seeds = [[0, 1], [1, 0]] * 20, [n // 2 for n in range(40)]
    whole = play_games(["llm:null", "random"], lineups, seeds, game=KUHN)
    parts = [play_games(["llm:null", "random"], [lineups[n]], [seeds[n]], game=KUHN) for n in range(40)]
    assert (whole.scores == np.concatenate([part.scores for part in parts])).all()
    neutral = play_games(["llm:null?names=neutral:5", "random"], lineups, seeds, game=KUHN)
    assert (whole.scores == neutral.scores).all()  # the tree is the same
    with transcripts(str(tmp_path)) as models:
        assert models() == []
        game = make_game("space_mission", 3)
        game.reset(4)
        agent = make_agent("llm:null?rules=short&budget=6000", "space_mission")
        for _ in range(12):
            game.step(agent.play(game))
        assert [row["answers"] for row in models()] == [12]


def test_two_processes_keep_one_answer(tmp_path: Path) -> None:
    one, other = Store(tmp_path), Store(tmp_path)
    messages = [{"role": "system", "content": "rules"}, {"role": "user", "content": "table"}]
    for store, text in ((one, "first"), (other, "second")):
        store.put((1, 0, 0), "d", "llm:m", messages, chat.Reply(text, 1, 1), "bet")
    assert one.get((1, 0, 0), "d") == other.get((1, 0, 0), "d") == "first"
    assert one.get((1, 1, 0), "d") is None and one.spent() == (2, 0)
    one.close(), other.close()
    with pytest.raises(AgentError, match="transcripts '/dev/null/x': cannot be written"):
        Store("/dev/null/x")


@pytest.mark.slow
def test_the_commands_of_the_page_rate_a_model(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/llm.md, with fewer games, and with a model that is told the legal moves."""
    monkeypatch.setenv("SPACEMISSION_QUIET", "1")
    scripts = blocks("docs/llm.md", "bash")
    assert "OPENAI_API_KEY" in scripts[0] and len(scripts) == 3
    for script in scripts[1:]:
        short = script.replace("gpt-5-mini", "gpt-5-mini?legal=yes").replace("--games 40", "--games 2")
        short = re.sub("(?m)^sqlite3 .*", "", short).replace(",heuristic", "")  # sqlite3 may not be installed
        printed = shell(f"set -e\n{short}", tmp_path)
        assert "llm:gpt-5-mini?legal=yes: " in printed
    assert (tmp_path / "rated" / "transcripts" / FILE).is_file()
    (code,) = blocks("docs/llm.md")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"# {done.stdout.strip()}" in code


def killed_and_resumed(games: int, kill_after: int) -> tuple[int, int, int]:
    """Kill a tournament after so many answers and resume it.

    Returns the answers on disk at the kill and in the end, and those that the server gave after the kill.
    """
    with tempfile.TemporaryDirectory() as folder, chat_server(faults=faulty) as server:
        server.delay = 0.02
        env = os.environ | {options.URL: server.url, "SPACEMISSION_QUIET": "1"}
        code = "from spacemission_env.cli import main; main()"
        command = [sys.executable, "-c", code, "arena", "--agents", f"{MODEL},llm:null", "--game", KUHN]
        command += ["--games", str(games), "--out", folder, "--resume", "--workers", "2"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, start_new_session=True)
        while len(server.answered) < kill_after and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it could be killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(1.0)  # workers end with their parent; the server answers what is under way
        there = Path(folder) / "transcripts"
        before = [row for row in rows_of(there) if row["agent"] == MODEL]
        server.answered.clear()
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, timeout=600)
        after = [row for row in rows_of(there) if row["agent"] == MODEL]
        assert after[: len(before)] == before or {r["digest"] for r in before} <= {r["digest"] for r in after}
        report = json.loads((Path(folder) / "arena.json").read_text("utf-8"))
        assert report["games"] == games and report["forfeits_total"] == 0
        return len(before), len(after), len(server.answered)


@pytest.mark.slow
def test_a_killed_tournament_resumes_without_asking_again() -> None:
    before, after, answered = killed_and_resumed(60, 25)
    assert 20 <= before <= after - 10 and answered == after - before


def main(games: int) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, chat_server(faults=faulty) as server:
        os.environ[options.URL] = server.url
        server.delay = 0.1
        report = tournament(Path(folder), games)
        rows = rows_of(Path(folder) / "transcripts")
        assert report["games"] == games and report["forfeits_total"] == 0
        assert len(rows) == len(server.answered)
        print(f"{games} games: none lost; {len(rows)} answers, {len(server.requests)} requests, at most "
              f"{server.most_at_once} at once, {time.monotonic() - began:.0f} s")  # fmt: skip
    before, after, answered = killed_and_resumed(games, games // 3)
    print(f"killed at {before} answers, {after} in the end, {answered} of them asked after the kill")
    assert answered == after - before


if __name__ == "__main__":
    main(int(sys.argv[1]))
