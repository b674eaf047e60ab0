"""The compiled doors over many games: they do what the single games do, and refuse what is not there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest

from spacemission_env.core.constants import GAME_OVER, ILLEGAL_MOVE, RUNNING
from spacemission_env.core.rng import next_seed
from spacemission_env.games.kuhn_poker import ACTION_COUNT, BATCH, BET, MAX_PLAYERS, PASS, SPEC
from tests.kuhn_poker import plain
from tests.kuhn_poker.positions import dealt, decision_key, position, view

BOXES = SPEC.default_parameters()
NO_ORDER = np.empty(0, np.int8)
COUNT = 6


def games(players: int = 3, blank: tuple[int, ...] = ()) -> np.ndarray:
    states = SPEC.new_states(COUNT)
    for i in range(COUNT):
        if i not in blank:
            BATCH.deal_one(states, i, BOXES, players, i)
    return states


def views(count: int) -> tuple[np.ndarray, np.ndarray]:
    seen = np.full((count, SPEC.observation_size), np.nan, np.float32)
    return seen, np.full((count, ACTION_COUNT), 9, np.int8)


def test_batches_of_games_are_played_as_single_ones() -> None:
    """All 3-player histories side by side; each move through three doors."""
    ends = [h for h in plain.histories(3) if plain.Table(3, h).mover is None]
    deals = plain.deals(3)
    states = SPEC.new_states(len(ends))
    for n in range(len(ends)):
        states[n] = position(deals[n], seed=n)[0]
    other = states.copy()
    for turn in range(5):
        index = np.array([n for n, history in enumerate(ends) if len(history) > turn])
        actions = np.array(["pb".index(ends[n][turn]) for n in index])
        over = sum(len(ends[n]) == turn + 1 for n in index)
        seen, masks = views(len(index))
        assert BATCH.view_batch(states, BOXES, index, 1, seen, masks) == -1
        moves = views(len(index))[1]
        assert BATCH.mask_batch(states, BOXES, index, moves) == -1
        keys = np.zeros(len(index), np.int64)
        assert BATCH.keys_batch(states, index, keys) == -1
        for row, n in enumerate(index):
            single = position(deals[n], ends[n][:turn], seed=n)
            assert single.tobytes() == states[n : n + 1].tobytes()
            observation, mask = view(single, int(single[0].player))
            assert observation.tolist() == seen[row].tolist()
            assert mask.tolist() == masks[row].tolist() == moves[row].tolist() == [1, 1]
            assert decision_key(single) == keys[row]
        assert BATCH.first_refused(states, BOXES, index, actions) == -1
        assert BATCH.step_batch(states, BOXES, index, actions) == over
        assert BATCH.apply_batch(other[::1], BOXES, index[::-1].copy(), actions[::-1].copy()) == over
        assert states.tobytes() == other.tobytes()
    assert (states["over"] != RUNNING).all()


def test_games_are_the_same_compiled_or_not_and_on_every_machine() -> None:
    """Cards, keys, worlds and observations of a few seeds, by a digest noted once."""
    digest = hashlib.sha256()
    world = SPEC.new_states(1)
    for seed in range(10):
        for players, moves in ((2, "pb"), (3, "ppb")):
            states = dealt(players, seed * 10**17)
            for move in moves:
                BATCH.step_checked(states, BOXES, "pb".index(move))
            assert BATCH.determinize_one(states, 0, BOXES, players - 1, 1, seed, world)
            parts = (states, world, *view(states, 0), *view(world, 1))
            for part in parts:
                digest.update(part.tobytes())
            digest.update(b"%d" % decision_key(states))
    assert digest.hexdigest()[:16] == "e5425f01c9a67631"


def test_one_move_at_a_time() -> None:
    states, other = dealt(3), dealt(3)
    for action, follows in (
        (PASS, 1),
        (BET, 2),
        (PASS, 0),
        (BET, GAME_OVER),
        (PASS, ILLEGAL_MOVE),
    ):
        if follows != ILLEGAL_MOVE:
            BATCH.apply_one(other, 0, BOXES, action, NO_ORDER)
        assert BATCH.step_checked(states, BOXES, action) == follows
        assert states.tobytes() == other.tobytes()
    assert BATCH.step_checked(SPEC.new_states(1), BOXES, PASS) == ILLEGAL_MOVE


def test_views_of_given_seats() -> None:
    states = games()
    seats = np.arange(COUNT) % 3
    seen, masks = views(COUNT)
    assert BATCH.seats_view_batch(states, BOXES, seats, 1, seen, masks) == -1
    for i in range(COUNT):
        observation, mask = view(states[i : i + 1], int(seats[i]))
        assert observation.tolist() == seen[i].tolist()
        assert mask.tolist() == masks[i].tolist() == [int(seats[i] == 0)] * ACTION_COUNT
    assert BATCH.seats_view_batch(states, BOXES, np.array([0, 1, 2, 3, 0, 0]), 1, seen, masks) == 3
    assert BATCH.seats_view_batch(games(2), BOXES, np.array([0, 1, -1, 0, 0, 0]), 1, seen, masks) == 2


@pytest.mark.parametrize("action", [-1, 2, 2**40, -(2**40)])
def test_a_refused_move_changes_no_game(action: int) -> None:
    states = games()
    before = states.tobytes()
    index, actions = np.array([4, 0, 2]), np.array([0, 1, action])
    assert BATCH.first_refused(states, BOXES, index, actions) == 2
    assert BATCH.step_batch(states, BOXES, index, actions) == -1 - 2
    assert BATCH.step_checked(states, BOXES, action) == ILLEGAL_MOVE
    assert states.tobytes() == before


def test_a_game_that_is_over_refuses_moves() -> None:
    states = games()
    states[3] = position((0, 1), "bb")[0]
    assert BATCH.first_refused(states, BOXES, np.array([1, 3]), np.array([0, 0])) == 1


def test_the_first_wrong_row_is_told() -> None:
    """Places outside, games not dealt, and places that stand twice (after all else)."""
    states = games(blank=(5,))
    before = states.tobytes()
    wrong = (([0, 5, 9], 1), ([0, 9, 5], 1), ([-1], 0), ([1, 1], 1), ([3, 1, 3, 5], 3), ([2, 0, 2], 2))
    for index, row in (*wrong, ([2, 0], -1)):
        zeros = np.zeros(len(index), np.int64)
        assert BATCH.first_refused(states, BOXES, np.array(index), zeros) == row
        if row >= 0:
            assert BATCH.step_batch(states, BOXES, np.array(index), zeros) == -1 - row
            assert BATCH.deal_next(states, BOXES, np.array(index)) == row
    assert states.tobytes() == before


DOORS: dict[str, Callable[[np.ndarray, np.ndarray], int]] = {
    "view_batch": lambda states, index: BATCH.view_batch(states, BOXES, index, 1, *views(len(index))),
    "mask_batch": lambda states, index: BATCH.mask_batch(states, BOXES, index, views(len(index))[1]),
    "keys_batch": lambda states, index: BATCH.keys_batch(states, index, np.zeros(len(index), np.int64)),
    "worlds_batch": lambda states, index: BATCH.worlds_batch(
        states, BOXES, index, 1, np.zeros(len(index), np.int64), SPEC.new_states(len(index))
    ),
    "rewards_batch": lambda states, index: BATCH.rewards_batch(
        states, BOXES, index, 0, np.zeros((len(index), MAX_PLAYERS))
    ),
    "margin_batch": lambda states, index: BATCH.margin_batch(
        states, BOXES, index, np.zeros(len(index), np.int64), np.zeros(len(index))
    ),
    "scores_batch": lambda states, index: BATCH.scores_batch(
        states, BOXES, index, np.zeros((len(index), MAX_PLAYERS, 1), np.int64)
    ),
    "ranks_batch": lambda states, index: BATCH.ranks_batch(
        states, BOXES, index, np.zeros((len(index), MAX_PLAYERS), np.int64)
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_doors_tell_which_game_is_not_there(door: str) -> None:
    states = games(blank=(2,))
    for index, row in (([0, 1, 2], 2), ([COUNT], 0), ([1, -1], 1), ([1, 1, 0], -1)):
        assert DOORS[door](states, np.array(index)) == row


def test_single_doors_tell_what_is_not_there() -> None:
    states = games(players=2, blank=(1,))
    observation, mask = (part[0] for part in views(1))
    key, world = np.zeros(SPEC.key_size, np.int32), SPEC.new_states(1)
    for i, seat, there in ((0, 1, True), (0, 2, False), (0, -1, False), (1, 0, False), (COUNT, 0, False)):
        assert BATCH.view_one(states, i, BOXES, seat, 1, observation, mask) == there
        assert BATCH.key_one(states, i, BOXES, seat, key) == there
        assert BATCH.determinize_one(states, i, BOXES, seat, 1, 3, world) == there
    assert BATCH.margin_batch(states, BOXES, np.array([0, 0]), np.array([1, 2]), np.zeros(2)) == 1


def test_the_next_game_has_the_next_seed() -> None:
    states = games(players=2)
    assert BATCH.deal_next(states, BOXES, np.array([3, 0])) == -1
    for i in range(COUNT):
        seed = int(next_seed(i)) if i in (0, 3) else i
        assert states[i : i + 1].tobytes() == dealt(2, seed).tobytes()


def test_nobody_is_ahead_before_the_end() -> None:
    states, out = games(), np.full(COUNT, np.nan)
    BATCH.step_batch(states, BOXES, np.array([0]), np.array([BET]))
    assert BATCH.margin_batch(states, BOXES, np.arange(COUNT), np.arange(COUNT) % 3, out) == -1
    assert out.tolist() == [0] * COUNT
