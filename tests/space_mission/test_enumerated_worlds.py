"""Tests that sampled worlds have the right frequencies in small positions (SM-75).

`tests/oracle/enumerate_worlds.py` enumerates all worlds of a position in plain Python; a chi-square test
compares 100,000 sampled worlds with them. Their exact means must be those of the tracker of `test_memory`.
Small positions come from whole games with few kinds of tiles or few hidden cards. The long check of 20
positions of each sort: `python -m tests.space_mission.test_enumerated_worlds 20`.
"""

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.engine.batch import BATCH
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, NOWHERE, RING, SPACE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from spacemission_env.games.space_mission.spec import SPEC
from tests.oracle.enumerate_worlds import (
    CardState,
    TileState,
    TooManyWorldsError,
    enumerate_cards,
    enumerate_tiles,
)
from tests.oracle.knowledge import Tracker
from tests.oracle.space_mission_oracle import OracleGame
from tests.oracle.witness import Witness
from tests.support.chi_square import too_far
from tests.support.random_play import choose

DRAWS = 100_000
LEAST, MOST = 2, 600  # states of a tested position
LONG = {"space_tiles_to_end": 16, "max_rounds": 40}
VARIANTS: dict[str, Rules] = {
    "printed": Rules(**LONG),
    "penalty": Rules(space_tile_penalty=True, **LONG),
    "options": Rules(scan_face_up=True, empty_top_up=False, hand_size=3, **LONG),
    "penalty and options": Rules(space_tile_penalty=True, scan_face_up=True, actions_per_turn=3, **LONG),
}
Weights = Mapping[Hashable, Fraction]


def small_box(water: int) -> Components:
    """Components with two kinds of point tiles."""
    tiles = [0] * len(KIND_NAMES)
    tiles[8], tiles[9], tiles[SPACE] = water, 48 - water, 16
    return replace(load_components(None), tiles=tuple(tiles))


def sampled_worlds(game: Game, seed: int) -> np.ndarray:
    """`DRAWS` worlds of the player to act, as `STATE` records."""
    worlds = SPEC.new_states(DRAWS)
    keys = np.random.default_rng(seed).integers(0, 2**62, DRAWS)
    BATCH.worlds_batch(game.states, game.parameters, np.zeros(DRAWS, np.int64), keys, worlds)
    return worlds


def tile_states(game: Game, worlds: np.ndarray) -> Counter[Hashable]:
    """How often each tile state (enumerate_worlds) was sampled."""
    s = game.states[0]
    rows = np.concatenate([worlds["pile"].reshape(DRAWS, -1), worlds["taken_kind"].reshape(DRAWS, -1)], 1)
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    found: Counter[Hashable] = Counter()
    for row, count in zip(kinds, counts, strict=True):
        pile, taken = (
            row[: RING * len(KIND_NAMES)].reshape(RING, -1),
            row[RING * len(KIND_NAMES) :].reshape(RING, -1),
        )
        piles = tuple(
            tuple(sorted(KIND_NAMES[k] for k in range(len(KIND_NAMES)) for _ in range(pile[p, k])))
            for p in range(RING)
        )
        gone = tuple(
            tuple((int(s.taken_by[p, i]), KIND_NAMES[taken[p, i]]) for i in range(s.taken[p]))
            for p in range(RING)
        )
        found[piles, gone] += int(count)
    return found


def card_states(game: Game, worlds: np.ndarray) -> Counter[Hashable]:
    """How often each card state was sampled."""
    s = game.states[0]
    ids = [card.id for card in game.components.cards]
    draws = np.sort(worlds["draw"][:, : s.draw_size], 1)
    rows, counts = np.unique(
        np.concatenate([worlds["hand"].reshape(DRAWS, -1), draws], 1), axis=0, return_counts=True
    )
    found: Counter[Hashable] = Counter()
    for row, count in zip(rows, counts, strict=True):
        hands = row[: worlds["hand"][0].size].reshape(worlds["hand"][0].shape)
        held = tuple(
            tuple(sorted(ids[c] for c in hands[j, : s.hand_size[j]])) for j in range(game.num_players)
        )
        found[held, tuple(sorted(ids[c] for c in row[worlds["hand"][0].size :]))] += int(count)
    return found


def small_positions(what: str, rules: Rules, seed: int) -> Iterator[tuple[Game, Weights]]:
    """Positions of random games with their possible states for the player to act, all enumerated."""
    rng = random.Random(seed)
    while True:
        num_players = 2 + rng.randrange(4)
        game = Game(num_players, rules, small_box(rng.choice((24, 44, 47))) if what == "tiles" else None)
        game.reset(seed=rng.randrange(2**62))
        header, options = game.components.to_json(), game.rules.to_json()
        oracle = OracleGame(num_players, options, header["planets"], header["cards"], game.setup_json())
        witness = Witness(oracle, options)
        until = rng.randrange(20)
        while not game.over:
            until -= 1
            if until < 0 and may_be_small(what, game):
                states = enumerated(what, witness.trackers[int(game.states[0].player)])
                if LEAST <= len(states) <= MOST:
                    yield game, states
                    until = 12
            action = choose(game, game.legal_actions(), rng)
            game.step(action)
            witness.play(action, lambda cards, game=game: game.last_shuffle())


def may_be_small(what: str, game: Game) -> bool:
    """Whether the position may have few worlds."""
    s = game.states[0]
    if what == "cards":
        return int(s.draw_size) <= 6 and game.num_players <= 3
    unseen = [p for p in range(RING) if s.looked[s.player, p] == NOWHERE and not s.face_up[p]]
    return len(unseen) <= 3 and int(s.taken.sum()) <= 30


def enumerated(what: str, tracker: Tracker) -> Weights:
    """All states of a position, whose means the tracker must know; nothing if there are too many."""
    try:
        if what == "tiles":
            tiles = enumerate_tiles(tracker, 3_000)
            assert tracker.tile_marginals() == tile_averages(tracker, tiles)
            return tiles
        cards = enumerate_cards(tracker, 3_000)
    except TooManyWorldsError:
        return {}
    assert tracker.card_marginals() == card_averages(tracker, cards)
    return cards


def tile_averages(tracker: Tracker, worlds: Mapping[TileState, Fraction]) -> Json:
    """The value of `tile_marginals` from enumerated worlds."""
    planets, seats = range(len(tracker.dealt)), range(tracker.num_players)
    piles: list[dict] = [defaultdict(Fraction) for _ in planets]
    taken: list[list[dict]] = [[defaultdict(Fraction) for _ in planets] for _ in seats]
    total: list[dict] = [defaultdict(Fraction) for _ in seats]
    for (now, gone), share in worlds.items():
        for planet in planets:
            for tile in now[planet]:
                piles[planet][tile] += share
            for seat, tile in gone[planet]:
                taken[seat][planet][tile] += share
                total[seat][tile] += share
    return {"piles": piles, "taken": taken, "total": total}


def card_averages(tracker: Tracker, worlds: Mapping[CardState, Fraction]) -> Json:
    """The value of `card_marginals` from enumerated worlds."""
    places: list[dict] = [defaultdict(Fraction) for _ in range(tracker.num_players + 1)]
    for (hands, draw), share in worlds.items():
        for place, cards in zip(places, (*hands, draw), strict=True):
            for card in cards:
                place[card] += share
    return {"hands": places[:-1], "draw": places[-1]}


def check(what: str, variant: str, positions: int, seed: int) -> int:
    """Compare `count` positions; returns the number of their states."""
    total = 0
    for number, (game, states) in enumerate(small_positions(what, VARIANTS[variant], seed)):
        if number == positions:
            return total
        worlds = sampled_worlds(game, number)
        found = tile_states(game, worlds) if what == "tiles" else card_states(game, worlds)
        assert not too_far(found, states), (what, variant, number, len(states))
        total += len(states)
    return total


@pytest.mark.parametrize(
    ("what", "variant"),
    [
        pytest.param(what, name, marks=pytest.mark.slow if what == "tiles" and "penalty" in name else [])
        for what in ("tiles", "cards")
        for name in VARIANTS
    ],
)
def test_sm_75_every_world_of_a_small_position_is_equally_likely(what: str, variant: str) -> None:
    positions = 1 if what == "tiles" else 2  # such positions come late in a game
    assert check(what, variant, positions, 1) >= positions * LEAST


def test_chi_square_finds_a_lean() -> None:
    even = {state: 0.1 for state in range(10)}
    rng = np.random.default_rng(1)
    assert not too_far(Counter(rng.integers(0, 10, DRAWS).tolist()), even)
    assert too_far(Counter((rng.random(DRAWS) ** 1.02 * 10).astype(int).tolist()), even)


def main(positions: int = 50, seed: int = 1) -> None:
    """The long check."""
    for what in ("tiles", "cards"):
        for variant in VARIANTS:
            states = check(what, variant, positions, seed)
            print(
                f"{what}, {variant}: {positions} positions, {states} states, {DRAWS} draws each", flush=True
            )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
