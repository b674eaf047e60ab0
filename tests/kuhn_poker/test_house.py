"""Kuhn poker is declared as every game, and the same on every machine."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from spacemission_agents.arena.tournament import define
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import RulesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.frontends import aec
from tests.kuhn_poker.positions import position

KUHN = find_game("kuhn_poker")


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


def test_nobody_is_ahead_before_the_end() -> None:
    assert position((0, 1, 2), "b").margins().tolist() == [0, 0, 0]
