"""Tests that the states of random games are possible, and how the games end.

The long check takes minutes: `python -m tests.planet_hexx.test_random_games 20000` (games, then a seed).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import product

import numpy as np
import pytest

from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.reading import Json
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.consistency import state_problem
from tests.planet_hexx.positions import random_walk

# Rules options by name.
KINDS_OF_GAMES: dict[str, Json] = {
    "printed": {},
    "always_ask": {"always_ask": True, "max_turns": 20},
    "equal_turns": {"equal_turns": True, "upload_cost": 1, "actions_per_turn": 5, "max_turns": 30},
    "many_cards": {"hand_size": 10, "max_turns": 20},
    "many_actions": {"actions_per_turn": 6, "upload_cost": 0, "max_turns": 30},
    "few": {"hand_size": 1, "actions_per_turn": 1, "max_turns": 60},
}
# Weights of moves, each from one number on. With equal weights almost no game is won.
MANNERS: tuple[dict[int, float], ...] = (
    {},
    {0: 0.3, 6: 4, c.TO_PLAY: 5, 19: 9, 31: 3, c.TO_DISCARD: 1},  # uploads
    {0: 0.3, c.TO_PLAY: 20, 19: 3, c.TO_DISCARD: 1},  # events
    {0: 0.1, 1: 5, 6: 8, c.TO_PLAY: 1, c.TO_CELL: 1, 272: 8},  # flies
)
ENDS = ("finished", "truncated")
CHECKED = 0.1  # share of decisions


def weights(manner: dict[int, float]) -> np.ndarray:
    """The weight of each move."""
    found = np.ones(425)
    for first in sorted(manner):
        found[first:] = manner[first]
    return found


def play_checked(
    num_players: int, rules: Json, manner: dict[int, float], count: int, seed: int
) -> tuple[Counter[int], Counter[str]]:
    """Play random games to the end; return counts of the decisions asked and of the results."""
    rng = np.random.default_rng([seed, num_players, count])
    games = BatchedGames(count, num_players, rules, game="planet_hexx")
    for i in range(count):
        games.deal(i, seed * 1_000_000 + i)
    asked, weighed = Counter[int](), weights(manner)
    index = games.everyone
    while len(index):
        masks = games.ask(index, observations=False).masks
        asked.update(games.states["asked"][index].tolist())
        for i in index[rng.random(len(index)) < CHECKED]:
            problem = state_problem(games.states[i], games.template.t, num_players)
            assert problem is None, (problem, games.states[i]["seed"], games.states[i]["decisions"])
        chances = rng.exponential(size=masks.shape) / weighed
        games.step(index, np.where(masks, chances, np.inf).argmin(1))
        index = index[games.states["over"][index] == 0]
    return asked, judged(games)


def judged(games: BatchedGames) -> Counter[str]:
    """Check the results of finished games and count them."""
    states, rules = games.states, games.template.rules
    won, finished = states["won"].any(1), states["over"] == 1
    assert (won == finished).all()
    complete = (states["filled"] >= 0).all(2)
    assert (complete | (states["won"] == 0)).all()
    assert (states["turn"][~finished] == games.num_players * rules.max_turns).all()
    assert rules.equal_turns or (states["won"].sum(1)[finished] == 1).all()
    return Counter(ENDS[int(over) - 1] for over in states["over"])


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("rules", KINDS_OF_GAMES)
def test_random_games_keep_their_cards_and_end(num_players: int, rules: str) -> None:
    for k, manner in enumerate(MANNERS[:2]):
        asked, ends = play_checked(num_players, KINDS_OF_GAMES[rules] | {"max_turns": 12}, manner, 6, k)
        assert ends.total() == 6 and asked.total() > 200


def course(seed: int) -> str:
    """A digest of the states and views of a random game."""
    digest = hashlib.sha256()
    for game in random_walk(seed, 60):
        digest.update(game.states.tobytes())
        digest.update(game.observe().tobytes())
        digest.update(game.information_state_key(0))
        digest.update(game.decision_key().to_bytes(8, "little"))
        digest.update(game.determinize(0, seed).states.tobytes())
    return digest.hexdigest()


def test_a_game_is_the_same_with_and_without_the_jit() -> None:
    code = "from tests.planet_hexx.test_random_games import course; print(*map(course, (3, 4, 5)))"
    plain = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert plain.stdout.split() == [course(seed) for seed in (3, 4, 5)]


def main(count: int, seed: int = 1) -> None:
    """Play games with all options and manners; print the results."""
    kinds = list(product(KINDS_OF_GAMES, (2, 3, 4), range(len(MANNERS))))
    each = -(-count // len(kinds))
    ends: Counter[tuple[str, str]] = Counter()
    asked = Counter[int]()
    for rules, num_players, manner in kinds:
        found, ended = play_checked(
            num_players, KINDS_OF_GAMES[rules], MANNERS[manner], each, seed * 100 + manner
        )
        asked += found
        for end, number in ended.items():
            ends[rules, end] += number
        print(f"{rules}, {num_players} players, manner {manner}: {found.total()} decisions", flush=True)
    for (rules, end), number in sorted(ends.items()):
        print(f"{rules:14} {end:10} {number}")
    print(*(f"{name} {asked[k]}" for k, name in enumerate(c.ASKED_NAMES)), sep=", ")
    print(f"{sum(ends.values())} games, {asked.total()} decisions: nothing wrong at any of them")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
