"""Tests that observations have all public facts and what the seat remembers, on random positions.

`python -m tests.space_mission.test_knowledge 2000` checks at least 2,000 positions from each seat;
`make test` runs fewer.

The checks compare with a `Memory` of each seat, recorded while a game is played. It does not read the
engine's own memory (`looked`, `hand_epoch`).
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
import pytest

from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import OLDEST
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from spacemission_env.games.space_mission.view import ACTION_WORDS, View, decode
from tests.support.positions import hand, other_box, position, state_bytes
from tests.support.random_play import choose

EVERY = 9  # decisions between two positions of a game
Tally = Counter[Hashable]  # positions, for the report and to test the tests

# Name, rules, and the number of another box (identical cards, other tiles) or None for the default box.
VARIANTS: list[tuple[str, Rules, int | None]] = [
    ("printed", PRESETS["printed"], None),
    ("penalty", Rules(space_tile_penalty=True, space_tiles_to_end=16, max_rounds=30), None),
    ("yucata", PRESETS["yucata"], None),
    ("small hands", Rules(hand_size=3, actions_per_turn=3), None),
    ("long", Rules(space_tiles_to_end=16, max_rounds=30), None),
    ("identical cards", Rules(), 1),
    ("identical cards, penalty", Rules(space_tile_penalty=True, actions_per_turn=4, max_rounds=12), 2),
]

DEFAULT_BOX = load_components(None)

# ---------------------------------------------------------------- what a seat remembers


@dataclass
class Look:
    """A look of a seat: the tiles in the pile after `taken` tiles had gone."""

    taken: int
    left: Counter[int]
    round_number: int
    action: str  # scan, develop or discover


@dataclass
class Memory:
    """The memory of one seat in a game."""

    looks: dict[int, list[Look]] = field(default_factory=lambda: {p: [] for p in range(c.RING)})
    own_picks: list[tuple[int, int, int]] = field(default_factory=list)  # planet, number taken before, kind


@dataclass
class Table:
    """A game and the memories of its seats."""

    game: Game
    memories: list[Memory]
    # Card ids of each hand at the last shuffle, without those seen again since.
    kept: list[set[str]]

    @classmethod
    def new(cls, num_players: int, rules: Rules, box: int | None, seed: int) -> Table:
        game = Game(num_players, rules, None if box is None else other_box(box))
        game.reset(seed=seed)
        return cls(game, [Memory() for _ in range(num_players)], [set() for _ in range(num_players)])

    def step(self, action: int) -> None:
        """Make a move and update the memories."""
        game = self.game
        s = game.states[0]
        seat, p, shuffles = int(s.player), int(s.ship[s.player]), int(s.shuffles)
        kind, played = kind_of(action), {hand(game, seat)[slot] for slot in slots_of(action)}
        if kind == "take":
            self.memories[seat].own_picks.append((p, int(s.taken[p]), action - c.TAKE))
        round_number = int(s.round_number)
        game.step(action)
        if kind in ("scan", "take") or game.phase in ("develop", "discover"):
            left = Counter({k: int(count) for k, count in enumerate(s.pile[p]) if count})
            looks = self.memories[seat].looks[p]
            look = looks[-1].action if kind == "take" else kind
            looks.append(Look(int(s.taken[p]), left, round_number, look))
        self.kept[seat] -= played
        if s.shuffles > shuffles:
            new_pile = set(game.last_shuffle())
            for j in range(game.num_players):
                self.kept[j] = set(hand(game, j)) - new_pile


# ---------------------------------------------------------------- sufficiency


def named(counts: Counter[int]) -> dict[str, int]:
    """Counts by the names of the kinds of tiles."""
    return {c.KIND_NAMES[k]: count for k, count in counts.items()}


def check_sufficiency(table: Table, seat: int) -> None:
    """Check that the observation alone has all public facts and what the seat remembers."""
    at_table = table.game.clone()
    at_table.recall = 0
    check_public(at_table, seat)
    check_memory(table, seat, check_public(table.game, seat))


def check_public(game: Game, seat: int) -> View:
    """Check that a seat's observation alone tells the facts of SM-70, its hand and its tiles."""
    s, n, observation = game.states[0], game.num_players, game.observe(seat)
    assert observation.dtype == np.float32 and observation.min() >= 0 and observation.max() <= 1
    view = decode(observation, game.components, game.rules)
    turned = [(seat + k) % n for k in range(n)]
    planets = [game.components.planets[p] for p in s.ring]
    expected = {
        **{name: [s[name][j] for j in turned] for name in ("supply", "gate", "hand_size")},
        **{name: s[name] for name in ("actions_left", "last_round", "revealed")},
        "num_players": n,
        "phase": game.phase,
        "player_to_act": None if game.player is None else (game.player - seat) % n,
        "start_player": (s.start_player - seat) % n,
        "round": game.rounds,
        "max_rounds": game.rules.max_rounds,
        "space_tiles_to_end": game.rules.space_tiles_to_end,
        "draw_pile_size": s.draw_size,
        "hand": hand(game, seat),
        "ships": [None if s.ship[j] == c.NOWHERE else s.ship[j] for j in turned],
        "stations": [np.flatnonzero(s.station == j).tolist() for j in turned],
        "scanned": [np.flatnonzero(s.scanned[j]).tolist() for j in turned],
        "seen": [np.flatnonzero(s.looked[j] != c.NOWHERE).tolist() for j in turned],
        "reserved": [s.reserved[j].tolist() for j in turned],
        "tiles_left": (c.PILE - s.taken).tolist(),
        "face_up": np.where(s.face_up, c.PILE - s.taken, 0).tolist(),
        "tile_total": [s.tiles[j].sum() for j in turned],
        "discard": {game.components.cards[i].id: s.discard[i] for i in np.flatnonzero(s.discard)},
        "tiles": {c.KIND_NAMES[k]: s.tiles[seat, k] for k in np.flatnonzero(s.tiles[seat])},
    }
    assert {name: getattr(view, name) for name in expected} == expected
    shown = [(one.jump, one.scan, sorted(one.landing)) for one in view.planets]
    assert shown == [(one.jump, one.scan, sorted(one.landing)) for one in planets]
    return view


def check_memory(table: Table, seat: int, view: View) -> None:
    """Check a view with perfect recall against the memory of the seat, and what all saw others do."""
    game, memory, n = table.game, table.memories[seat], table.game.num_players
    s, visits = game.states[0], game.seat_json(seat)["visits"]
    looking = game.player == seat and game.phase not in ("action", "over")
    assert view.pile_in_view == (named(memory.looks[int(s.ship[seat])][-1].left) if looking else {})
    for p in range(c.RING):
        looks = memory.looks[p]
        last = looks[-1] if looks else Look(int(s.taken[p]), Counter(), int(s.round_number), "")
        assert view.remembered[p] == named(last.left)
        assert view.gone_since[p] == s.taken[p] - last.taken
        assert view.remembered_age[p] == min(OLDEST, s.round_number - last.round_number)
        assert visits[p] == last.action
        own = Counter(kind for q, _, kind in memory.own_picks if q == p and s.station[p] == c.NOWHERE)
        assert view.reserved_kinds[p] == named(own)
    for k, j in enumerate((seat + k) % n for k in range(n)):
        own = s.taken_by == j
        assert view.taken[k] == [own[p, : s.taken[p]].sum() for p in range(c.RING)]
        assert view.last_taken[k] == [p for p in range(c.RING) if s.taken[p] and own[p, s.taken[p] - 1]]
        done = [int(kind) for kind in s.last_kind[j] if kind != c.NOWHERE]
        assert view.last_actions[k] == [ACTION_WORDS[kind] for kind in done]
        assert view.last_cards[k] == s.last_cards[j, : len(done)].tolist()
        assert view.last_from[k] == (None if s.last_from[j] == c.NOWHERE else s.last_from[j])
    if game.components is DEFAULT_BOX:
        others = {card for j in range(n) if j != seat for card in table.kept[j]}
        assert set(view.kept_cards) == others
        if others:
            assert view.kept_count == [len(table.kept[(seat + k) % n]) for k in range(n)]


# ---------------------------------------------------------------- random positions


def check_game(seed: int, num_players: int, variant: int, tally: Tally, every: int = EVERY) -> None:
    """Play a random game and check each `every`-th position and the last from all seats."""
    name, rules, box = VARIANTS[variant]
    table = Table.new(num_players, rules, box, seed)
    rng = random.Random(seed)
    until = rng.randrange(every)
    while True:
        game = table.game
        if until == 0 or game.over:
            for seat in range(num_players):
                check_sufficiency(table, seat)
                tally["seat", seat] += 1
            tally["variant", name] += 1
            tally["players", num_players] += 1
            tally["phase", game.phase] += 1
            tally["after a shuffle", bool(game.states[0].shuffles)] += 1
            until = every
        until -= 1
        if game.over:
            return
        table.step(choose(game, game.legal_actions(), rng))


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=[name for name, *_ in VARIANTS])
def test_sm_70_to_73_on_random_positions(variant: int, num_players: int) -> None:
    tally: Tally = Counter()
    check_game(300 + 10 * variant + num_players, num_players, variant, tally, every=30)
    assert tally["players", num_players] >= 3


# ---------------------------------------------------------------- sampled worlds


def test_a_seed_draws_one_world_and_another_seed_another() -> None:
    game = Game(3)
    game.reset(seed=8)
    assert state_bytes(game.determinize(0, 5)) == state_bytes(game.determinize(0, 5))
    assert len({state_bytes(game.determinize(0, seed)) for seed in range(50)}) == 50
    assert len({game.determinize(0, seed).states[0].rng.tobytes() for seed in range(50)}) == 50


def test_a_world_does_not_depend_on_the_random_numbers_of_the_game() -> None:
    """The next shuffles of the true game and its seed are hidden too."""
    game = Game(3)
    game.reset(seed=8)
    other = game.clone()
    other.states[0].rng[:] = 1, 2, 3, 4, 5, 6
    other.states[0].seed = 99
    assert state_bytes(game.determinize(0, 5)) == state_bytes(other.determinize(0, 5))


def test_the_seed_of_a_game_from_a_set_up_does_not_tell_its_shuffles() -> None:
    """Keys depend on a salt that is found by trying seeds; shuffles also depend on hidden cards."""
    first = Game(2)
    first.reset(seed=1)
    setup = first.setup_json()
    other = {**setup, "draw_pile": setup["draw_pile"][::-1]}
    games = [Game(2), Game(2), Game(2)]
    for game, given, seed in zip(games, (setup, other, setup), (7, 7, 8), strict=True):
        game.reset(seed=seed, setup=given)
    same_seed, same_setup = games[1].states[0], games[2].states[0]
    assert games[0].states[0].salt == same_seed.salt != same_setup.salt
    assert games[0].decision_key() == games[1].decision_key() != games[2].decision_key()
    assert len({game.states[0].rng.tobytes() for game in games}) == 3


def test_a_world_does_not_hold_the_cards_that_were_drawn() -> None:
    """Drawn places of the draw pile have the cards that others drew: a world must not copy them."""
    game = position("J1S1", "", draw="J2S1 J2S2 J2S3 J2S4 J3S1", player=1)
    game.step(0)  # seat 1 draws five cards
    other = game.clone()
    s = other.states[0]
    s.draw[s.draw_size :] = 0  # the same game, with the used-up places wiped
    assert state_bytes(game.determinize(0, 5)) == state_bytes(other.determinize(0, 5))


# ---------------------------------------------------------------- the long check


def main(positions: int = 2000) -> None:
    """Check at least so many positions from each seat; seat 4 sits in games of five only."""
    tally: Tally = Counter()
    game = 0
    while min(tally["seat", seat] for seat in range(5)) < positions:
        check_game(70_000 + game, 2 + game % 4, game // 4 % len(VARIANTS), tally)
        game += 1
        if game % 100 == 0:
            print(f"{game} games, {sum(tally['seat', j] for j in range(5))} views", flush=True)
    for key, count in sorted(tally.items(), key=str):
        print(f"{key[0]:16} {key[1]!s:26} {count} positions")
    print(f"{game} games: every observation decoded to all public facts and to the seat's own memory")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
