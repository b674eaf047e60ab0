"""Kuhn poker works in front ends, records, arena, training and model folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from typer.testing import CliRunner

from spacemission_agents.arena.games import play_games
from spacemission_agents.arena.tournament import define
from spacemission_env.cli import app
from spacemission_env.core.agents import act_alone, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError, ComponentsError, RecordError, RulesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.frontends import aec
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter
from spacemission_train.run.trainer import start
from spacemission_train.settings.presets import make_settings

KUHN = find_game("kuhn_poker")
runner = CliRunner()


def played(seed: int, players: int = 2) -> GameRecord:
    """The record of a game of random moves."""
    game = make_game(KUHN, players)
    game.reset(seed)
    record, rng = GameRecord(game, [f"bot {seat}" for seat in range(players)]), np.random.default_rng(seed)
    while not game.over:
        action = int(rng.choice(game.legal_actions()))
        record.before(action)
        game.step(action)
    record.finish()
    return record


def test_the_game_is_found_by_its_name() -> None:
    assert {"kuhn_poker", "space_mission"} <= set(game_names())
    with pytest.raises(SetupError, match=r"game: expected one of .*kuhn_poker.*space_mission.*, not 'go'"):
        find_game("go")


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checks_of_the_front_ends_pass(players: int) -> None:
    api_test(aec.env("kuhn_poker", num_players=players), num_cycles=300)
    seed_test(lambda: aec.env("kuhn_poker", num_players=players), num_cycles=50)
    env = gymnasium.make("KuhnPoker-v0", num_players=players)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("players", [2, 3])
def test_all_front_ends_deal_the_same_games(players: int) -> None:
    batch = BatchedGames(50, players, game="kuhn_poker")
    vector = gymnasium.make_vec(
        "KuhnPoker-v0", 50, "vector_entry_point", num_players=players, seat=0, opponents="random"
    )
    seen, _ = vector.reset(seed=7)
    for i in range(50):
        batch.deal(i, 7 + i)
        env = aec.env("kuhn_poker", num_players=players)
        env.reset(seed=7 + i)
        assert (env.last()[0]["observation"] == batch.view(np.array([i]))[0][0]).all()
        assert (seen[i] == batch.view(np.array([i]))[0][0]).all()


def test_records_replay_and_lies_in_them_are_found(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    with RecordWriter(file) as writer:
        for seed in range(30):
            writer.add(played(seed, 2 + seed % 2))
    games = list(replay_file(file))
    assert len(games) == 30 and all(game.result for game in games)
    lines = file.read_text().splitlines()
    entry = json.loads(lines[1])
    entry["action"] = 1 - entry["action"]
    file.write_text("\n".join([lines[0], json.dumps(entry), *lines[2:]]) + "\n")
    with pytest.raises(RecordError, match="line 2"):
        list(replay_file(file))


def test_bad_options_and_set_ups_get_one_line() -> None:
    for rules in ("ante=9", "ante=x", "blind=1", {"ante": True}, 7):
        with pytest.raises(RulesError, match=r"^rules: "):
            make_game(KUHN, 2, rules)
    with pytest.raises(ComponentsError, match="one deck"):
        make_game(KUHN, 2, None, "box.toml")
    with pytest.raises(RulesError, match="num_players: expected 2 to 3, not 4"):
        make_game(KUHN, 4)
    game = make_game(KUHN, 2)
    for setup in ({}, {"cards": ["J", "Q"]}, {"cards": ["J", "J", "Q"]}, {"cards": ["J", "Q", "A"]}, 3):
        with pytest.raises(SetupError, match=r"^setup: cards: expected J, Q, K in any order"):
            game.reset(1, setup)
    game.reset(1, {"cards": ["K", "J", "Q"]})
    assert game.setup_json() == {"cards": ["K", "J", "Q"]}


def test_the_arena_plays_it_and_agents_of_another_game_are_unknown() -> None:
    results = play_games(["random", "random"], [[0, 1]] * 500, range(500), game="kuhn_poker")
    assert results.scores.shape == (500, 2, 1) and (results.scores.sum(1) == 0).all()
    assert 0.3 < results.shares[:, 0].mean() < 0.7
    with pytest.raises(AgentError, match="agent 'greedy': unknown; known: policy, random"):
        make_agent("greedy", "kuhn_poker")
    with pytest.raises(AgentError, match="no policy:default ships for kuhn_poker"):
        make_agent("policy:default", "kuhn_poker")


def test_it_is_played_without_the_compiler_too(tmp_path: Path) -> None:
    """Plain numpy detects writes outside arrays; the games must be equal."""
    command = [sys.executable, "-m", "spacemission_env", "play", "--game", "kuhn_poker", "--agents"]
    files = []
    for disabled, agents in product("01", ("random,random", "random,random,random")):
        files.append(tmp_path / f"{disabled}-{len(agents)}.jsonl")
        played = [*command, agents, "--games", "20", "--record", str(files[-1])]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(played, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    texts = [file.read_text() for file in files]
    assert texts[:2] == texts[2:] and texts[0] != texts[1]


def test_training_writes_a_model_that_plays_this_game_and_no_other(tmp_path: Path) -> None:
    settings = make_settings(
        "quick", game="kuhn_poker", players=3, steps=4096, envs=64, evaluation_games=30, final_games=300
    )
    run = start(settings, tmp_path / "run")
    assert [result.opponent for result in run.results] == ["random"]
    model = f"policy:{tmp_path / 'run' / 'model'}"
    agent, game = make_agent(model, KUHN), make_game(KUHN, 3)
    game.reset(5)
    prepare_agents([agent], game.info)
    assert act_alone(agent, game.ask())[0] in (0, 1)
    other = make_game("space_mission", 3)
    with pytest.raises(AgentError, match="it plays kuhn_poker, the game is space_mission"):
        prepare_agents([make_agent(model)], other.info)
    shown = runner.invoke(
        app, ["arena", "--game", "kuhn_poker", "--agents", f"{model},random", "--games", "60"]
    )
    assert shown.exit_code == 0, shown.output
    assert (tmp_path / "run" / "curve.png").stat().st_size > 1000


def test_who_plays_where_nobody_says_how_many() -> None:
    """Agents play with the game's default number of players, a learner trains with the minimum."""
    assert len(aec.env("kuhn_poker").possible_agents) == make_game(KUHN).num_players == 2
    assert len(aec.env("space_mission").possible_agents) == BatchedGames(1).num_players == 3
    for game, players in (("KuhnPoker-v0", 2), ("SpaceMission-v0", 2)):
        assert gymnasium.make(game).unwrapped.game.num_players == players
        assert gymnasium.make_vec(game, 2, "vector_entry_point").unwrapped.games.num_players == players
    assert define(["random", "other=random"], game="kuhn_poker").players == 2
    with pytest.raises(RulesError, match=r"^num_players: expected 2, not 3$"):
        replace(KUHN, max_players=2).check_num_players(3)


def test_names_that_records_have_are_refused() -> None:
    """Without the JIT, `s.size` is the record's size."""
    fields = [(name, KUHN.state[name]) for name in KUHN.state.names or ()]
    for name in ("size", "T", "all", "round"):
        with pytest.raises(SetupError, match=f"kuhn_poker: state: numpy records reserve the name '{name}'"):
            replace(KUHN, state=np.dtype((np.record, [*fields, (name, "i1")])))
    with pytest.raises(SetupError, match="game kuhn_poker: state: expected a field 'seed' of int64"):
        replace(KUHN, state=np.dtype((np.record, fields[1:])))
    with pytest.raises(SetupError, match="game kuhn_poker: layout: numpy records reserve the name 'data'"):
        replace(KUHN, layout={**KUHN.layout, "data": KUHN.layout["pot"]})


def test_one_agent_twice_needs_a_name() -> None:
    with pytest.raises(AgentError, match=r"'random' is listed twice; give one a name: other=random$"):
        define(["random", "random"], game="kuhn_poker")
