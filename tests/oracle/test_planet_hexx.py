"""The engine of Planet Hexx against the plain-Python rules, state by state.

`python -m tests.oracle.test_planet_hexx 5000` runs the full comparison (a number of games; the number of the
first may follow): with the deck that ships, one that has every word of the language, random ones, and random
ones with few cards. The suite runs a smaller sample.
"""

import random
import sys
from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from spacemission_env.games.planet_hexx.components.deck import Deck as Components
from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.games.planet_hexx.game import Game
from spacemission_env.games.planet_hexx.options import make_rules
from tests.support.planet_hexx_decks import random_deck, words_deck
from tests.support.planet_hexx_snapshot import snapshot

from .planet_hexx import moves
from .planet_hexx.cards import DECK_FILE, TINY_FILE, Deck, rows_of
from .planet_hexx.random_play import MANNERS, first_of, some_move
from .planet_hexx_oracle import HexxOracle

OPTIONS: dict[str, dict[str, Any]] = {
    "printed": {},
    "always_ask": {"always_ask": True},
    "equal_turns": {"equal_turns": True},
    "both": {"always_ask": True, "equal_turns": True, "upload_cost": 1, "split_board": True},
    "many_cards": {"hand_size": 10, "max_turns": 20, "movable_bases": True, "immediate_upload_cost": 2},
    "many_actions": {"actions_per_turn": 6, "max_turns": 20, "upload_cost": 2, "copy_cancelled": False},
    "short": {
        "max_turns": 5,
        "upload_cost": 1,
        "split_board": True,
        "movable_bases": True,
        "start_player": 1,
    },
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


@lru_cache(maxsize=4)
def deck_named(name: str) -> tuple[Components, Deck]:
    """A deck as either side reads it: "ships", "tiny", "words", or "random" or "few" and a seed."""
    kind, _, seed = name.partition(" ")
    if seed:
        data = random_deck(int(seed), kind == "few")
    else:
        data = words_deck() if kind == "words" else rows_of(TINY_FILE if kind == "tiny" else DECK_FILE)
    return components_from_data(data, f"deck {name}"), Deck(data)


def compare_game(
    seed: int, num_players: int, rules: dict[str, Any], manner: str, deck: str
) -> tuple[int, str | None]:
    """A random game in both; returns its decisions and how it ended."""
    rng, (components, cards) = random.Random(seed), deck_named(deck)
    game, oracle = Game(num_players, rules, components), HexxOracle(num_players, seed, rules, cards)
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


KINDS = list(product(OPTIONS, (2, 3, 4), MANNERS))
DECKS = ("ships", "words", "random", "few")


def compare_one(number: int, **shorter: int) -> tuple[str, str | None, int]:
    """The game of a number; returns its deck, how it ended and its decisions."""
    options, num_players, manner = KINDS[number % len(KINDS)]
    deck = DECKS[number // len(KINDS) % len(DECKS)]
    rules = OPTIONS[options] | shorter
    name = f"{deck} {number}" if deck in DECKS[2:] else deck
    made, reason = compare_game(50_000 + number, num_players, rules, manner, name)
    return deck, reason, made


@pytest.mark.parametrize("number", range(0, len(KINDS) * len(DECKS), 16))
def test_engine_agrees_with_the_plain_rules(number: int) -> None:
    compare_one(number, max_turns=8)


@pytest.mark.parametrize("rules", ["tiny", "tiny,always_ask=true", "tiny,start_player=random,max_turns=9"])
def test_engine_agrees_with_the_plain_rules_in_the_tiny_game(rules: str) -> None:
    for seed in range(15):
        compare_game(seed, 2, make_rules(rules).to_json(), sorted(MANNERS)[seed % len(MANNERS)], "tiny")


def main(games: int, start: int = 0) -> None:
    """Compare many games; prints how they ended."""
    ends: Counter[tuple[str, str | None]] = Counter()
    decisions = 0
    for number in range(start, start + games):
        deck, reason, made = compare_one(number)
        decisions += made
        ends[deck, reason] += 1
        if (number + 1 - start) % 500 == 0:
            print(f"{number + 1 - start} games, {decisions} decisions agree", flush=True)
    for (deck, reason), count in sorted(ends.items(), key=str):
        print(f"{deck:6} {reason:10} {count}")
    print(f"{games} games, {decisions} decisions: every state, mask and winner agrees")


if __name__ == "__main__":
    np.seterr(all="raise")
    main(*(int(argument) for argument in sys.argv[1:]))
