"""Tests that sampled worlds are even in the middle and at the end of games (SM-75).

`python -m tests.space_mission.test_even_worlds 2000` checks 2,000 positions of each variant; `make test`
checks fewer.

Places of equal standing for the seat must have equal means: unseen piles with the same number of tiles, tiles
that went between the same two looks, hands of others with cards of the same draw piles, the places of the
draw pile. The values at such places are compared with the mean of their group. Over many positions, the
deviation of each rank in the group (first, …) must be within its standard error.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator

import numpy as np
import pytest

from spacemission_env.games.space_mission.engine.constants import NEW, NOWHERE, PILE, RING, SPACE
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.support.positions import other_box
from tests.support.random_play import choose

WORLDS = 6  # drawn at each position
RANKS = 6  # ranks in a group; later ones count as the last
VARIANTS: dict[str, tuple[Rules, int | None]] = {
    "printed": (PRESETS["printed"], None),
    "penalty": (Rules(space_tile_penalty=True, space_tiles_to_end=16, max_rounds=30), None),
    "long": (Rules(space_tiles_to_end=16, max_rounds=30, scan_face_up=True), None),
    "other box, penalty": (Rules(space_tile_penalty=True, actions_per_turn=4, max_rounds=12), 2),
}
Group = tuple[Hashable, list[Hashable]]  # the quantity and the places of a group


class Deviations:
    """Sums of deviations from the mean of a group, by quantity and rank in the group."""

    def __init__(self) -> None:
        self.sums: dict[tuple[Hashable, int], float] = defaultdict(float)
        self.squares: dict[tuple[Hashable, int], float] = defaultdict(float)
        self.positions = 0

    def add(self, what: Hashable, values: np.ndarray) -> None:
        """Add values (worlds, places) of one group at one position."""
        off = (values - values.mean(1, keepdims=True)).sum(0)
        for rank in range(min(len(off), RANKS)):
            value = off[rank] if rank < RANKS - 1 else off[rank:].sum()
            self.sums[what, rank] += value
            self.squares[what, rank] += value * value

    def errors(self) -> dict[tuple[Hashable, int], float]:
        """Each sum in standard errors."""
        return {
            place: self.sums[place] / square**0.5 for place, square in self.squares.items() if square > 40
        }


def pile_groups(game: Game, seat: int) -> Iterator[list[int]]:
    """Groups of unseen piles with the same number of tiles and the same need of a point tile."""
    s = game.states[0]
    groups = defaultdict(list)
    for p in range(RING):
        known = s.looked[seat, p] != NOWHERE
        looked_through = s.phase in (1, 2, 3) and s.ship[s.player] == p
        if not known and not s.face_up[p] and s.taken[p] < PILE and not (looked_through and s.player == seat):
            groups[int(s.taken[p]), bool(looked_through) or s.taken[p] > 0].append(p)
    yield from (piles for piles in groups.values() if len(piles) > 1)


def taken_groups(game: Game, seat: int) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Groups of others' tiles of equal standing, as (pile, number): unseen, or between the same looks."""
    s, penalty = game.states[0], game.rules.space_tile_penalty
    unseen = []
    for p in range(RING):
        own = [i for i in range(s.taken[p]) if s.taken_by[p, i] == seat]
        first = own[0] if own else int(s.looked[seat, p])
        closed = s.face_up[p] or s.taken[p] == PILE
        segment: list[tuple[int, int]] = []
        for i in range(s.taken[p]):
            if s.taken_by[p, i] == seat:
                if len(segment) > 1:
                    yield "segment", segment
                segment = []
            elif penalty and closed and i == s.taken[p] - 1:
                continue  # the last one was a point tile
            elif first == NOWHERE or i < first:
                unseen.append((p, i))
            else:
                segment.append((p, i))
        if len(segment) > 1:
            yield "segment", segment
    if len(unseen) > 1:
        yield "never seen", unseen


def hand_groups(game: Game, seat: int) -> Iterator[tuple[str, list[int]]]:
    """Groups of other seats with the same numbers of cards of each draw pile."""
    s = game.states[0]
    groups = defaultdict(list)
    for j in range(game.num_players):
        if j != seat and s.hand_size[j]:
            groups[tuple(sorted(s.hand_epoch[j, : s.hand_size[j]].tolist()))].append(j)
    for epochs, seats in groups.items():
        if len(seats) > 1:
            yield ("old hands" if min(epochs) < NEW else "hands"), seats


def measure(game: Game, seat: int, rng: random.Random, found: Deviations) -> None:
    """Sample worlds at a position and add their values at places of equal standing."""
    worlds = [game.determinize(seat, rng.randrange(2**62)).states[0] for _ in range(WORLDS)]
    for piles in pile_groups(game, seat):
        for kind in (SPACE, 8, 0):
            found.add(("pile", kind), np.array([[w.pile[p, kind] for p in piles] for w in worlds], float))
    for name, places in taken_groups(game, seat):
        for kind in (SPACE, 8, 9):
            values = np.array([[w.taken_kind[place] == kind for place in places] for w in worlds], float)
            found.add((name, kind), values)
    for name, seats in hand_groups(game, seat):
        held = np.array([[w.hand[j, : w.hand_size[j]].sum() for j in seats] for w in worlds], float)
        found.add(name, held / 60)
    size = int(game.states[0].draw_size)
    if size >= 8:
        found.add("draw pile", np.array([w.draw[size - 8 : size] for w in worlds]) / 60)
    found.positions += 1


def measure_games(variant: str, positions: int, seed: int, found: Deviations) -> None:
    """Measure `count` positions of random games with 2 to 5 players, all seats in turn."""
    rules, box = VARIANTS[variant]
    rng = random.Random(seed)
    while found.positions < positions:
        num_players = 2 + rng.randrange(4)
        game = Game(num_players, rules, None if box is None else other_box(box))
        game.reset(seed=rng.randrange(2**62))
        until = rng.randrange(20)
        while True:
            if until == 0 or game.over:
                measure(game, rng.randrange(num_players), rng, found)
                until = 20
            until -= 1
            if game.over:
                break
            game.step(choose(game, game.legal_actions(), rng))


@pytest.mark.parametrize("variant", VARIANTS)
def test_sm_75_places_of_equal_standing_hold_the_same_in_the_mean(variant: str) -> None:
    found = Deviations()
    measure_games(variant, 250, 11, found)
    errors = found.errors()
    assert len(errors) > 10
    assert max(map(abs, errors.values())) < 4.5, sorted(errors.items(), key=lambda item: -abs(item[1]))[:5]


def main(positions: int = 2000, seed: int = 5) -> None:
    """The long check: prints the largest deviations of each variant, in standard errors."""
    for variant in VARIANTS:
        found = Deviations()
        measure_games(variant, positions, seed, found)
        errors = found.errors()
        largest = sorted(errors.items(), key=lambda item: -abs(item[1]))[:4]
        shown = ", ".join(f"{what} {rank}: {error:+.2f}" for (what, rank), error in largest)
        share = np.mean([abs(error) <= 3 for error in errors.values()])
        print(
            f"{variant}: {found.positions} positions, {len(errors)} places, {share:.1%} within 3; {shown}",
            flush=True,
        )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
