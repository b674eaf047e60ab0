"""The judge of the search's leaves reads what a seat knows, and no more."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.judge import judge_position, new_judge
from spacemission_agents.games.space_mission.search.known import (
    Known,
    know_tiles,
    new_known,
    remember_pile,
)
from spacemission_agents.games.space_mission.search.known_features import known_features
from spacemission_agents.games.space_mission.search.light import MOVES, new_view, order_kinds
from spacemission_agents.games.space_mission.search.returns import known_returns
from spacemission_env.core.agents_api import act_alone, make_agent
from spacemission_env.games.space_mission.engine.constants import (
    KINDS,
    MAX_PLAYERS,
    POINT_KINDS,
    SCORES,
)
from spacemission_env.games.space_mission.game import Game


def games_under_way(players: int = 2, count: int = 120, loose: float = 0.15) -> list[Game]:
    """Positions of `heuristic` against itself with odd moves in between."""
    agent, rng = make_agent("heuristic"), np.random.default_rng(7)
    found: list[Game] = []
    seed = 0
    while len(found) < count:
        game = Game(players)
        game.reset(seed)
        seed += 1
        while not game.over and len(found) < count:
            if rng.random() < 0.3:
                found.append(game.clone())
            odd = rng.random() < loose
            move = rng.choice(game.legal_actions()) if odd else act_alone(agent, game.ask())[0]
            game.step(int(move))
    return found


@njit
def write(states: np.ndarray, boxes: np.ndarray, seat: int, known: Known) -> None:
    known_features(states[0], boxes[0], seat, known)


def features_of(game: Game, seat: int) -> np.ndarray:
    known = new_known()
    write(game.states, game.boxes, seat, known)
    return np.concatenate([known.x, known.planets.ravel()])


@pytest.mark.parametrize("players", [2])
def test_features_are_the_same_in_every_world_that_the_seat_holds_possible(players: int) -> None:
    """SM-73: with all that is hidden from a seat dealt anew, its features stay, to the last bit."""
    hidden = 0
    for i, game in enumerate(games_under_way(players)):
        for seat in range(players):
            world = game.determinize(seat, 500 + i)
            hidden += world.states.tobytes() != game.states.tobytes()
            mine, there = features_of(game, seat), features_of(world, seat)
            assert (mine == there).all(), (i, seat, np.flatnonzero(mine != there))
            assert np.isfinite(mine).all()
            assert np.abs(mine).max() < 12
    assert hidden > 200


@njit
def remember(states: np.ndarray, p: int, looked: int, known: Known) -> None:
    v = known.views[0]
    order_kinds(v)
    remember_pile(states[0], p, looked, v, known)


def test_a_pile_that_others_took_from_is_worth_the_mean_over_what_they_may_have_taken() -> None:
    rng = np.random.default_rng(3)
    for trial in range(40):
        game, known = Game(2), new_known()
        game.reset(trial)
        s = game.states[0]
        tiles = rng.integers(POINT_KINDS, size=rng.integers(2, 7)).tolist()
        gone = int(rng.integers(1, len(tiles)))
        gains = rng.integers(1, 12, POINT_KINDS).astype(float)
        s["pile"][3] = np.bincount(tiles[gone:], minlength=KINDS)
        s["taken"][3], s["taken_kind"][3][:gone] = gone, tiles[:gone]
        known.views[0]["gain"][:POINT_KINDS] = gains
        remember(game.states, 3, 0, known)
        left = [
            sorted((gains[k] for k in rest), reverse=True) for rest in combinations(tiles, len(tiles) - gone)
        ]
        assert known.views[0]["best"][3] == pytest.approx(np.mean([rest[0] for rest in left]))
        second = np.mean([rest[1] if len(rest) > 1 else 0.0 for rest in left])
        assert known.views[0]["second"][3] == pytest.approx(second)
        assert known.points[3] == len(tiles) - gone


@njit
def tiles_of(states: np.ndarray, me: int, j: int, rest: np.ndarray) -> int:
    return know_tiles(states[0], me, j, rest)


def test_a_rivals_tiles_are_known_where_two_looks_enclose_them() -> None:
    """Of two players: tiles known are tiles that the rival has, and with the others they are all it took."""
    known = 0
    for game in games_under_way():
        s = game.states[0]
        for me in (0, 1):
            rest = np.zeros(KINDS, np.int64)
            unknown = tiles_of(game.states, me, 1 - me, rest)
            assert rest.sum() + unknown == s["took"][1 - me].sum()
            has = np.bincount(s["taken_kind"][(s["taken_by"] == 1 - me) & taken_places(s)], minlength=KINDS)
            assert (rest <= has).all()
            known += int(rest.sum())
    assert known > 50


def taken_places(s: Any) -> np.ndarray:
    return np.arange(s["taken_kind"].shape[1]) < s["taken"][:, None]


@njit
def judge_all(states: np.ndarray, boxes: np.ndarray, judge: Any, out: np.ndarray) -> None:
    for seat in range(2):
        out[seat] = judge_position(states[0], boxes[0], seat, judge)


@njit
def pay(
    states: np.ndarray, boxes: np.ndarray, views: np.ndarray, judge: Any, seat: int, out: np.ndarray
) -> None:
    actions, values = np.zeros(MOVES, np.int64), np.zeros(MOVES)
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    known_returns(states[0], boxes[0], views[0], judge, actions, values, scores, seat, out)


def test_the_judge_knows_who_is_ahead_late_in_a_game() -> None:
    """Where a score is twenty points ahead in the last rounds, the seat ahead expects more."""
    judge, views = new_judge(), new_view()
    asked = right = 0
    for game in games_under_way(count=300, loose=0.3):
        if game.rounds < 9:
            continue
        totals = game.scores()[:, -1]
        told, out = np.zeros(2), np.zeros(MAX_PLAYERS)
        judge_all(game.states, game.boxes, judge, told)
        assert ((told > 0) & (told < 1)).all()
        if abs(totals[0] - totals[1]) > 20:
            asked += 2
            right += sum(int(totals[seat] > totals[1 - seat]) == int(told[seat] > 0.5) for seat in (0, 1))
        if game.phase == "action":
            for seat in (0, 1):
                pay(game.clone().states, game.boxes, views, judge, seat, out)
                assert out[seat] == pytest.approx(told[seat])
                assert out[:2].sum() == pytest.approx(1.0)
    assert asked > 10
    assert right >= 0.8 * asked


def test_a_judge_of_other_weights_says_what_they_say() -> None:
    """Here always the logit of its last bias."""
    judge = new_judge()
    arrays = {
        "planet.weight": np.zeros((4, 24), np.float32),
        "planet.bias": np.zeros(4, np.float32),
        "judge.0.weight": np.zeros((1, len(judge.known.x) + 4), np.float32),
        "judge.0.bias": np.array([1.5], np.float32),
    }
    told = np.zeros(2)
    game = Game(2)
    game.reset(1)
    judge_all(game.states, game.boxes, new_judge(arrays), told)
    assert told == pytest.approx(1 / (1 + np.exp(-1.5)))
