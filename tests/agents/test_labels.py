"""Labels of agents, and lists of agents with commas."""

import json
from pathlib import Path

import pytest

from spacemission_agents.arena.play import agent_spec, play_games
from spacemission_agents.arena.schedule import Limits, following_seeds
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from spacemission_agents.commands.shared import split_agents
from spacemission_agents.report.page import html_page
from spacemission_env.core.agents import Agent, agent_name
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import RecordWriter
from tests.support.bad_bots import write_bots
from tests.support.command_line import run

pytestmark = pytest.mark.slow

SHORT = "printed,max_rounds=3"
BOT = """
from spacemission_env.core.agents import Agent


class Told(Agent):
    def __init__(self, parameter=None):
        if parameter != "2,12":
            raise ValueError(parameter)

    def choose(self, observation, mask, rng):
        return int(mask.nonzero()[0][-1])
"""


@pytest.mark.parametrize(
    ("agent", "name", "spec"),
    [
        ("greedy", "greedy", "greedy"),
        ("mine=greedy", "mine", "greedy"),
        (" my own = policy:runs/a/model ", "my own", "policy:runs/a/model"),
        ("policy:runs/lr=0.1/model", "policy:runs/lr=0.1/model", "policy:runs/lr=0.1/model"),
        ("bot:Class:a=b", "bot:Class:a=b", "bot:Class:a=b"),
        ("x=bot:Class:a=b", "x", "bot:Class:a=b"),
        ("a=b=c:D", "a", "b=c:D"),
    ],
)
def test_a_label_stands_before_the_first_colon(agent: str, name: str, spec: str) -> None:
    assert (agent_name(agent), agent_spec(agent)) == (name, spec)
    one = Agent()
    assert (agent_name(one), agent_spec(one)) == ("Agent", one)


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("random, greedy", ["random", "greedy"]),
        ('"bot:Class:2,12",greedy', ["bot:Class:2,12", "greedy"]),
        (r"bot:Class:2\,12,greedy", ["bot:Class:2,12", "greedy"]),
        ('mine="bot:Class:2,12",greedy', ["mine=bot:Class:2,12", "greedy"]),
        (r"policy:C:\runs\model,random", [r"policy:C:\runs\model", "random"]),
        (r"bot:Class:say \"yes\"", ['bot:Class:say "yes"']),
        (r'"bot:Class:a\"b,c"', ['bot:Class:a"b,c']),
    ],
)
def test_commas_can_be_written(text: str, agents: list[str]) -> None:
    assert split_agents(text) == agents


def test_a_parameter_with_a_comma_reaches_the_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bots(tmp_path, monkeypatch, told_bot=BOT)
    for written in ('"told_bot:Told:2,12"', r"told_bot:Told:2\,12"):
        command = ["play", "--agents", f"{written},random", "--rules", SHORT, "--json"]
        assert json.loads(run(*command).stdout)["agents"] == ["told_bot:Told:2,12", "random"]


def test_labels_name_agents_in_records_and_results(tmp_path: Path) -> None:
    file, agents = tmp_path / "games.jsonl", ["a=random", "b=random", "random"]
    with RecordWriter(file) as writer:
        play_games(agents, [[0, 1, 2], [2, 0, 1]], following_seeds(1, 2), SHORT, record=writer)
    assert [one.agents for one in replay_file(file)] == [["a", "b", "random"], ["random", "a", "b"]]
    command = ["play", "--agents", "first=random,random,first=random", "--rules", SHORT]
    report = json.loads(run(*command, "--json", "--record", str(file)).stdout)
    assert report["agents"] == ["first", "random", "first"]
    assert report["specs"] == ["random"] * 3
    assert json.loads(file.read_text().splitlines()[0])["agents"] == report["agents"]
    assert "first" in run(*command).stdout
    run("replay", str(file), "--check")


def test_agents_of_one_spec_are_told_apart(tmp_path: Path) -> None:
    agents = ["one=greedy", "two=greedy", "random", "greedy=random"]
    tournament = define(agents, 2, Limits(8), seed=2, rules=SHORT, records=1)
    report = run_tournament(tournament, tmp_path / "out", RunOptions(workers=1))
    names = ["one", "two", "random", "greedy"]
    assert report["agents"] == names
    assert report["specs"] == ["greedy", "greedy", "random", "random"]
    assert sorted(row["agent"] for row in report["ladder"]) == sorted(names)
    assert {row["agent"] for row in report["pairs"]} == set(names)
    assert {name for row in report["records"] for name in row["table"]} == set(names)
    # anchors are recognised by spec, not by name
    ratings = {row["agent"]: row for row in report["ratings"]}
    assert [ratings[name]["rating"] for name in names] == [1395.0, 1395.0, 0.0, 0.0]
    page = html_page(report)
    assert '<th scope="row">agent one</th><td class="left">greedy</td>' in page
    assert "agent random" not in page
    assert run_tournament(tournament, tmp_path / "out", RunOptions(resume=True)) == report
