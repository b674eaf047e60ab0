"""The rules by id (`kuhn_poker.py`), and the whole tree against the independent rules in `plain`."""

import re
from collections import Counter
from pathlib import Path

import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.games import kuhn_poker
from spacemission_env.games.kuhn_poker import ACTION_COUNT, BET, CARDS, MOST_DECISIONS, NOBODY, PASS, SPEC
from tests.kuhn_poker import plain
from tests.kuhn_poker.positions import dealt, piece, position
from tests.support.chi_square import too_far

ANTES = (1, 2, 5)


def test_every_rule_has_a_test_that_names_it() -> None:
    ids = re.findall(r"\| KP-(\d)", kuhn_poker.__doc__ or "")
    assert ids == list("123456789")
    named = "".join(file.read_text() for file in Path(__file__).parent.glob("test_*.py"))
    assert set(re.findall(r"def test_kp_(\d)", named)) == set(ids)


# ------------------------------------------------------------ the whole tree


@pytest.mark.parametrize("ante", ANTES)
@pytest.mark.parametrize(("players", "length"), [(2, 9), (3, 25)])
def test_the_whole_tree_is_as_in_the_plain_rules(players: int, length: int, ante: int) -> None:
    """Mover, masks, chips and results agree for every history and deal."""
    histories = list(plain.histories(players))
    assert len(histories) == length
    for deal in plain.deals(players):
        for history in histories:
            table = plain.Table(players, history, ante)
            game = position(deal, history, ante)
            s, over = game.states[0], table.mover is None
            assert game.over == over and game.player == table.mover
            for seat in range(players):
                expected = [int(seat == table.mover)] * ACTION_COUNT
                assert game.mask(seat).tolist() == expected, (deal, history, seat)
            assert s.put_in.tolist() == [table.paid.get(seat, 0) for seat in range(3)]
            gains = table.gains(deal) if over else [0] * players
            assert game.rewards("chips").tolist() == game.scores()[:, 0].tolist() == gains
            assert sum(gains) == 0
            assert (s.decisions, s.round_number, s.start_player) == (len(history), 1, 0)
            assert s.history.tolist() == ["pb".index(m) for m in history] + [-1] * (5 - len(history))


# ------------------------------------------------------------ by id


@pytest.mark.parametrize("players", [2, 3])
def test_kp_1_the_deck_has_one_card_more_than_players(players: int) -> None:
    for seed in range(50):
        cards = dealt(players, seed).states[0].cards.tolist()
        assert sorted(cards[: players + 1]) == list(range(players + 1))
        assert cards[players + 1 :] == [NOBODY] * (CARDS - players - 1)


@pytest.mark.parametrize(("players", "count"), [(2, 6), (3, 24)])
def test_kp_2_every_deal_is_equally_likely(players: int, count: int) -> None:
    games = (dealt(players, seed) for seed in range(150 * count))
    found = Counter(tuple(game.states[0].cards[:players].tolist()) for game in games)
    assert len(found) == count and not too_far(found, dict.fromkeys(found, 1 / count))


@pytest.mark.parametrize("ante", range(1, 6))
def test_kp_2_each_player_puts_in_the_ante(ante: int) -> None:
    assert dealt(2, 0, ante).states[0].put_in.tolist() == [ante, ante, 0]
    assert dealt(3, 0, ante).states[0].put_in.tolist() == [ante] * 3


def test_kp_3_seat_0_begins_and_the_seats_act_in_turn() -> None:
    assert {dealt(3, seed).player for seed in range(30)} == {0}
    assert [position((0, 1, 2), "ppbpb"[:k]).player for k in range(5)] == [0, 1, 2, 0, 1]
    assert [position((0, 1), "pbp"[:k]).player for k in range(3)] == [0, 1, 0]


def test_kp_4_a_check_costs_nothing_and_a_bet_one_chip() -> None:
    s = position((0, 1, 2), "pb").states[0]
    assert s.put_in.tolist() == [1, 2, 1]
    assert s.folded.tolist() == [0, 0, 0]


def test_kp_5_after_a_bet_the_others_fold_or_call_once() -> None:
    game = position((3, 1, 2), "pbpb")  # seat 2 folds, seat 0 calls
    assert game.states[0].put_in.tolist() == [2, 2, 1]
    assert game.states[0].folded.tolist() == [0, 0, 1]
    assert game.over


@pytest.mark.parametrize("history", ["pp", "pbp", "pbb", "bp", "bb"])
def test_kp_6_the_five_ends_of_two_players(history: str) -> None:
    assert not position((0, 1), history[:-1]).over
    game = position((0, 1), history)
    assert game.over
    for action in (PASS, BET):
        with pytest.raises(IllegalActionError):
            game.step(action)


def test_kp_6_the_longest_game() -> None:
    assert position((0, 1, 2), "ppbbb").states[0].decisions == MOST_DECISIONS
    ends = [h for h in plain.histories(3) if plain.Table(3, h).mover is None]
    assert len(ends) == 13
    assert max(map(len, ends)) == MOST_DECISIONS


@pytest.mark.parametrize(
    ("deal", "history", "chips"),
    [
        ((2, 0), "pp", [1, -1]),  # the higher card
        ((0, 2), "bp", [1, -1]),  # the only one left, with the lower card
        ((0, 2), "pbp", [-1, 1]),
        ((0, 2), "bb", [-2, 2]),
        ((0, 1, 2), "ppp", [-1, -1, 2]),
        ((1, 2, 3), "bpp", [2, -1, -1]),
        ((1, 0, 3), "bbp", [3, -2, -1]),  # the highest card has folded
        ((3, 2, 1), "ppbpp", [-1, -1, 2]),
        ((1, 3, 2), "ppbbb", [-2, 4, -2]),
    ],
)
def test_kp_7_the_highest_card_still_in_takes_the_pot(
    deal: tuple[int, ...], history: str, chips: list[int]
) -> None:
    assert position(deal, history).scores()[:, 0].tolist() == chips


def test_kp_8_rewards() -> None:
    def rewards(deal: tuple[int, ...], history: str = "") -> list[list[float]]:
        game = position(deal, history)
        return [game.rewards(mode).tolist() for mode in SPEC.reward_names]

    assert SPEC.reward_names == ("win", "rank", "chips")
    assert rewards((0, 2), "bb") == [[-1, 1], [-1, 1], [-2, 2]]
    assert rewards((1, 0, 3), "bbp") == [[1, -0.5, -0.5], [1, -1, 0], [3, -2, -1]]
    assert rewards((0, 1, 2), "ppp") == [
        [-0.5, -0.5, 1],
        [-0.5, -0.5, 1],
        [-1, -1, 2],
    ]  # two have lost as much
    assert rewards((0, 1, 2)) == [[0, 0, 0]] * 3  # all are level


def test_kp_9_no_card_is_turned_over() -> None:
    """All possible hands of the others look the same to a seat, even after a showdown."""
    for history in ("", "pb", "bbb", "ppp"):
        seen = {position((1, *others), history).observe(0).tobytes() for others in ((0, 2), (2, 0), (2, 3))}
        assert len(seen) == 1
        assert piece(position((1, 0, 2), history).observe(0), "card").tolist() == [0, 1, 0, 0]
