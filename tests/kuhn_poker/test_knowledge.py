"""What a seat knows (KP-9): observations, information-state keys, decision keys, worlds."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from spacemission_env.core.game import Game
from spacemission_env.games.kuhn_poker import LAYOUT
from tests.kuhn_poker import plain
from tests.kuhn_poker.positions import dealt, piece, position
from tests.support.chi_square import too_far

Known = tuple[int, int, int, str]  # players, seat, own card, history


def everywhere(players: int) -> Iterator[tuple[Known, Game]]:
    """Every position of the tree from each seat's view."""
    for deal in plain.deals(players):
        for history in plain.histories(players):
            game = position(deal, history)
            for seat in range(players):
                yield (players, seat, deal[seat], history), game


# ------------------------------------------------------------ information sets


def test_kp_9_an_information_set_has_one_observation_mask_and_key_and_no_two_share_them() -> None:
    seen = defaultdict(set)
    keys = defaultdict(set)
    for players in (2, 3):
        for known, game in everywhere(players):
            seat = known[1]
            seen[known].add(game.observe(seat).tobytes() + game.mask(seat).tobytes())
            keys[known].add(game.information_state_key(seat))
    sets = 2 * 3 * 9 + 3 * 4 * 25
    for told in (seen, keys):
        assert [len(values) for values in told.values()] == [1] * sets
        assert len(set().union(*told.values())) == sets


def test_kp_9_decision_keys_tell_information_sets_apart_and_nothing_else() -> None:
    """All games have the same seed and so the same salt."""
    keys = defaultdict(set)
    for players in (2, 3):
        for known, game in everywhere(players):
            if game.player == known[1]:
                keys[known].add(game.decision_key())
    assert [len(values) for values in keys.values()] == [1] * (12 + 48)
    assert len(set().union(*keys.values())) == 60


def test_kp_9_decision_keys_are_new_in_every_game_whoever_holds_what() -> None:
    """Drawing with the key bets in half of an information set's games, whatever the opponent's card."""
    bets: Counter[tuple[int, int, str, int, int]] = Counter()
    games = 3000
    for seed in range(games):
        own, other = dealt(2, seed).states[0].cards[:2].tolist()
        for history in ("", "p"):
            drawn = position((own, other), history, seed=seed).decision_key()
            for digit in (16, 40):  # one bit of each half of the key
                bets[own, other, history, digit, drawn >> digit & 1] += 1
    assert len(bets) == 6 * 2 * 2 * 2
    for own, other, history, digit, _ in bets:
        both = Counter({bet: bets[own, other, history, digit, bet] for bet in (0, 1)})
        assert both.total() > games / 8
        assert not too_far(both, {0: 0.5, 1: 0.5}), (own, other, history, both)


# ------------------------------------------------------------ observations


def test_an_observation_piece_by_piece() -> None:
    """Seat 2 of three has bet and seat 0 has folded; views of seats 1 and 0."""
    game = position((0, 3, 1), "ppbp")
    seen = game.observe(1)
    pieces = {name: piece(seen, name).tolist() for name in LAYOUT}
    passed, bet, nothing = [1, 0], [0, 1], [0, 0]
    assert pieces == {
        "num_players": [0, 1],
        "seat": [0, 1, 0],
        "player_to_act": [1, 0, 0],
        "card": [0, 0, 0, 1],
        "betting": [[passed, nothing], [bet, nothing], [passed, passed]],
        "put_in": [0.5, 1, 0.5],
        "pot": [np.float32(4 / 6)],
        "ante": [np.float32(0.2)],
    }
    seen = game.observe(0)
    assert piece(seen, "player_to_act").tolist() == [0, 1, 0]
    assert piece(seen, "betting").tolist() == [[passed, passed], [passed, nothing], [bet, nothing]]
    over = position((0, 1), "bb").observe(1)
    assert piece(over, "num_players").tolist() == [1, 0]
    assert piece(over, "player_to_act").tolist() == [0, 0, 0]
    assert piece(over, "put_in").tolist() == [1, 1, 0]


# ------------------------------------------------------------ worlds


@pytest.mark.parametrize(("players", "ways"), [(2, 2), (3, 6)])
@pytest.mark.parametrize("history", ["", "pb"])
def test_kp_9_worlds_are_the_deals_that_the_seat_holds_possible_all_equally_likely(
    players: int, ways: int, history: str
) -> None:
    draws = 100 * ways
    for seat in range(players):
        for deal in plain.deals(players)[:: 2 if players == 2 else 7]:
            game = position(deal, history)
            worlds = (game.determinize(seat, seed).states[0] for seed in range(draws))
            found = Counter(tuple(world.cards[:players].tolist()) for world in worlds)
            possible = [other for other in plain.deals(players) if other[seat] == deal[seat]]
            assert len(possible) == ways and not too_far(found, dict.fromkeys(possible, 1 / ways))
