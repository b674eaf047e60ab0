"""Kuhn poker is declared as every game, and the same on every machine."""

import hashlib
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from spacemission_agents.arena.tournament import define
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import RulesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.layout import GAP
from spacemission_env.frontends import aec
from spacemission_env.games.kuhn_poker import BATCH
from tests.kuhn_poker.positions import dealt, decision_key, position, view

KUHN = find_game("kuhn_poker")
BOXES = KUHN.default_parameters()


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
