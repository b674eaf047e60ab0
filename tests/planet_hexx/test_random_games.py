"""What holds in every game, however it is played."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from spacemission_env.games.planet_hexx.components import load_components
from spacemission_env.games.planet_hexx.engine.constants import ASKED_NAMES
from spacemission_env.games.planet_hexx.engine.grid import NEIGHBOURS
from tests.planet_hexx.positions import new_game, random_move
from tests.support.planet_hexx_snapshot import snapshot

DECK = load_components()
CARDS = {card.id: card for card in DECK.cards}
ALL = Counter({card.id: card.copies for card in DECK.cards if card.copies})
FREELY = {card.id for card in DECK.cards if "place" in str(card.play)}  # lay hexes beside any other
STARTING = ("space_base", "delta_colony")
# How games of the test differ: each with what it may make happen.
KINDS_OF_GAMES: list[dict[str, Any]] = [
    {},
    {"always_ask": True},
    {"equal_turns": True, "upload_cost": 1, "actions_per_turn": 5},
    {"hand_size": 9},
]


def all_cards(seen: dict[str, Any]) -> Counter[str]:
    """Every card that is anywhere, but for the starting hexes."""
    places = [
        seen["deck"],
        seen["table"],
        [card for hand in seen["hands"] for card, _, _ in hand],
        [card for _, _, filled in seen["missions"] for card in filled if card],
        [card for card, _, _ in seen["board"].values() if card not in STARTING],
    ]
    counts = Counter(seen["discard"])
    for place in places:
        counts.update(place)
    return counts


def planets_beside_planets(seen: dict[str, Any]) -> set[tuple[int, int]]:
    """Pairs of cells with Planets that may not touch (HX-11)."""
    pairs = set()
    planets = {cell for cell, (card, _, _) in seen["board"].items() if CARDS[card].type == "planet"}
    for cell in planets:
        for near in {int(c) for c in NEIGHBOURS[cell]} & planets:
            cards = CARDS[seen["board"][cell][0]], CARDS[seen["board"][near][0]]
            if not any(card.beside_planets for card in cards):
                pairs.add((cell, near))
    return pairs


@pytest.mark.parametrize("rules", KINDS_OF_GAMES)
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games_keep_their_cards_and_end(num_players: int, rules: dict[str, Any]) -> None:
    rng = np.random.default_rng(num_players)
    game = new_game(num_players, num_players, **{"max_turns": 15, **rules})
    s = game.states[0]
    freely = False  # whether a hex may have been laid beside any other
    while not game.over:
        seen = snapshot(game)
        assert all_cards(seen) == ALL
        assert all(0 <= data <= 99 for _, data, _ in seen["board"].values())
        assert all(ship in seen["board"] for ship in seen["ships"])
        name = ASKED_NAMES[s.asked]
        assert len(seen["mask"]) >= (1 if name == "window" and rules.get("always_ask") else 2)
        assert (s.depth == 0) == (name in ("side", "main"))
        freely |= bool(FREELY & set(seen["table"]))
        assert freely or not planets_beside_planets(seen)
        game.step(random_move(game, rng))
    assert s.over in (1, 2)
    assert (s.over == 1) == bool(s.won.any())
    if s.over == 2:
        assert s.turn == num_players * game.rules.max_turns


def course(num_players: int, seed: int, moves: int = 60) -> str:
    """Digest of a random game's states."""
    game, rng, digest = new_game(num_players, seed), np.random.default_rng(seed), hashlib.sha256()
    for _ in range(moves):
        if game.over:
            break
        game.step(random_move(game, rng))
        digest.update(game.states.tobytes())
        digest.update(game.observe().tobytes())
        digest.update(game.information_state_key(0))
        digest.update(game.decision_key().to_bytes(8, "little"))
        digest.update(game.determinize(0, seed).states.tobytes())
    return digest.hexdigest()


def test_a_game_is_the_same_with_and_without_the_jit() -> None:
    code = "from tests.planet_hexx.test_random_games import course; print(*[course(n, n) for n in (2, 3, 4)])"
    plain = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert plain.stdout.split() == [course(n, n) for n in (2, 3, 4)]


def test_the_same_seed_is_the_same_game() -> None:
    assert course(3, 5) == course(3, 5)
    assert course(3, 5) != course(3, 6)


def test_a_copy_made_in_the_middle_of_a_decision_goes_on_alike() -> None:
    rng = np.random.default_rng(8)
    deep = 0
    for seed in range(2):
        game = new_game(3, seed)
        while not game.over:
            deep += int(game.states[0].depth) > 1
            other = game.clone()
            for _ in range(3):
                if game.over:
                    break
                action = random_move(game, rng)
                game.step(action)
                other.step(action)
            assert other.states.tobytes() == game.states.tobytes()
    assert deep > 30
