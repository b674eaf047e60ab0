"""Tests that a turned or mirrored game stays the same game under the same moves."""

from __future__ import annotations

import numpy as np
import pytest

from spacemission_agents.games.space_mission.policy.inputs import INPUTS, RATED, RING_SIZE, SIZES
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import OBSERVATION_SIZE
from spacemission_env.games.space_mission.engine.symmetry import (
    ACTION_SOURCES,
    OBSERVATION_SOURCES,
    TURNS,
    place_before,
)
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.setup import read
from spacemission_train.games.space_mission.views import LearnerView
from spacemission_train.ppo.networks import policy_arrays
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.self_play.league import NetworkPlayer
from spacemission_train.self_play.table import GameTable
from spacemission_train.self_play.vec_env import make_env
from spacemission_train.settings.settings import Form
from tests.support.small_runs import one_opponent, tiny

RULES = "printed,max_rounds=40"


def turned_game(game: Game, turn: int, seed: int) -> Game:
    """A new game with the planets and piles of another one in turned places."""
    setup = read(game.states[0], game.components, game.num_players)
    places = [place_before(turn, q) for q in range(c.RING)]
    setup |= {name: [setup[name][p] for p in places] for name in ("ring", "piles")}
    other = Game(game.num_players, game.rules, game.components)
    other.reset(seed, setup)
    return other


def play_alike(game: Game, turned: Game, turn: int, rng: np.random.Generator) -> None:
    """Play the same random legal move in both games."""
    action = int(rng.choice(np.flatnonzero(turned.mask())))
    turned.step(action)
    game.step(int(ACTION_SOURCES[turn, action]))


def two_games(turn: int, num_players: int) -> tuple[Game, Game]:
    game = Game(num_players, RULES)
    game.reset(turn + 100)
    game.reset(7, read(game.states[0], game.components, num_players))
    return game, turned_game(game, turn, 7)


@pytest.mark.parametrize("turn", range(TURNS))
def test_a_turned_game_is_the_game_turned(turn: int) -> None:
    num_players = 2 + turn % 4
    game, turned = two_games(turn, num_players)
    rng = np.random.default_rng(turn)
    kinds = set()
    while not game.over:
        for seat in range(num_players):
            assert (turned.observe(seat) == game.observe(seat)[OBSERVATION_SOURCES[turn]]).all()
            assert (turned.mask(seat) == game.mask(seat)[ACTION_SOURCES[turn]]).all()
        kinds.add(game.phase)
        play_alike(game, turned, turn, rng)
    assert turned.over and (turned.scores() == game.scores()).all()
    assert len(kinds) > 1, "no tile was ever picked"


def test_the_turns_are_the_sixteen_symmetries_of_a_ring() -> None:
    assert (OBSERVATION_SOURCES[0] == np.arange(OBSERVATION_SIZE)).all()
    assert (ACTION_SOURCES[0] == np.arange(c.ACTION_COUNT)).all()
    for sources in (OBSERVATION_SOURCES, ACTION_SOURCES):
        assert len({row.tobytes() for row in sources}) == TURNS
        assert (np.sort(sources, 1) == np.arange(sources.shape[1])).all()
        found = {row.tobytes() for row in sources}
        assert all(a[b].tobytes() in found for a in sources for b in sources), "not a group"
    places = np.array([[place_before(turn, q) for q in range(c.RING)] for turn in range(TURNS)])
    neighbours = np.abs(np.diff(places, axis=1, append=places[:, :1]))
    assert np.isin(neighbours, (1, c.RING - 1)).all(), "neighbours on the ring stay neighbours"
    assert (ACTION_SOURCES[c.RING :, c.FLY_NEXT] == c.FLY_PREVIOUS).all()
    assert (ACTION_SOURCES[: c.RING, c.FLY_NEXT] == c.FLY_NEXT).all()


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("turn", [0, 3, 8, 13])
def test_the_learner_reads_a_game_shown_in_a_form_as_the_game_in_that_form(kind: str, turn: int) -> None:
    game, turned = two_games(turn, 3)
    tables = [GameTable(1, 3, RULES) for _ in range(2)]
    views = [LearnerView(table, Form(input=kind, full_critic=True)) for table in tables]
    rng = np.random.default_rng(turn)
    zero, on_gate = np.zeros(1, np.int64), 0
    shown = np.array([turn if kind != INPUTS[0] else 0])
    while not game.over:
        for table, one in zip(tables, (game, turned), strict=True):
            table.states[0] = one.states[0]
        seat = np.array([game.player])
        inputs, masks = views[0].read(zero, seat, shown)
        expected, expected_masks = views[1].read(zero, seat, zero)
        if kind == INPUTS[0]:  # not turned by any input
            expected, expected_masks = views[0].read(zero, seat, zero)
        if kind == INPUTS[RATED]:  # heuristic breaks ties by index: its ratings are only nearly symmetric
            inputs[:, RING_SIZE : SIZES[kind]] = expected[:, RING_SIZE : SIZES[kind]]
        assert (inputs == expected).all() and (masks == expected_masks).all()
        legal = np.flatnonzero(masks[0])
        own = [int(views[0].own_actions(np.array([a]))[0]) for a in legal]
        assert sorted(own) == game.legal_actions()
        assert [int(views[0].turned_actions(np.array([a]))[0]) for a in own] == legal.tolist()
        on_gate += int(game.states[0].ship[game.player] == c.NOWHERE)
        play_alike(game, turned, turn, rng)
    assert on_gate


def test_a_network_that_turns_its_input_plays_alike_all_around_the_ring() -> None:
    settings = tiny(input="ring", planets=4)
    form: Form = settings.form
    player = NetworkPlayer(
        form, policy_arrays(LeaguePPO(settings, make_env(settings, one_opponent("random"))).policy)
    )
    compared = 0
    for turn in range(1, c.RING):  # turned, not mirrored
        game, turned = two_games(turn, 2)
        rng = np.random.default_rng(turn)
        for _ in range(30):
            play_alike(game, turned, turn, rng)
            if game.states[0].ship[game.player] != c.NOWHERE:
                logits, own = player.logits(turned.ask()), player.logits(game.ask())
                assert (logits[0] == own[0][ACTION_SOURCES[turn]]).all()
                compared += 1
    assert compared > 50
