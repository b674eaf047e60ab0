"""Batch functions play all histories like single games."""

from __future__ import annotations

import hashlib

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.kuhn_poker import ACTION_COUNT, BATCH, SPEC
from tests.kuhn_poker import plain
from tests.kuhn_poker.positions import dealt, decision_key, position, view

BOXES = SPEC.default_parameters()


def views(count: int) -> tuple[np.ndarray, np.ndarray]:
    seen = np.full((count, SPEC.observation_size), np.nan, np.float32)
    return seen, np.full((count, ACTION_COUNT), 9, np.int8)


def test_batches_of_games_are_played_as_single_ones() -> None:
    """Play all three-player histories in one batch; make each move with three functions."""
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
    """Compare cards, keys, worlds and observations of some seeds with a fixed digest."""
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


def test_nobody_is_ahead_before_the_end() -> None:
    states, out = position((0, 1, 2), "b"), np.full(3, np.nan)
    assert BATCH.margin_batch(states, BOXES, np.zeros(3, np.int64), np.arange(3), out) == -1
    assert out.tolist() == [0, 0, 0]
