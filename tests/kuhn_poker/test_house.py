"""Kuhn poker works in front ends, training and model folders, the same on every machine."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from spacemission_agents.arena.tournament import define
from spacemission_env.core.agents import act_alone, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError, ComponentsError, RulesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.layout import GAP
from spacemission_env.frontends import aec
from spacemission_env.games.kuhn_poker import BATCH
from spacemission_train.presets import make_settings
from spacemission_train.run import start
from tests.kuhn_poker.positions import dealt, decision_key, position, view
from tests.support.command_line import run as run_command

KUHN = find_game("kuhn_poker")
BOXES = KUHN.default_parameters()


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


def test_training_writes_a_model_that_plays_this_game_and_no_other(tmp_path: Path) -> None:
    settings = make_settings(game="kuhn_poker", players=3, steps=4096, envs=64, evaluation_games=60)
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
    run_command("arena", "--game", "kuhn_poker", "--agents", f"{model},random", "--games", "60")
    assert (tmp_path / "run" / "curves.png").stat().st_size > 1000


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


def test_games_are_the_same_compiled_or_not_and_on_every_machine() -> None:
    """Compare cards, keys, worlds and observations of some seeds with a fixed digest."""
    digest = hashlib.sha256()
    world = KUHN.new_states(1)
    for seed in range(10):
        for players, moves in ((2, "pb"), (3, "ppb")):
            states = dealt(players, seed * 10**17)
            for move in moves:
                BATCH.step_checked(states, BOXES, "pb".index(move))
            assert BATCH.determinize_one(states, 0, BOXES, players - 1, 1, seed, world)
            fields = [s[name] for s in (states, world) for name in s.dtype.names if not name.startswith(GAP)]
            parts = (*fields, *view(states, 0), *view(world, 1))
            for part in parts:
                digest.update(part.tobytes())
            digest.update(b"%d" % decision_key(states))
    assert digest.hexdigest()[:16] == "e5425f01c9a67631"


def test_nobody_is_ahead_before_the_end() -> None:
    states, out = position((0, 1, 2), "b"), np.full(3, np.nan)
    assert BATCH.margin_batch(states, BOXES, np.zeros(3, np.int64), np.arange(3), out) == -1
    assert out.tolist() == [0, 0, 0]
