"""Tests rules of Planet Hexx: the set-up."""

import pytest

from spacemission_env.core.errors import ComponentsError, RulesError, SetupError
from spacemission_env.games.planet_hexx.game import Game
from tests.oracle.planet_hexx.board import NUMBER_OF, ORIGIN
from tests.oracle.planet_hexx.cards import FILES, TYPES, shipped
from tests.oracle.planet_hexx.chance import Chance
from tests.oracle.planet_hexx.moves import BRANCH
from tests.oracle.planet_hexx.table import Table
from tests.oracle.planet_hexx_oracle import HexxOracle
from tests.planet_hexx.positions import new_game
from tests.support.planet_hexx_snapshot import snapshot

KINDS = [kind.id for kind in shipped().kinds]


def both(num_players: int, seed: int, **rules: object) -> tuple[Game, HexxOracle]:
    """A new game in the engine and in the independent rules; both are equal."""
    game, oracle = new_game(num_players, seed, **rules), HexxOracle(num_players, seed, rules)
    assert snapshot(game) == oracle.snapshot()
    return game, oracle


def test_hx1_hr41_files_are_dealt_and_sides_chosen_before_hands() -> None:
    game, oracle = both(4, 3)
    assert len({seat.file for seat in oracle.table.seats}) == 4
    for number in range(4):
        assert oracle.to_act == number and oracle.legal() == [BRANCH, BRANCH + 1]
        assert not any(seat.hand for seat in oracle.table.seats)
        game.step(BRANCH + number % 2)
        oracle.step(BRANCH + number % 2)
        assert snapshot(game) == oracle.snapshot()
    assert [seat.side for seat in oracle.table.seats] == [0, 1, 0, 1]
    assert [len(seat.hand) for seat in oracle.table.seats] == [6, 6, 6, 6]


def test_hx1_two_to_four_play() -> None:
    for num_players in (2, 3, 4):
        assert snapshot(new_game(num_players))["ships"] == [NUMBER_OF[ORIGIN]] * num_players
    for num_players in (1, 5):
        with pytest.raises(Exception, match="players"):
            new_game(num_players)


@pytest.mark.parametrize("side", [0, 1])
def test_hx2_a_side_has_six_points_and_one_type_twice(side: int) -> None:
    for seed in range(6):
        game = new_game(4, seed)
        for _ in range(4):
            game.step(BRANCH + side)
        s = game.states[0]
        for j in range(4):
            points = [TYPES[point] for point in s.points[j]]
            assert points == shipped().sides[int(s.file[j]), side]
            assert len(points) == 6 and set(points) == set(TYPES)
    assert sorted(shipped().sides) == [(file, side) for file in range(FILES) for side in (0, 1)]


def test_hx3_the_highest_of_two_dice_starts() -> None:
    started = set()
    for seed in range(16):
        game, oracle = both(3, seed)
        chance = Chance(seed)
        chance.shuffle(list(range(FILES)))
        totals = [chance.die() + chance.die() for _ in range(3)]
        if totals.count(max(totals)) == 1:
            started.add(totals.index(max(totals)))
            assert game.states[0].start_player == oracle.table.first == totals.index(max(totals))
    assert started == {0, 1, 2}


def test_hx3_hr2_ties_at_the_top_roll_again() -> None:
    tied = 0
    for seed in range(60):
        chance = Chance(seed)
        chance.shuffle(list(range(FILES)))
        totals = [chance.die() + chance.die() for _ in range(3)]
        again = [j for j in range(3) if totals[j] == max(totals)]
        if len(again) == 2:
            tied += 1
            game, _ = both(3, seed)
            assert game.states[0].start_player in again
    assert tied > 4


@pytest.mark.parametrize("start", [0, 2])
def test_hx3_the_group_may_agree_on_who_starts(start: int) -> None:
    deck = snapshot(both(3, 11)[0])["deck"]
    game, _ = both(3, 11, start_player=start)
    assert game.states[0].start_player == game.states[0].active == start
    assert snapshot(game)["deck"] != deck, "no dice were rolled before the deck was shuffled"
    with pytest.raises(RulesError, match="rules: start_player: there is no seat 3 with 3 players"):
        new_game(3, start_player=3)
    with pytest.raises(RulesError, match="start_player: expected 'random' or a seat, 0 to 3, not 'first'"):
        new_game(3, start_player="first")
    other = game.setup_json() | {"start_player": 1}
    with pytest.raises(SetupError, match=f"1, but by the rules option seat {start} begins"):
        game.reset(setup=other)


def test_hx1_a_deck_with_fewer_mission_files() -> None:
    dealt = {tuple(new_game(2, seed, "tiny").states[0].file[:2].tolist()) for seed in range(20)}
    assert dealt == {(0, 1), (1, 0)}
    with pytest.raises(ComponentsError, match="components 'tiny': 2 Mission Files are too few for 3 players"):
        new_game(3, components="tiny")
    game = new_game(2, 1, "tiny")
    with pytest.raises(SetupError, match="files: expected a list of 2 different numbers from 0 to 1"):
        game.reset(setup=game.setup_json() | {"files": [0, 2]})


def test_hx4_hx5_hx6_hr3_the_board_at_the_start() -> None:
    game, _ = both(3, 0)
    shot = snapshot(game)
    assert shot["board"] == {NUMBER_OF[0, 0]: ["space_base", 0, 0], NUMBER_OF[1, 0]: ["delta_colony", 5, 0]}
    assert shot["ships"] == [NUMBER_OF[0, 0]] * 3 and shot["stores"] == [0] * 3
    assert shot["last_landed"] == [None] * 3


@pytest.mark.parametrize("hand_size", [4, 6, 9])
def test_hx7_each_seat_in_order_gets_its_cards_from_the_top(hand_size: int) -> None:
    game, _ = both(2, 4, hand_size=hand_size)
    top = snapshot(game)["deck"][::-1]
    for _ in range(2):
        game.step(BRANCH)
    for number in range(2):
        dealt = [card for card, _, _ in snapshot(game)["hands"][number]]
        assert dealt == sorted(top[hand_size * number :][:hand_size], key=KINDS.index)  # HR-15: by kind


def test_hr24_order_of_chance_at_the_set_up() -> None:
    chance, files = Chance(11), list(range(8))
    chance.shuffle(files)
    totals = [chance.die() + chance.die() for _ in range(2)]
    assert totals[0] != totals[1]
    deck = [kind.id for kind in shipped().kinds for _ in range(kind.copies)]
    chance.shuffle(deck)
    game, table = new_game(2, 11), Table(2, 11, {})
    assert [mission[0] for mission in snapshot(game)["missions"]] == files[:2]
    assert game.states[0].start_player == totals.index(max(totals)) == table.first
    assert snapshot(game)["deck"] == deck == [card.kind.id for card in table.deck]


def test_hx56_the_deck_has_its_ratio() -> None:
    deck = snapshot(new_game())["deck"]
    types = {kind.id: kind.type for kind in shipped().kinds}
    assert [sum(types[card] == type_ for card in deck) for type_ in TYPES] == [20, 20, 20, 24, 26]
