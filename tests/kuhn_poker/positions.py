"""Brings games of the engine to a given deal and history."""

import numpy as np

from spacemission_env.core.constants import ILLEGAL_MOVE
from spacemission_env.games.kuhn_poker import (
    ACTION_COUNT,
    BATCH,
    DECK,
    LAYOUT,
    MAX_PLAYERS,
    NOBODY,
    SPEC,
    Rules,
)

WIN, RANK, CHIPS = range(len(SPEC.reward_names))
BOX_OF = {ante: SPEC.make_parameters(DECK, Rules(ante)) for ante in range(1, 6)}
FIRST = np.zeros(1, np.int64)


def dealt(players: int, seed: int = 0, ante: int = 1) -> np.ndarray:
    """One game from a seed."""
    states = SPEC.new_states(1)
    BATCH.deal_one(states, 0, BOX_OF[ante], players, seed)
    return states


def position(deal: tuple[int, ...], history: str = "", ante: int = 1, seed: int = 0) -> np.ndarray:
    """A game with these cards after these moves ("p" pass, "b" bet), made by the checked function."""
    players = len(deal)
    states = dealt(players, seed, ante)
    out = (set(range(players + 1)) - set(deal)).pop()
    states[0].cards = [*deal, out] + [NOBODY] * (MAX_PLAYERS - players)
    for move in history:
        assert BATCH.step_checked(states, BOX_OF[ante], "pb".index(move)) != ILLEGAL_MOVE
    return states


def view(states: np.ndarray, seat: int, ante: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Observation and mask of a seat."""
    observation = np.full(SPEC.observation_size, np.nan, np.float32)
    mask = np.full(ACTION_COUNT, -1, np.int8)
    assert BATCH.view_one(states, 0, BOX_OF[ante], seat, 1, observation, mask)
    return observation, mask


def piece(observation: np.ndarray, name: str) -> np.ndarray:
    """A piece of an observation in its shape."""
    return observation[LAYOUT[name].slice].reshape(LAYOUT[name].shape)


def key(states: np.ndarray, seat: int) -> bytes:
    """The information-state key of a seat."""
    out = np.full(SPEC.key_size, -9, np.int32)
    assert BATCH.key_one(states, 0, BOX_OF[1], seat, out)
    return out.tobytes()


def decision_key(states: np.ndarray) -> int:
    """The random key of the current decision."""
    keys = np.zeros(1, np.int64)
    assert BATCH.keys_batch(states, FIRST, keys) == -1
    return int(keys[0])


def results(states: np.ndarray) -> tuple[list[int], list[int]]:
    """Net chips and ranking numbers of the seats."""
    players = int(states[0].num_players)
    scores = np.full((1, players, 1), -99, np.int64)
    assert BATCH.scores_batch(states, BOX_OF[1], FIRST, scores) == -1
    return scores[0, :, 0].tolist(), SPEC.ranks(scores[0]).tolist()


def rewards(states: np.ndarray, mode: int) -> list[float]:
    """Final rewards of the seats."""
    out = np.full((1, int(states[0].num_players)), np.nan)
    assert BATCH.rewards_batch(states, BOX_OF[1], FIRST, mode, out) == -1
    return out[0].tolist()


def chi_square(counts: np.ndarray) -> float:
    """The deviation of counts from equal counts, in about standard deviations."""
    mean = counts.mean()
    freedom = counts.size - 1
    return float((((counts - mean) ** 2 / mean).sum() - freedom) / (2 * freedom) ** 0.5)
