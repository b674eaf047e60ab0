"""The plain-Python Planet Hexx alone: random games, and what holds at every decision of them."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.support.planet_hexx_decks import words_deck

from .planet_hexx import moves
from .planet_hexx.board import NUMBER_OF, around
from .planet_hexx.cards import Deck, shipped
from .planet_hexx.random_play import some_move
from .planet_hexx.situations import counted
from .planet_hexx_oracle import HexxOracle

OPTIONS: dict[str, dict[str, Any]] = {
    "printed": {},
    "always_ask": {"always_ask": True},
    "equal_turns": {"equal_turns": True, "upload_cost": 1},
    "quick": {
        "hand_size": 9,
        "actions_per_turn": 5,
        "upload_cost": 1,
        "max_turns": 20,
        "movable_bases": True,
    },
    "both": {"always_ask": True, "equal_turns": True, "hand_size": 8, "upload_cost": 0, "split_board": True},
}
COPIES = {kind.id: kind.copies for kind in shipped().kinds if kind.copies} | {
    "space_base": 1,
    "delta_colony": 1,
}


def check(game: HexxOracle) -> None:
    t = game.table
    assert counted(game) == COPIES  # 110 cards and the two that lie there from the start
    for seat in t.seats:
        assert 0 <= seat.store <= 99 and len(seat.hand) <= moves.HAND_LIMIT
        assert [c.kind.number for c in seat.hand] == sorted(c.kind.number for c in seat.hand)
        assert seat.last_landed is None or t.board[seat.last_landed].is_planet
        assert seat.ship in t.board
        for card, type_ in zip(seat.filled, seat.points if seat.side is not None else (), strict=False):
            assert card is None or card.kind.type == type_
    for cell, hex_ in t.board.items():
        assert cell in NUMBER_OF and 0 <= hex_.data <= 99
        assert hex_.is_planet or not hex_.data
        assert (hex_.kind.walls and not hex_.kind.fixed) or not hex_.rotation
    assert t.rules["split_board"] or t.board.hangs_together_without((99, 99))
    assert 0 <= t.deck_known <= len(t.deck)
    assert t.actions_left >= 0 and all(n > 0 for n in t.gained.values())
    assert game.legal() == sorted(set(game.legal()))
    assert len(game.legal()) > 1 or game.over or t.rules["always_ask"]


def planets_side_by_side(game: HexxOracle) -> bool:
    board = game.table.board
    planets = {cell for cell, hex_ in board.items() if hex_.is_planet and not hex_.kind.beside_planets}
    return any(place in planets for cell in planets for place in around(cell))


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS)
def test_random_games_end_and_keep_their_cards(options: str, num_players: int) -> None:
    for deck in (shipped(), Deck(words_deck())):
        rng = random.Random(num_players)
        game = HexxOracle(num_players, num_players, OPTIONS[options], deck)
        terraformed = False
        while not game.over:
            check(game)
            turn = game.table.turn
            game.step(some_move(game.legal(), rng))
            if game.table.turn != turn:
                assert not game.table.played  # nothing is left over from the turn before
            terraformed = terraformed or "terraforming" in [card.kind.id for card in game.table.played]
            assert terraformed or not planets_side_by_side(game)  # HX-11, unless a card says "any"
        check_end(game)


def check_end(game: HexxOracle) -> None:
    t = game.table
    assert game.to_act is None and game.legal() == []
    complete = [seat.number for seat in t.seats if seat.complete]
    assert set(t.winners) <= set(complete) and bool(t.winners) == (game.over == "finished")
    if game.over == "truncated":
        assert t.turn == t.rules["max_turns"] * len(t.seats)
    elif t.rules["equal_turns"]:
        assert t.turn % len(t.seats) == 0
    else:
        assert len(t.winners) == 1


def test_a_seed_and_moves_give_one_game() -> None:
    def play() -> list[dict[str, Any]]:
        rng, game, states = random.Random(5), HexxOracle(3, 77, {"upload_cost": 1}), []
        for _ in range(400):
            states.append(game.snapshot())
            if not game.over:
                game.step(some_move(game.legal(), rng))
        return states

    assert play() == play()


def test_random_games_meet_every_decision() -> None:
    met: Counter[str] = Counter()
    for seed in range(12):
        rng, game = random.Random(seed), HexxOracle(2 + seed % 3, seed, {"upload_cost": 1, "hand_size": 9})
        while game.decision:
            met[game.decision.name] += 1
            game.step(some_move(game.legal(), rng))
    asked = "SIDE MAIN GAINED CELL ROTATION BRANCH STEP COLLECT MAY WINDOW DISCARD RECOVER PLAY UPLOAD_NOW"
    assert {*asked.split(), "TARGET_SEAT", "DELETE_UPLOAD"} <= set(met)


def test_an_illegal_move_is_refused() -> None:
    game = HexxOracle(2, 0, {})
    with pytest.raises(ValueError, match="not one of"):
        game.step(moves.PASS)
    with pytest.raises(ValueError, match="5 players"):
        HexxOracle(5, 0, {})
    with pytest.raises(ValueError, match="hand"):
        HexxOracle(2, 0, {"hand": 5})
