"""The engine of Planet Hexx against the plain-Python rules, state by state.

`python -m tests.oracle.test_planet_hexx 5000` runs the full comparison, `… 2000 0 1` one with random decks
(a number of games, then the first of them); the suite runs a smaller sample.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from spacemission_env.games.planet_hexx.components import components_from_data
from spacemission_env.games.planet_hexx.game import Game
from tests.support.planet_hexx_decks import random_deck
from tests.support.planet_hexx_snapshot import snapshot

from .planet_hexx import moves
from .planet_hexx.cards import Deck
from .planet_hexx.random_play import MANNERS, first_of, some_move
from .planet_hexx_oracle import HexxOracle

OPTIONS: dict[str, dict[str, Any]] = {
    "printed": {},
    "always_ask": {"always_ask": True},
    "equal_turns": {"equal_turns": True},
    "both": {"always_ask": True, "equal_turns": True, "upload_cost": 1},
    "many_cards": {"hand_size": 10, "max_turns": 20},
    "many_actions": {"actions_per_turn": 6, "max_turns": 20, "upload_cost": 2},
    "short": {"max_turns": 5, "hand_size": 8, "upload_cost": 1},
}
TOLD = 15  # of the moves before a mismatch
WITH_SLOTS = (moves.PLAY, moves.UPLOAD, moves.UPLOAD_OTHERWISE, moves.DISCARD)


def told(oracle: HexxOracle, move: int) -> str:
    """Who is asked what, and the move in words."""
    decision, words = oracle.decision, moves.in_words(move)
    assert decision is not None
    first = first_of(move)
    if first in WITH_SLOTS:
        words += f" ({oracle.table.seats[decision.seat].hand[move - first].kind.id})"
    if first == moves.KIND:
        words += f" ({list(oracle.snapshot()['discard'])})"
    return f"{move:4} seat {decision.seat} {decision.name}: {words}"


def difference(engine: dict[str, Any], oracle: dict[str, Any]) -> str:
    """The fields that differ."""
    names = [name for name in {**engine, **oracle} if engine.get(name) != oracle.get(name)]
    return "\n".join(f"  {n}\n    engine {engine.get(n)}\n    oracle {oracle.get(n)}" for n in names)


def compare_game(
    seed: int, num_players: int, rules: dict[str, Any], manner: str, deck: int | None = None
) -> tuple[int, str | None]:
    """A random game in both; returns its decisions and how it ended. `deck`: the seed of a random one."""
    rng = random.Random(seed)
    if deck is None:
        game, oracle = Game(num_players, rules), HexxOracle(num_players, seed, rules)
    else:
        data = random_deck(deck)
        game = Game(num_players, rules, components_from_data(data, f"random deck {deck}"))
        oracle = HexxOracle(num_players, seed, rules, Deck(data))
    game.reset(seed=seed)
    made: list[str] = []
    while True:
        ours, theirs = snapshot(game), oracle.snapshot()
        ours["rng"], theirs["rng"] = game.states[0].rng.tolist(), [int(x) for x in oracle.table.chance.rng]
        if ours != theirs:
            where = f"seed {seed}, {num_players} players, {rules}, {manner}, deck {deck}, move {len(made)}"
            raise AssertionError("\n".join([where, *made[-TOLD:], difference(ours, theirs)]))
        if oracle.over:
            assert game.over and game.reason == oracle.over
            assert game.winners() == oracle.table.winners
            return len(made), oracle.over
        move = some_move(oracle.legal(), rng, manner)
        made.append(told(oracle, move))
        game.step(move)
        oracle.step(move)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS)
def test_engine_agrees_with_the_plain_rules(options: str, num_players: int) -> None:
    for i, manner in enumerate(list(MANNERS)[:3]):
        compare_game(1000 * num_players + i, num_players, OPTIONS[options], manner)


@pytest.mark.parametrize("deck", range(12))
def test_engine_agrees_on_decks_with_random_effects(deck: int) -> None:
    options = list(OPTIONS.values())[deck % len(OPTIONS)]
    compare_game(deck, 2 + deck % 3, options | {"max_turns": 12}, list(MANNERS)[deck % len(MANNERS)], deck)


def main(games: int, start: int = 0, random_decks: int = 0) -> None:
    """Compare many games; prints how they ended."""
    kinds = list(product(OPTIONS, (2, 3, 4), MANNERS))
    ends: Counter[tuple[str, str | None]] = Counter()
    decisions = 0
    for i in range(start, start + games):
        options, num_players, manner = kinds[i % len(kinds)]
        deck = i if random_decks else None
        made, reason = compare_game(50_000 + i, num_players, OPTIONS[options], manner, deck)
        decisions += made
        ends[options, reason] += 1
        if (i + 1 - start) % 500 == 0:
            print(f"{i + 1 - start} games, {decisions} decisions agree", flush=True)
    for (options, reason), count in sorted(ends.items(), key=str):
        print(f"{options:14} {reason:10} {count}")
    print(f"{games} games, {decisions} decisions: every state, mask and winner agrees")


if __name__ == "__main__":
    np.seterr(all="raise")
    main(*(int(argument) for argument in sys.argv[1:]))
