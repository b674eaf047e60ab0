"""Tests secrecy and sufficiency of observations on random positions.

`python -m tests.space_mission.test_knowledge 2000` checks at least 2,000 positions from each seat;
`make test` runs fewer.

The checks compare with a `Memory` of each seat, recorded while a game is played. It does not read the
engine's own memory (`looked`, `hand_epoch`).
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from spacemission_env.core.game_spec import OBSERVATIONS
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.consistency import inconsistency
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import PRESETS, Rules
from tests.support.chi_square import is_even
from tests.support.engine_snapshot import snapshot
from tests.support.positions import fields_that_differ, hand, other_box, piece, position, problem, state_bytes
from tests.support.random_play import choose

SAMPLES = 5  # worlds drawn at each position for each seat
EVERY = 9  # decisions between two positions of a game

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

# The fields that may differ between two possible worlds of a seat.
HIDDEN_FIELDS = {"seed", "rng", "pile", "taken_kind", "tiles", "hand", "hand_epoch", "older", "draw"}
# The same for a seat without memory: also who took which tile, who looked when, the hands at a shuffle, and
# the last actions.
FORGOTTEN_FIELDS = {
    *HIDDEN_FIELDS,
    *("taken_by", "took", "looked", "looked_round", "shuffles", "forgotten"),
    *("epochs", "epoch_cards", "epoch_size"),
    *("last_kind", "last_cards", "last_from", "looked_by"),
}


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


# ---------------------------------------------------------------- secrecy


@dataclass
class Tally:
    """Counts of checks, for the report and to test the tests."""

    positions: Counter[int] = field(default_factory=Counter)
    worlds: int = 0
    redrawn: Counter[str] = field(default_factory=Counter)  # what could differ from the truth, and did
    could: Counter[str] = field(default_factory=Counter)


def check_secrecy(table: Table, seat: int, rng: random.Random, tally: Tally) -> None:
    """Check that sampled worlds look the same, are consistent, and depend only on the seat's knowledge."""
    game = table.game
    before = state_bytes(game)
    seen = [known_in(game, seat, recall) for recall in range(2)]
    assert not game.mask(seat).any() or game.player == seat
    worlds = [game.determinize(seat, rng.randrange(2**62)) for _ in range(SAMPLES)]
    for world in worlds:
        assert fields_that_differ(world, game) <= HIDDEN_FIELDS
        assert [known_in(world, seat, recall) for recall in range(2)] == seen
        assert problem(world) is None
        check_world(table, seat, world)
        count_differences(game, world, seat, tally)
    # A sample from the true state and a sample from a possible world are equal.
    seed = rng.randrange(2**62)
    assert fields_that_differ(game.determinize(seat, seed), worlds[0].determinize(seat, seed)) == set()
    check_table_world(game, seat, rng)
    assert state_bytes(game) == before
    tally.worlds += SAMPLES


def check_table_world(game: Game, seat: int, rng: random.Random) -> None:
    """Check that worlds of a seat without memory agree with the table and have no memory."""
    at_table = game.clone()
    at_table.recall = 0
    world = at_table.determinize(seat, rng.randrange(2**62))
    assert fields_that_differ(world, game) <= FORGOTTEN_FIELDS
    assert known_in(world, seat, 0) == known_in(game, seat, 0)
    assert problem(world) is None
    again = world.clone()
    again.recall = 1  # a sample from such a world has no memory either
    again = again.determinize(seat, rng.randrange(2**62))
    assert known_in(again, seat, 0) == known_in(game, seat, 0)
    assert problem(again) is None


def known_in(game: Game, seat: int, recall: int) -> tuple[bytes, bytes, bytes]:
    """The observation, mask and key of a seat in an observation mode."""
    other = game.clone()
    other.recall = recall
    return other.observe(seat).tobytes(), other.mask(seat).tobytes(), other.information_state_key(seat)


def check_world(table: Table, seat: int, world: Game) -> None:
    """Check that a sampled world agrees with the seat's memory and conclusions."""
    true, s = table.game.states[0], world.states[0]
    assert (s.hand[seat] == true.hand[seat]).all()
    assert (s.tiles[seat] == true.tiles[seat]).all()
    memory = table.memories[seat]
    for p, number, kind in memory.own_picks:
        assert s.taken_kind[p, number] == kind
    for p, looks in memory.looks.items():
        for look in looks:
            then = Counter(s.taken_kind[p, look.taken : s.taken[p]].tolist())
            then.update({k: int(count) for k, count in enumerate(s.pile[p]) if count})
            assert then == look.left, f"pile {p}: not what seat {seat} saw"
    penalty = world.rules.space_tile_penalty
    for p in range(c.RING):
        taken = s.taken_kind[p, : s.taken[p]].tolist()
        points = int(s.pile[p, : c.SPACE].sum())
        assert penalty or c.SPACE not in taken
        if s.face_up[p]:
            assert points == 0
        picking = s.phase in (1, 2, 3) and s.ship[s.player] == p
        if not s.face_up[p] and s.taken[p] < c.PILE and (taken or picking):
            assert points > 0  # otherwise the pile would be face up (SM-46)
        elif taken:
            assert taken[-1] != c.SPACE  # a point tile was there to the last
    if world.components is DEFAULT_BOX:  # cards are told apart by their ids
        for j in range(world.num_players):
            held = {card for j in range(world.num_players) if j != seat for card in table.kept[j]}
            if j != seat:
                assert len(held & set(hand(world, j))) == len(table.kept[j])


def fresh_cards(game: Game, seats: list[int]) -> int:
    """Cards of the present draw pile in these hands."""
    s = game.states[0]
    return sum(int((s.hand_epoch[j] == c.NEW).sum()) for j in seats)


def count_differences(game: Game, world: Game, seat: int, tally: Tally) -> None:
    """Count which hidden pieces differ from the true state."""
    true, s = game.states[0], world.states[0]
    others = [j for j in range(game.num_players) if j != seat and true.hand_size[j]]
    if true.draw_size > 10:
        tally.could["draw pile"] += 1
        tally.redrawn["draw pile"] += (s.draw[: s.draw_size] != true.draw[: s.draw_size]).any()
    if others and true.draw_size > 10 and fresh_cards(game, others) >= 3:
        tally.could["hands"] += 1
        tally.redrawn["hands"] += any((s.hand[j] != true.hand[j]).any() for j in others)
    unknown = [p for p in range(c.RING) if true.looked[seat, p] == c.NOWHERE and not true.face_up[p]]
    if len(unknown) >= 3:
        tally.could["piles"] += 1
        tally.redrawn["piles"] += (s.pile[unknown] != true.pile[unknown]).any()
    tiles_of_others = sum(int(true.tiles[j].sum()) for j in range(game.num_players) if j != seat)
    if len(unknown) >= 3 and tiles_of_others >= 6:
        tally.could["tiles of others"] += 1
        tally.redrawn["tiles of others"] += (s.tiles != true.tiles).any()


# ---------------------------------------------------------------- sufficiency


# fmt: off
PUBLIC = (
    "player", "phase", "actions_left", "round", "last_round", "ring", "stations", "scanned", "seen", "ships",
    "supply", "gate", "discard", "revealed", "start_player",
)
# fmt: on


def public_facts(game: Game) -> Json:
    """The facts of SM-70 from the full state, in the form of the snapshot."""
    state = snapshot(game)
    seats = range(game.num_players)
    undeveloped = [p for p in range(c.RING) if state["stations"][p] is None]
    return {
        **{name: state[name] for name in PUBLIC},
        "num_players": game.num_players,
        "max_rounds": game.rules.max_rounds,
        "space_tiles_to_end": game.rules.space_tiles_to_end,
        "hand_sizes": [len(cards) for cards in state["hands"]],
        "collected": [len(tiles) for tiles in state["tiles"]],
        "draw_pile_size": len(state["draw_pile"]),
        "tiles_left": [len(tiles) for tiles in state["piles"]],
        "space_tiles_open": [
            len(tiles) if open_ else 0 for tiles, open_ in zip(state["piles"], state["face_up"], strict=True)
        ],
        "reserved": [
            [(p in undeveloped) * sum(taker == j for taker, _ in state["taken"][p]) for p in range(c.RING)]
            for j in seats
        ],
    }


class Decoder:
    """Reads an observation by the names of the layout, with absolute seats."""

    def __init__(self, game: Game, seat: int, observation: np.ndarray) -> None:
        self.game, self.seat, self.observation = game, seat, observation
        self.num_players = 2 + int(self("num_players").argmax())

    def __call__(self, name: str, scale: float = 1) -> np.ndarray:
        part = LAYOUT[name]
        return np.rint(self.observation[part.slice].reshape(part.shape) * scale).astype(int)

    def one(self, name: str, scale: float = 1) -> int:
        return int(self(name, scale)[0])

    def seats(self, name: str, scale: float = 1) -> list[Any]:
        """A piece by relative seat, as a list by seat; absent seats must be zero."""
        values = self(name, scale)
        n = self.num_players
        assert not values[n:].any(), name
        return [values[(j - self.seat) % n].tolist() for j in range(n)]

    def seat_of(self, name: str) -> int | None:
        flags = self.seats(name)
        return flags.index(1) if any(flags) else None

    def seats_by_planet(self, name: str) -> list[list[int]]:
        flags = self.seats(name)
        return [[j for j in range(self.num_players) if flags[j][p]] for p in range(c.RING)]

    def planet(self, features: np.ndarray) -> str:
        """The planet with these numbers."""
        jump, scan = int(features[:4].argmax()) + 1, int(features[4:8].argmax()) + 1
        landing = sorted(number for i in range(4) for number in [i + 1] * int(features[8 + i]))
        found = [
            planet.name
            for planet in self.game.components.planets
            if (planet.jump, planet.scan, sorted(planet.landing)) == (jump, scan, landing)
        ]
        assert len(found) == 1
        return found[0]

    def cards(self, name: str) -> list[str]:
        cards = self.game.components.cards
        return sorted(cards[i].id for i, count in enumerate(self.by_copies(name)) for _ in range(count))

    def by_copies(self, name: str) -> np.ndarray:
        values = self.observation[LAYOUT[name].slice]
        return np.rint(values * self.game.t.copies).astype(int)

    def kinds(self, counts: np.ndarray) -> Counter[int]:
        return Counter({k: int(count) for k, count in enumerate(counts) if count})

    def public(self) -> Json:
        """The facts of SM-70 from the observation."""
        chips = self.game.rules.chips_per_player
        stations = self.seats_by_planet("stations")
        ships = self.seats("ships")
        planets = self("planets", 2)
        planets[:, :8] //= 2
        return {
            "player": self.seat_of("player_to_act"),
            "phase": ("action", "reserve", "develop", "discover", "over")[int(self("phase").argmax())],
            "actions_left": self.one("actions_left", 4),
            "round": self.one("round", self.one("max_rounds", 10_000)),
            "last_round": bool(self.one("last_round")),
            "ring": [self.planet(features) for features in planets],
            "stations": [seats[0] if seats else None for seats in stations],
            "scanned": self.seats_by_planet("scanned"),
            "seen": self.seats_by_planet("seen"),
            "ships": [flags.index(1) if any(flags) else None for flags in ships],
            "supply": self.seats("supply", chips),
            "gate": self.seats("gate", chips),
            "discard": self.cards("discard"),
            "revealed": self.one("revealed", 16),
            "start_player": self.seat_of("start_player"),
            "num_players": self.num_players,
            "max_rounds": self.one("max_rounds", 10_000),
            "space_tiles_to_end": self.one("space_tiles_to_end", 16),
            "hand_sizes": self.seats("hand_size", 5),
            "collected": self.seats("tile_total", 64),
            "draw_pile_size": self.one("draw_pile_size", 60),
            "tiles_left": self("tiles_left", 8).tolist(),
            "space_tiles_open": self("face_up", 8).tolist(),
            "reserved": self.seats("reserved", 8),
        }

    def hand(self) -> list[str]:
        """Own cards by their faces, in slot order."""
        faces = {}
        for card in self.game.components.cards:
            face = np.zeros((3, 5), int)
            for colour, values in enumerate((card.jump, card.scan, card.landing)):
                for value in values:
                    face[colour, value - 1] = 1
            faces[face.tobytes()] = card.id
        rows = [row.reshape(3, 5) for row in self("hand")]
        held = [row for row in rows if row.any()]
        assert not any(row.any() for row in rows[len(held) :])
        return [faces[row.tobytes()] for row in held]


def check_sufficiency(table: Table, seat: int) -> None:
    """Check that the observation has all public facts and the seat's memory."""
    game = table.game
    s = game.states[0]
    observation = game.observe(seat)
    assert observation.dtype == np.float32
    assert observation.min() >= 0
    assert observation.max() <= 1
    decode = Decoder(game, seat, observation)
    assert decode.public() == public_facts(game)
    assert decode.hand() == hand(game, seat)
    assert decode.kinds(observation[LAYOUT["tiles"].slice] * game.t.tile_count + 0.5) == Counter(
        {k: int(count) for k, count in enumerate(s.tiles[seat]) if count}
    )
    looking = game.player == seat and game.phase not in ("action", "over")
    in_view = decode.kinds(decode("pile_in_view", 8))
    assert in_view == (table.memories[seat].looks[int(s.ship[seat])][-1].left if looking else Counter())
    check_memory(table, seat, decode)


def check_memory(table: Table, seat: int, decode: Decoder) -> None:
    game, memory = table.game, table.memories[seat]
    s = game.states[0]
    remembered, reserved = decode("remembered", 8), decode("reserved_kinds", 8)
    gone, age = decode("gone_since", 8), decode("remembered_age", 32)
    visits = game.seat_json(seat)["visits"]
    for p in range(c.RING):
        looks = memory.looks[p]
        last = looks[-1] if looks else Look(int(s.taken[p]), Counter(), int(s.round_number), "")
        assert decode.kinds(remembered[p]) == last.left
        assert gone[p] == s.taken[p] - last.taken
        assert age[p] == min(32, s.round_number - last.round_number)
        assert visits[p] == last.action
        own = Counter(kind for q, _, kind in memory.own_picks if q == p and s.station[p] == c.NOWHERE)
        assert decode.kinds(reserved[p]) == own
    if game.components is DEFAULT_BOX:
        others = {card for j in range(game.num_players) if j != seat for card in table.kept[j]}
        assert set(decode.cards("kept_cards")) == others
        if others:
            assert decode.seats("kept_count", 5) == [len(cards) for cards in table.kept]


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
                check_secrecy(table, seat, rng, tally)
                tally.positions["seat", seat] += 1
            tally.positions["variant", name] += 1
            tally.positions["players", num_players] += 1
            tally.positions["phase", game.phase] += 1
            tally.positions["after a shuffle", bool(game.states[0].shuffles)] += 1
            until = every
        until -= 1
        if game.over:
            return
        table.step(choose(game, game.legal_actions(), rng))


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=[name for name, *_ in VARIANTS])
def test_sm_70_to_73_on_random_positions(variant: int, num_players: int) -> None:
    tally = Tally()
    check_game(300 + 10 * variant + num_players, num_players, variant, tally, every=30)
    assert tally.positions["players", num_players] >= 3
    assert tally.worlds == SAMPLES * num_players * tally.positions["players", num_players]


def test_the_random_positions_are_of_all_sorts_and_worlds_are_redrawn() -> None:
    tally = Tally()
    for seed in range(6):
        check_game(seed, 2 + seed % 4, (0, 1, 4)[seed % 3], tally)
    for phase in ("action", "reserve", "develop", "discover", "over"):
        assert tally.positions["phase", phase] > 0, phase
    assert tally.positions["after a shuffle", True] > 5
    for name in ("hands", "draw pile", "piles", "tiles of others"):
        assert tally.could[name] > 50, name
        assert tally.redrawn[name] > 0.95 * tally.could[name], name


# ---------------------------------------------------------------- sampled worlds


def test_sampled_hands_and_piles_are_dealt_evenly() -> None:
    game = Game(3)
    game.reset(seed=8)
    draws = 400
    held = np.zeros((3, c.CARDS))
    next_card = np.zeros(c.CARDS)
    spaces = np.zeros(c.RING)
    for seed in range(draws):
        s = game.determinize(1, seed).states[0]
        for j in (0, 2):
            held[j, s.hand[j]] += 1
        next_card[s.draw[s.draw_size - 1]] += 1
        spaces += s.pile[:, c.SPACE]
    unseen = np.setdiff1d(np.arange(c.CARDS), game.states[0].hand[1])
    assert not held[[0, 2]][:, game.states[0].hand[1]].any()
    assert is_even(held[[0, 2]][:, unseen], draws * 5 / 55, draws * 5 / 55 * 50 / 55)
    assert is_even(next_card[unseen], draws / 55, draws / 55 * 54 / 55)
    assert abs(spaces / draws - 2).max() < 0.35  # 16 of 64 tiles, eight a pile


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


@pytest.mark.parametrize("penalty", [False, True])
def test_a_world_can_be_played_on(penalty: bool) -> None:
    game = Game(4, Rules(space_tile_penalty=penalty, max_rounds=20))
    game.reset(seed=3)
    rng = random.Random(3)
    for _ in range(60):
        game.step(choose(game, game.legal_actions(), rng))
    for seat in range(4):
        world = game.determinize(seat, seat)
        while not world.over:
            world.step(choose(world, world.legal_actions(), rng))
            assert rng.random() > 0.2 or inconsistency(world.states[0], world.t, 4) is None


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_the_layout_covers_the_whole_observation(observation: str) -> None:
    game = Game(2, observation=observation)
    game.reset(seed=1)
    used = np.zeros(len(game.observe(0)), int)
    for part in LAYOUT.values():
        used[part.slice] += 1
        assert piece(game, 0, part.name).shape == part.shape
    assert (used == 1).all()


# ---------------------------------------------------------------- the long check


def main(positions: int = 2000) -> None:
    """Check at least so many positions from each seat; seat 4 sits in games of five only."""
    tally = Tally()
    game = 0
    while min(tally.positions["seat", seat] for seat in range(5)) < positions:
        check_game(70_000 + game, 2 + game % 4, game // 4 % len(VARIANTS), tally)
        game += 1
        if game % 100 == 0:
            print(f"{game} games, {sum(tally.positions['seat', j] for j in range(5))} views", flush=True)
    for key, count in sorted(tally.positions.items(), key=str):
        print(f"{key[0]:16} {key[1]!s:26} {count} positions")
    for name, count in tally.could.items():
        print(f"redrawn: {name:16} {tally.redrawn[name]} of {count} worlds that could differ from the truth")
    print(
        f"{game} games, {tally.worlds} sampled worlds: observation and mask byte-equal in both modes, tiles, "
        "cards and chips conserved, all looks and kept cards respected, worlds depend on nothing that the "
        "seat cannot know; every observation decoded to all public facts and to the seat's own memory"
    )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
