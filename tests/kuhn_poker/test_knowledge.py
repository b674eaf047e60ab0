"""What a seat knows (KP-9): observations, information-state keys, decision keys, worlds."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from spacemission_env.games.kuhn_poker import (
    BATCH,
    CARDS,
    LAYOUT,
    OBSERVATION,
    SPEC,
)
from tests.kuhn_poker import plain
from tests.kuhn_poker.positions import (
    BOX_OF,
    chi_square,
    dealt,
    decision_key,
    key,
    piece,
    position,
    view,
)

Known = tuple[int, int, int, str]  # players, seat, own card, history


def everywhere(players: int) -> Iterator[tuple[Known, np.ndarray]]:
    """Every position of the tree from each seat's view."""
    for deal in plain.deals(players):
        for history in plain.histories(players):
            states = position(deal, history)
            for seat in range(players):
                yield (players, seat, deal[seat], history), states


# ------------------------------------------------------------ information sets


def test_kp_9_an_information_set_has_one_observation_mask_and_key_and_no_two_share_them() -> None:
    seen = defaultdict(set)
    keys = defaultdict(set)
    for players in (2, 3):
        for known, states in everywhere(players):
            observation, mask = view(states, known[1])
            seen[known].add(observation.tobytes() + mask.tobytes())
            keys[known].add(key(states, known[1]))
    sets = 2 * 3 * 9 + 3 * 4 * 25
    for told in (seen, keys):
        assert [len(values) for values in told.values()] == [1] * sets
        assert len(set().union(*told.values())) == sets


def test_kp_9_decision_keys_tell_information_sets_apart_and_nothing_else() -> None:
    """All games have the same seed and so the same salt."""
    keys = defaultdict(set)
    for players in (2, 3):
        for known, states in everywhere(players):
            if states[0].player == known[1] and not states[0].over:
                keys[known].add(decision_key(states))
    assert [len(values) for values in keys.values()] == [1] * (12 + 48)
    assert len(set().union(*keys.values())) == 60


def test_kp_9_decision_keys_are_new_in_every_game_whoever_holds_what() -> None:
    """Drawing with the key bets in half of an information set's games, whatever the opponent's card."""
    bets: Counter[tuple[int, int, str, int, int]] = Counter()
    games = 3000
    for seed in range(games):
        states = dealt(2, seed)
        own, other = states[0].cards[:2].tolist()
        for history in ("", "p"):
            drawn = decision_key(position((own, other), history, seed=seed))
            for digit in (16, 40):  # one bit of each half of the key
                bets[own, other, history, digit, drawn >> digit & 1] += 1
    assert len(bets) == 6 * 2 * 2 * 2
    for own, other, history, digit, _ in bets:
        both = np.array([bets[own, other, history, digit, bet] for bet in (0, 1)])
        assert both.sum() > games / 8
        assert chi_square(both) < 7, (own, other, history, both)  # 3.3 standard deviations of the share


# ------------------------------------------------------------ observations


def test_observations_are_in_range_and_of_one_size() -> None:
    assert OBSERVATION.itemsize == 4 * SPEC.observation_size
    assert sum(p.size for p in LAYOUT.values()) == SPEC.observation_size
    for ante in (1, 2, 5):
        full = view(position((0, 1, 2), "bbb", ante), 0, ante)[0]
        assert piece(full, "pot") == 1
        assert piece(full, "put_in").tolist() == [1, 1, 1]
        assert piece(full, "ante") == np.float32(ante / 5)
        for players in (2, 3):
            for deal in plain.deals(players)[:3]:
                for history in plain.histories(players):
                    for seat in range(players):
                        seen = view(position(deal, history, ante), seat, ante)[0]
                        assert ((seen >= 0) & (seen <= 1)).all()  # no number is left unwritten (NaN)


def test_an_observation_piece_by_piece() -> None:
    """Seat 2 of three has bet and seat 0 has folded; views of seats 1 and 0."""
    states = position((0, 3, 1), "ppbp")
    seen = view(states, 1)[0]
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
    seen = view(states, 0)[0]
    assert piece(seen, "player_to_act").tolist() == [0, 1, 0]
    assert piece(seen, "betting").tolist() == [[passed, passed], [passed, nothing], [bet, nothing]]
    over = view(position((0, 1), "bb"), 1)[0]
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
            states = position(deal, history)
            before = states.tobytes()
            world = SPEC.new_states(1)
            found: Counter[tuple[int, ...]] = Counter()
            for seed in range(draws):
                assert BATCH.determinize_one(states, 0, BOX_OF[1], seat, 1, seed, world)
                found[tuple(world[0].cards[:players].tolist())] += 1
            possible = {other for other in plain.deals(players) if other[seat] == deal[seat]}
            assert set(found) == possible
            assert len(possible) == ways
            assert chi_square(np.array(list(found.values()))) < 7
            assert states.tobytes() == before


def test_kp_9_a_world_is_a_whole_game_that_the_seat_cannot_tell_apart() -> None:
    world = SPEC.new_states(1)
    for players in (2, 3):
        for known, states in everywhere(players):
            seat = known[1]
            assert BATCH.determinize_one(states, 0, BOX_OF[1], seat, 0, 11, world)
            w = world[0]
            assert sorted(w.cards[: players + 1].tolist()) == list(range(players + 1))
            assert w.cards[players + 1 :].tolist() == [-1] * (CARDS - players - 1)
            assert [part.tobytes() for part in view(world, seat)] == [
                part.tobytes() for part in view(states, seat)
            ]
            assert key(world, seat) == key(states, seat)
            if states[0].player == seat:
                assert decision_key(world) == decision_key(states)
            for name in ("decisions", "num_players", "player", "over", "bet_at", "salt"):
                assert w[name] == states[0][name]
            assert w.folded.tolist() == states[0].folded.tolist()
            assert w.rng.tolist() != states[0].rng.tolist()
            assert w.seed != states[0].seed
