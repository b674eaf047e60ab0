"""Tests of PPO over afterstates: what the networks read, that play agrees with training, and a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from spacemission_agents.afterstates.moves import find_afterstates
from spacemission_agents.afterstates.network import POLICY_INPUT
from spacemission_agents.models.folder import load_model
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone, make_agent, prepare_agents
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.reading import Json
from spacemission_train.ppo import afterstates
from spacemission_train.ppo.afterstates import FIRST, AfterstateView
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.ppo.warm_start import StartError, load_start
from spacemission_train.run import trainer
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.self_play.table import GameTable
from spacemission_train.self_play.vec_env import make_env
from spacemission_train.settings.settings import Settings, SettingsError
from tests.support.small_runs import new_model, one_opponent, tiny

pytestmark = pytest.mark.slow

NARROW: Json = {"input": POLICY_INPUT, "hidden": (12, 8), "planets": 6}


def of_game(game: str, **changes: object) -> Settings:
    rows = find_afterstates(find_game(game)).features.rows
    rules = {} if game == "space_mission" else {"rules": None}
    form = {**NARROW, "planets": 6 if rows else 0, "reward": "win", "shaping": 0.0}
    return tiny(game=game, opponents="random=0.5,latest=0.5", **{**form, **rules, **changes})


def table_of(game: str, players: int, moves: int, games: int = 24) -> GameTable:
    """Games after some random moves."""
    table, rng = GameTable(games, players, game=game), np.random.default_rng(players)
    for i in range(games):
        table.deal(i, i)
    for _ in range(moves):
        masks = table.ask(table.everyone).masks
        table.step(table.everyone, np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        for i in np.flatnonzero(table.over):
            table.deal(int(i), int(rng.integers(1000)))
    return table


@pytest.mark.parametrize("most", [3, 32])
@pytest.mark.parametrize("game", game_names())
def test_places_are_those_of_the_legal_moves(game: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterstates, "MOST_MOVES", most)
    table = table_of(game, find_game(game).min_players, 25)
    view = AfterstateView(table, of_game(game).form)
    inputs, masks = view.read(table.everyone, table.players, table.everyone)
    size, more = find_afterstates(table.spec).features.size, 0
    for n, legal in enumerate(table.ask(table.everyone).masks):
        count = int(inputs[n, 0])
        assert masks[n].tolist() == [1] * count + [0] * (view.action_count - count)
        assert count == min(legal.sum(), view.action_count)
        assert not inputs[n, FIRST + count * size :].any()
        more += legal.sum() > count
        for place in range(count):
            actions = np.zeros(table.count, np.int64)
            actions[n] = place
            own = view.own_actions(actions)
            assert legal[own[n]] and view.turned_actions(own)[n] == place
        assert view.own_actions(np.full(table.count, count))[n] == -1 or count == view.action_count
    assert more or most == 32 or game == "kuhn_poker", "no decision with more moves than places"


@pytest.mark.parametrize("players", [2, 3, 5])
def test_twins_of_a_game_give_the_same_input(players: int) -> None:
    table = table_of("space_mission", players, 60)
    view = AfterstateView(table, of_game("space_mission").form)
    inputs = view.read(table.everyone, table.players, table.everyone)[0]
    before = table.states.copy()
    keys = np.arange(table.count, dtype=np.int64) + 99
    worlds = table.spec.new_states(table.count)
    table.spec.batch.worlds_batch(table.states, table.template.parameters, table.everyone, 1, keys, worlds)
    table.states[:] = worlds
    assert (table.states["pile"] != before["pile"]).any(), "no twin is another game"
    assert (view.read(table.everyone, table.players, table.everyone)[0] == inputs).all()


def test_the_compiled_policy_gives_the_logits_of_training() -> None:
    settings = of_game("space_mission")
    model = new_model(settings)
    for tensor in model.policy.mlp_extractor.parameters():
        torch.nn.init.normal_(tensor, std=0.2)
    table = table_of("space_mission", 2, 40)
    view = AfterstateView(table, settings.form)
    inputs, masks = view.read(table.everyone, table.players, table.everyone)
    with torch.no_grad():
        logits = model.policy.logits(torch.from_numpy(inputs)).numpy()
    player = NetworkPlayer(settings.form, model.policy.mlp_extractor.arrays(model.policy.action_net))
    decisions = table.ask(table.everyone).part(player, table.everyone)
    found, compared = player.logits(decisions), 0
    for n in range(table.count):
        for place in range(int(inputs[n, 0])):
            actions = np.zeros(table.count, np.int64)
            actions[n] = place
            assert found[n, view.own_actions(actions)[n]] == pytest.approx(logits[n, place], abs=1e-3)
            compared += 1
    assert compared > 200 and np.std(logits[masks > 0]) > 0.1


@pytest.mark.parametrize("game", game_names())
def test_a_run_ends_in_a_model_that_plays(game: str, tmp_path: Path) -> None:
    settings = of_game(game)
    run = trainer.start(settings, tmp_path / "run", "spacemission train")
    agent = make_agent(f"policy:{tmp_path / 'run' / 'model'}", game)
    assert isinstance(agent, PolicyAgent)
    prepare_agents([agent], settings.info)
    table = table_of(game, 2, 8)
    decisions = table.ask(table.everyone).part(agent, table.everyone)
    chances = agent.probabilities(decisions)
    assert chances.sum(1) == pytest.approx(np.ones(len(chances)))
    assert (act_alone(agent, decisions) == chances.argmax(1)).all()
    assert run.steps == settings.steps


def test_a_run_starts_from_a_model_of_equal_widths_only(tmp_path: Path) -> None:
    trainer.start(of_game("kuhn_poker"), tmp_path / "first", "spacemission train")
    model = str(tmp_path / "first" / "model")
    start = of_game("kuhn_poker", start=f"policy:{model}")
    made = LeaguePPO(start, make_env(start, one_opponent("random")))
    load_start(start, made.policy)
    arrays = made.policy.mlp_extractor.arrays(made.policy.action_net)
    assert all((arrays[name] == array).all() for name, array in load_model(Path(model))[1].items())
    wider = of_game("kuhn_poker", start=f"policy:{model}", hidden=(24, 8))
    with pytest.raises(StartError, match="hidden"):
        load_start(wider, LeaguePPO(wider, make_env(wider, one_opponent("random"))).policy)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"planets": 0}, "planets"),
        ({"hidden": (8,)}, "two widths"),
        ({"cards": 4}, "cards"),
        ({"method": "td"}, "judges moves"),
    ],
)
def test_refused_settings(changes: Json, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        of_game("space_mission", **changes)
