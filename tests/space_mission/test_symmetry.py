"""Tests that a turned or mirrored game stays the same game under the same moves (SM-02, SM-25).

A `turn` is `origin + 8 * mirrored`: position `origin` becomes position 0; if `mirrored`, the ring runs in the
other direction. Turn 0 changes nothing.
"""

import numpy as np
import pytest

from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import LAYOUT, OBSERVATION_SIZE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.setup import read

RULES = "printed,max_rounds=40"
TURNS = 2 * c.RING


def place_before(turn: int, q: int) -> int:
    """The ring position that a turn moves to q."""
    origin, mirrored = turn % c.RING, turn // c.RING
    return (origin - q if mirrored else origin + q) % c.RING


def _observation_sources() -> np.ndarray:
    sources = np.tile(np.arange(OBSERVATION_SIZE, dtype=np.int16), (TURNS, 1))
    for turn in range(TURNS):
        ring = [place_before(turn, q) for q in range(c.RING)]
        for piece in LAYOUT.values():
            if piece.ring_axis is not None:
                places = np.arange(piece.start, piece.slice.stop).reshape(piece.shape)
                sources[turn, piece.slice] = places.take(ring, piece.ring_axis).ravel()
    return sources


def _action_sources() -> np.ndarray:
    sources = np.tile(np.arange(c.ACTION_COUNT, dtype=np.int16), (TURNS, 1))
    for turn in range(TURNS):
        for slot in range(c.SLOTS):
            for q in range(c.RING):
                sources[turn, c.JUMP + c.RING * slot + q] = c.JUMP + c.RING * slot + place_before(turn, q)
        if turn >= c.RING:
            sources[turn, [c.FLY_NEXT, c.FLY_PREVIOUS]] = c.FLY_PREVIOUS, c.FLY_NEXT
    return sources


# Number i of a turned observation is number OBSERVATION_SOURCES[turn, i] of the original; action a of a
# turned game is action ACTION_SOURCES[turn, a] of the original. int16 (16, size) and (16, 101).
OBSERVATION_SOURCES = _observation_sources()
ACTION_SOURCES = _action_sources()


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


@pytest.mark.parametrize("turn", [3, 6, 8, 13])  # turned and mirrored, each of 2 to 5 players
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
