"""Tests of training for Planet Hexx: it starts from the heuristic, and all commands read its models."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch

from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Decisions, make_agent
from spacemission_env.games.planet_hexx.engine.constants import SIDE
from spacemission_train.games.planet_hexx.views import RatedView
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.run import trainer
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.self_play.table import GameTable
from tests.support.command_line import run
from tests.support.small_runs import HEXX, new_model, tiny_hexx

pytestmark = pytest.mark.slow


def some_games(players: int = 2, count: int = 48) -> tuple[GameTable, Decisions]:
    """Games after different numbers of moves, and their decisions."""
    table = GameTable(count, players, game="planet_hexx")
    greedy = make_agent("greedy", "planet_hexx")
    for i in range(count):
        table.deal(i, i)
    for step in range(count):
        index = np.flatnonzero(np.arange(count) > step)
        asked = table.ask(index)
        table.step(index, greedy.act(asked.part(greedy, np.arange(len(index)))))
    asker = make_agent("heuristic", "planet_hexx")
    return table, table.ask(table.everyone).part(asker, table.everyone)


@pytest.fixture
def finished(run_of: Callable[[str], trainer.Run]) -> trainer.Run:
    return run_of("planet_hexx")


@pytest.mark.parametrize("players", [2, 4])
def test_untrained_it_plays_as_the_heuristic(players: int) -> None:
    _, decisions = some_games(players)
    settings = tiny_hexx()
    player = NetworkPlayer(settings.form, policy_arrays(new_model(settings).policy), sample=False)
    expected = make_agent("heuristic", "planet_hexx").act(decisions)
    asked_else = decisions.worlds["asked"] != SIDE  # there it throws a coin
    assert asked_else.sum() > 30
    assert (player.act(decisions) == expected)[asked_else].all()


def test_the_network_that_plays_is_the_one_that_was_trained(finished: trainer.Run) -> None:
    table, decisions = some_games()
    view = RatedView(table, finished.settings.form)
    everyone = table.everyone
    inputs, there = view.read(everyone, table.players, np.zeros(table.count, np.int64))
    networks = deepcopy(finished.model.policy)
    networks.fast = False  # agents play in float32
    with torch.no_grad():
        logits = networks.logits(torch.from_numpy(inputs)).numpy()
    played = PolicyAgent(str(finished.out / "model")).logits(decisions)
    places = np.flatnonzero(there.any(1))
    assert len(places) == table.count
    for i in everyone:
        for place in np.flatnonzero(there[i]):
            action = view.own_actions(np.full(table.count, place))[i]
            assert decisions.masks[i, action]
            assert played[i, action] == pytest.approx(logits[i, place], abs=1e-3)


def test_a_place_without_a_move_is_refused() -> None:
    table, _ = some_games()
    view = RatedView(table, tiny_hexx().form)
    view.read(table.everyone, table.players, np.zeros(table.count, np.int64))
    assert (view.own_actions(np.full(table.count, 99)) == -1).all()
    moves = view.own_actions(np.zeros(table.count, np.int64))
    assert (view.turned_actions(moves) == 0).all()


def test_several_numbers_of_players_and_the_plain_observation(tmp_path: Path) -> None:
    mixed = trainer.start(tiny_hexx(players=(2, 4), steps=128), tmp_path / "mixed")
    agent = make_agent(f"policy:{mixed.out / 'model'}", "planet_hexx")
    assert agent.card["training"]["players"] == [2, 4]
    plain = trainer.start(tiny_hexx(input="observation", hidden=(8,), steps=128), tmp_path / "plain")
    agent = make_agent(f"policy:{plain.out / 'model'}", "planet_hexx")
    assert agent.card["network"]["input"] == "observation"


def test_every_command_takes_the_game(tmp_path: Path) -> None:
    out, record = tmp_path / "run", tmp_path / "games.jsonl"
    sets = [f"{name}={json.dumps(value)}" for name, value in HEXX.items() if name not in ("rules", "game")]
    options = [word for one in sets for word in ("--set", one)]
    game = ("--game", "planet_hexx")
    rules = ("--rules", HEXX["rules"])
    run("train", *game, "--preset", "quick", *options, *rules, "--steps", "128", "--out", str(out))
    policy = f"policy:{out / 'model'}"
    games = ("--agents", f"{policy},greedy", "--games", "2", "--record", str(record))
    played = run("play", *game, *rules, *games, "--json")
    assert len(json.loads(played.stdout)["seats"]) == 2
    assert run("replay", str(record), "--check").exit_code == 0
    report = run(
        "arena", *game, *rules, "--agents", f"{policy},random,policy:{out / 'best'}", "--games", "4",
        "--out", str(tmp_path / "report"), "--json",
    )  # fmt: skip
    assert len(json.loads(report.stdout)["ladder"]) == 3
    assert run("train", "--resume", str(out), "--steps", "256").exit_code == 0
    told = run("probe", "policy:default", *game, "--repeat", "1", "--json")
    assert json.loads(told.stdout)["score"] > 0.8
