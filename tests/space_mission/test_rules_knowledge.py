"""Tests the knowledge of seats on hand-made positions (SM-33, SM-70 to SM-73).

Each test changes one fact; test_knowledge.py has random positions.
"""

from collections.abc import Callable

import numpy as np
import pytest

from spacemission_env.core.game_spec import OBSERVATIONS
from spacemission_env.games.space_mission.engine.constants import KINDS
from spacemission_env.games.space_mission.engine.layout import LAYOUT
from spacemission_env.games.space_mission.game import Game
from tests.support.pieces import missing_pieces
from tests.support.positions import (
    CALDERA,
    FREEZER,
    HAZARD,
    HEGGAR,
    IRONVALE,
    RUBY,
    TIDEFALL,
    card_index,
    draw_pile,
    everything_seen,
    hand,
    kind,
    names,
    piece,
    play,
    position,
    tiles,
    words,
)


def table(observation: str = "perfect_recall", rules: str = "printed") -> Game:
    """A game of three seats; seat 0 is to act on Freezer.

    Seats 0 and 1 have reserved tiles on Freezer, so both know the pile; only seat 1 has on Caldera. Ironvale
    has seat 2's station, and seats 1 and 2 took tiles there. Nobody has looked at Hazard, Heggar, Tidefall
    and Ruby.
    """
    return position(
        "J1S1 J2S2 S1L1",
        "J3S3 J4S4",
        "J1L1 S2L2 S3L3 S4L4",
        taken={
            FREEZER: "1:medal 0:water",
            CALDERA: "1:alien_blue",
            IRONVALE: "1:mineral_red 2:water 1:medal",
        },
        piles={
            FREEZER: "water*2 medal*2 space*2",
            CALDERA: "mineral_green*3 matter_blue*2 space*2",
            HEGGAR: "mineral_red mineral_purple*3 alien_brown*3 space",
        },
        stations={IRONVALE: 2},
        ships={0: FREEZER, 1: IRONVALE},
        gate=(3, 1),
        start=2,
        player=0,
        round_number=7,
        rules=rules,
        observation=observation,
    )


def shown(counts: np.ndarray, scale: float = 8) -> list[str]:
    """The tile names of a piece of the observation that counts tiles."""
    return names(np.rint(counts * scale).astype(int))


# ---------------------------------------------------------------- what a seat sees


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_sm_70_public_facts(seat: int, observation: str) -> None:
    game = table(observation)
    play(game, "jump Hazard J1S1")

    def seats(values: list) -> list:
        """Values by relative seat, zero for absent seats."""
        return values[seat:] + values[:seat] + [0 * values[0], 0 * values[0]]

    def at(*places: int) -> np.ndarray:
        return np.isin(np.arange(8), places) * 1

    def check(name: str, expected: object, scale: float = 1) -> None:
        assert np.allclose(piece(game, seat, name) * scale, expected), name

    check("num_players", [0, 1, 0, 0])
    check("phase", [1, 0, 0, 0, 0])
    check("player_to_act", seats([1, 0, 0]))
    check("start_player", seats([0, 0, 1]))
    check("actions_left", 1, 4)
    check("round", 7, 100)
    check("max_rounds", 100, 10_000)
    check("space_tiles_to_end", 8, 16)
    check("last_round", 0)
    check("revealed", 0)
    check("draw_pile_size", 60 - 9, 60)
    check("ships", seats([at(HAZARD), at(IRONVALE), at()]))
    check("stations", seats([at(), at(), at(IRONVALE)]))
    check("scanned", seats([at(FREEZER), at(FREEZER, CALDERA, IRONVALE), at(IRONVALE)]))
    check("seen", seats([at(FREEZER), at(FREEZER, CALDERA, IRONVALE), at(IRONVALE)]))
    check("reserved", seats([at(FREEZER), at(FREEZER, CALDERA), at()]), 8)
    check("tiles_left", [6, 8, 7, 8, 8, 5, 8, 8], 8)
    check("face_up", [0] * 8, 8)
    check("supply", seats([20 - 4 - 1, 20 - 1 - 2, 20 - 1]), 20)
    check("gate", seats([4, 1, 0]), 20)
    check("hand_size", seats([2, 2, 4]), 5)
    check("tile_total", seats([0, 2, 1]), 64)
    discard = np.zeros(60)
    discard[card_index(game, "J1S1")] = 1
    check("discard", discard)
    assert piece(game, seat, "planets").sum(1).tolist() == [3] * 8  # jump, scan and twice half a landing
    assert piece(game, seat, "planets")[HAZARD].tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0.5]


def test_sm_70_face_up_space_tiles_and_a_pick() -> None:
    game = position(
        "J1S1",
        "",
        ships={0: FREEZER, 1: RUBY},
        taken={HAZARD: "1:water*3"},
        piles={HAZARD: "space*5", FREEZER: "medal*6 water*2"},
    )
    play(game, "scan J1S1")
    for seat in range(2):
        assert (piece(game, seat, "face_up") * 8).tolist() == [0, 5, 0, 0, 0, 0, 0, 0]
        assert piece(game, seat, "revealed")[0] * 16 == 5
        assert piece(game, seat, "phase").tolist() == [0, 1, 0, 0, 0]
        assert piece(game, seat, "player_to_act").tolist() == [seat == 0, seat == 1, 0, 0, 0]


def test_sm_71_own_hand_tiles_and_piles_seen() -> None:
    game = table()
    assert piece(game, 0, "hand").sum() == 6
    for seat in range(3):
        for slot in range(5):
            face = np.zeros((3, 5))
            if slot < len(hand(game, seat)):
                card = hand(game, seat)[slot]
                for letter, number in (card[:2], card[2:]):
                    face["JSL".index(letter), "1234?".index(number)] = 1
            assert (piece(game, seat, "hand")[slot].reshape(3, 5) == face).all()
        counts = np.rint(piece(game, seat, "tiles") * game.t.tile_count).astype(int)
        assert names(counts) == tiles(game, seat)
    # The tiles left at each seat's last look; each still counts tiles taken later.
    assert shown(piece(game, 0, "remembered")[FREEZER]) == words("water*2 medal*2 space*2")
    assert shown(piece(game, 1, "remembered")[FREEZER]) == words("water*3 medal*2 space*2")
    assert not piece(game, 2, "remembered")[FREEZER].any()
    assert (piece(game, 1, "gone_since") * 8).tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert (piece(game, 2, "gone_since") * 8).tolist() == [0, 0, 0, 0, 0, 1, 0, 0]
    assert not piece(game, 0, "gone_since").any()


def test_sm_71_memory_ages_by_rounds() -> None:
    game = table()
    for _ in range(3):
        play(game, *["top_up"] * 6)
    assert game.rounds == 10
    assert piece(game, 0, "remembered_age")[FREEZER] * 32 == 3
    assert piece(game, 0, "remembered_age")[CALDERA] == 0
    game.states[0].round_number = 90
    assert piece(game, 0, "remembered_age")[FREEZER] == 1


def test_sm_71_only_the_player_at_a_pick_sees_the_pile() -> None:
    game = table()
    play(game, "scan J1S1")
    assert shown(piece(game, 0, "pile_in_view")) == words("water*2 medal*2 space*2")
    assert not piece(game, 1, "pile_in_view").any()
    assert not piece(game, 2, "pile_in_view").any()
    play(game, "take medal")
    assert not piece(game, 0, "pile_in_view").any()
    assert shown(piece(game, 0, "remembered")[FREEZER]) == words("water*2 medal space*2")
    assert shown(piece(game, 0, "reserved_kinds")[FREEZER]) == words("water medal")


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("rules", ["printed", "yucata"])
def test_sm_33_a_reserved_tile_is_not_looked_at_again(rules: str, observation: str) -> None:
    """The tile is hidden with `printed` rules and table mode; perfect recall remembers it (SM-71)."""
    game = table(observation, rules)
    visible = rules == "yucata" or observation == "perfect_recall"
    expected = {0: {FREEZER: ["water"]}, 1: {FREEZER: ["medal"], CALDERA: ["alien_blue"]}, 2: {}}
    for seat in range(3):
        for p in range(8):
            reserved = expected[seat].get(p, []) if visible else []
            assert shown(piece(game, seat, "reserved_kinds")[p]) == reserved
    assert piece(game, 0, "remembered").any() == visible
    assert not piece(game, 0, "gone_since").any()  # nothing was taken since it looked
    assert piece(game, 1, "gone_since").any() == visible


def test_sm_33_delivered_tiles_are_no_longer_reserved() -> None:
    game = position("J2L1 J3L2", "", ships={0: FREEZER}, taken={FREEZER: "0:medal 1:water"})
    play(game, "develop J2L1+J3L2")
    for seat in range(2):
        assert not piece(game, seat, "reserved_kinds").any()
        assert not piece(game, seat, "reserved").any()


@pytest.mark.parametrize("rules", ["printed", "yucata"])
def test_sm_71_the_table_mode_leaves_out_all_memory(rules: str) -> None:
    """Perfect recall adds only the pieces marked `recall`."""
    memory, now = table("perfect_recall", rules), table("table", rules)
    for game in (memory, now):
        # Shuffle, so that some cards in the hands are known (SM-27).
        s = game.states[0]
        s.discard[:] = game.t.copies
        for seat in range(3):
            for name in hand(game, seat):
                s.discard[card_index(game, name)] -= 1
        s.discard[s.draw[s.draw_size - 1]] -= 1
        s.draw[0] = s.draw[s.draw_size - 1]
        s.draw_size = 1
        s.discard_size = s.discard.sum()
        play(game, "top_up")
        assert s.shuffles == 1
    for name, part in LAYOUT.items():
        for seat in range(3):
            a, b = piece(memory, seat, name), piece(now, seat, name)
            if not part.recall:
                assert (a == b).all(), name
            elif name in ("kept_cards", "kept_count", "kept_by", "taken", "last_taken", "taken_kinds"):
                # Only seat 1 saw a tile that went later.
                assert a.any() or (name == "taken_kinds" and seat != 1), name
                assert not b.any(), name
            else:
                assert b.any() == (rules == "yucata" and a.any()), name


def test_sm_27_cards_held_since_a_shuffle_are_known_to_all() -> None:
    """At a shuffle, the cards that are not on the discard pile are in the hands."""
    game = position("J1S1 J2S2 J3S3 J4S4", "J1L1 J2L2", "S1L1", draw="J1L3", rest="discard", ships={1: RUBY})
    play(game, "top_up")  # draws J1L3, then the pile is formed
    held = {0: words("J1S1 J2S2 J3S3 J4S4 J1L3"), 1: words("J1L1 J2L2"), 2: ["S1L1"]}

    def kept_by_others(seat: int) -> list[str]:
        at = np.flatnonzero(piece(game, seat, "kept_cards"))
        return [game.components.cards[i].id for i in at]

    def check() -> None:
        order = [card.id for card in game.components.cards]
        for seat in range(3):
            others = [card for j, cards in held.items() if j != seat for card in cards]
            assert kept_by_others(seat) == sorted(others, key=order.index)
            counts = (np.rint(piece(game, seat, "kept_count") * 5)).astype(int).tolist()
            assert counts == [*(len(held[(seat + k) % 3]) for k in range(3)), 0, 0]

    check()
    play(game, "jump Tidefall J2S2")
    held[0].remove("J2S2")  # seen again
    check()
    play(game, "top_up J1L1", "top_up")  # later draws of seat 1 are hidden
    held[1].remove("J1L1")
    check()


# ---------------------------------------------------------------- what a seat must not see


def swap_tiles(game: Game, one: tuple[int, str], other: tuple[int, str]) -> None:
    """Exchange two tiles of piles."""
    (p, a), (q, b) = (one[0], kind(one[1])), (other[0], kind(other[1]))
    pile_ = game.states[0].pile
    assert a != b
    assert pile_[p, a] > 0
    assert pile_[q, b] > 0
    pile_[p, a] -= 1
    pile_[q, b] -= 1
    pile_[p, b] += 1
    pile_[q, a] += 1


def swap_taken(game: Game, place: tuple[int, int], p: int, name: str) -> None:
    """Exchange a taken tile and a tile of pile p."""
    s = game.states[0]
    q, i = place
    old = int(s.taken_kind[q, i])
    new = kind(name)
    assert old != new
    assert s.pile[p, new] > 0
    s.pile[p, new] -= 1
    s.pile[p, old] += 1
    s.taken_kind[q, i] = new
    if s.station[q] >= 0:
        s.tiles[s.taken_by[q, i], old] -= 1
        s.tiles[s.taken_by[q, i], new] += 1


def swap_cards(game: Game, seat: int, slot: int) -> None:
    """Exchange a card of a hand and the bottom card of the draw pile."""
    s = game.states[0]
    own = hand(game, seat)
    old = s.hand[seat, slot]
    s.hand[seat, slot] = s.draw[0]
    s.draw[0] = old
    s.hand[seat, : s.hand_size[seat]].sort()
    assert own != hand(game, seat)


def two_in(game: Game, p: int) -> str:
    """A kind in a pile."""
    return names(game.states[0].pile[p])[0]


def unlooked(game: Game) -> None:
    swap_tiles(game, (HAZARD, two_in(game, HAZARD)), (TIDEFALL, "space"))


def order_of_the_draw_pile(game: Game) -> None:
    s = game.states[0]
    before = draw_pile(game)
    s.draw[: s.draw_size] = s.draw[: s.draw_size][::-1].copy()
    assert draw_pile(game) == before[::-1]


def hand_of(seat: int) -> Callable[[Game], None]:
    return lambda game: swap_cards(game, seat, 1)


# The hidden fact, its change, and the seats that notice.
HIDDEN: dict[str, tuple[Callable[[Game], None], set[int]]] = {
    "a tile in piles nobody looked at": (unlooked, set()),
    "the order of the draw pile": (order_of_the_draw_pile, set()),
    "a card of seat 0": (hand_of(0), {0}),
    "a card of seat 1": (hand_of(1), {1}),
    "a card of seat 2": (hand_of(2), {2}),
    "a pile that two seats know": (lambda g: swap_tiles(g, (FREEZER, "water"), (HEGGAR, "space")), {0, 1}),
    "a pile that one seat knows": (
        lambda g: swap_tiles(g, (CALDERA, "space"), (HEGGAR, two_in(g, HEGGAR))),
        {1},
    ),
    # Seat 1 took the medal before seat 0 first looked there: only seat 1 knows.
    "the first reserved tile": (lambda g: swap_taken(g, (FREEZER, 0), HEGGAR, "mineral_red"), {1}),
    # Seat 1 saw the pile before seat 0 reserved its water: it notices another kind.
    "the second reserved tile": (lambda g: swap_taken(g, (FREEZER, 1), HEGGAR, "mineral_red"), {0, 1}),
    # It does not notice which of the tiles that it had seen was taken.
    "which of the seen tiles is reserved": (lambda g: swap_taken(g, (FREEZER, 1), FREEZER, "medal"), {0}),
    "a tile of seat 1": (lambda g: swap_taken(g, (IRONVALE, 0), HEGGAR, "mineral_purple"), {1}),
    # Seat 1 looked before and after seat 2 took the tile, so it knows the tile.
    "a tile of seat 2": (lambda g: swap_taken(g, (IRONVALE, 1), HEGGAR, "mineral_purple"), {1, 2}),
}


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("picking", [False, True])
def test_sm_73_only_those_who_know_a_fact_can_tell_it(name: str, picking: bool) -> None:
    change, knowing = HIDDEN[name]
    game = table()
    if picking:
        play(game, "scan J1S1")  # seat 0 looks through Freezer's pile
    other = game.clone()
    change(other)
    assert missing_pieces(other) is None
    before, after = everything_seen(game), everything_seen(other)
    assert {seat for seat in range(3) if before[seat] != after[seat]} == knowing  # by the key
    views = [[g.observe(seat).tobytes() + g.mask(seat).tobytes() for seat in range(3)] for g in (game, other)]
    assert {seat for seat in range(3) if views[0][seat] != views[1][seat]} == knowing  # by the observation


def test_sm_72_what_nobody_looks_at_is_hidden_from_all() -> None:
    game = table()
    before = everything_seen(game)
    for _ in range(2):
        unlooked(game)
    order_of_the_draw_pile(game)
    game.states[0].rng[:] += 1  # later shuffles
    assert everything_seen(game) == before


def test_sm_72_a_pile_is_hidden_from_the_others_while_one_looks_through_it() -> None:
    games = [
        position("J1S1", "", "", ships={0: FREEZER}, piles={FREEZER: text, HAZARD: "medal*5 space*3"})
        for text in ("water*8", "water*2 mineral_red*4 space*2")
    ]
    for game in games:
        play(game, "scan J1S1")
    assert [
        games[0].information_state_key(seat) == games[1].information_state_key(seat) for seat in range(3)
    ] == [False, True, True]


def test_sm_74_key_and_worlds_are_those_of_a_perfect_memory_in_both_modes() -> None:
    memory, now = table("perfect_recall"), table("table")
    for seat in range(3):
        assert now.observe(seat).tobytes() != memory.observe(seat).tobytes()
        assert now.information_state_key(seat) == memory.information_state_key(seat)
        assert now.determinize(seat, 5).states.tobytes() == memory.determinize(seat, 5).states.tobytes()


def test_sm_73_masks_of_those_not_to_move_are_zero() -> None:
    game = table()
    assert game.mask(0).any()
    assert not game.mask(1).any()
    assert not game.mask(2).any()
    play(game, "scan J1S1")
    assert np.flatnonzero(game.mask(0)).tolist() == [90 + kind("water"), 90 + kind("medal")]
    assert not game.mask(1).any()
    assert KINDS == 11


def test_sm_71_sampled_worlds_keep_what_went_between_two_own_looks() -> None:
    game = table()
    drawn = {seat: {tiles(game.determinize(seat, seed), 2)[0] for seed in range(30)} for seat in range(3)}
    assert drawn[1] == drawn[2] == {"water"}
    assert len(drawn[0]) > 3


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_sm_73_sampled_worlds_keep_what_the_seat_knows(seat: int) -> None:
    game = table()
    changed = set()
    for seed in range(20):
        world = game.determinize(seat, seed)
        assert missing_pieces(world) is None
        assert world.information_state_key(seat) == game.information_state_key(seat)
        for other in range(3):
            if other != seat and hand(world, other) != hand(game, other):
                changed.add(f"hand {other}")
        if (world.states[0].pile != game.states[0].pile).any():
            changed.add("piles")
        if draw_pile(world) != draw_pile(game):
            changed.add("draw pile")
    assert changed == {"piles", "draw pile", *(f"hand {other}" for other in range(3) if other != seat)}
