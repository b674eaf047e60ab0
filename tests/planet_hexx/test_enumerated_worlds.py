"""Tests the distribution of sampled worlds in small positions by chi-square.

`tests/oracle/planet_hexx/worlds.py` lists all possible worlds of a seat in plain Python, without engine code.
Small positions come from games with few kinds of cards and small hands: in the middle, near the end, in
windows that ask another seat, and after shuffles. The long check, with 40 positions of each sort:
`python -m tests.planet_hexx.test_enumerated_worlds 40`.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
import pytest

from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.games.planet_hexx.game import Game
from tests.oracle.planet_hexx.cards import Deck
from tests.oracle.planet_hexx.random_play import some_move
from tests.oracle.planet_hexx.worlds import (
    IN_ORDER,
    State,
    TooManyWorldsError,
    hidden_deck,
    hidden_hands,
    worlds,
)
from tests.oracle.planet_hexx_oracle import HexxOracle
from tests.support.chi_square import too_far
from tests.support.planet_hexx_decks import small_deck
from tests.support.planet_hexx_pair import Situation

DRAWS = 10_000
LEAST, MOST = 2, 3_000  # number of worlds of a tested position
# Sorts of positions, with the manner of the random moves before them.
SORTS = {"middle": "even", "end": "uploads", "window": "events", "reshuffled": "refreshes"}
NEAR_END = 4  # filled points of the leading seat
# Kinds of each type in the deck, and the hand size, by number of players.
SIZES = {2: [(1, 3), (2, 3)], 3: [(1, 2), (2, 1)], 4: [(1, 2), (1, 1), (2, 1)]}
Weights = Mapping[State, Fraction]
Found = tuple[Game, HexxOracle, int, Weights, bool]


def small_positions(sort: str, num_players: int, seed: int) -> Iterator[Found]:
    """Positions of random games, a seat, its possible worlds, and whether some deals are ruled out."""
    rng = random.Random(f"{sort} {num_players} {seed}")
    while True:
        each, hand_size = rng.choice(SIZES[num_players])
        data = small_deck(rng.randrange(10**6), each)
        rules = {"hand_size": hand_size, "upload_cost": 0, "always_ask": rng.random() < 0.15}
        rules["actions_per_turn"] = rng.randint(3, 6)
        number = rng.randrange(2**62)
        game = Game(num_players, rules, components_from_data(data, "small deck"))
        game.reset(number)
        oracle = HexxOracle(num_players, number, rules, Deck(data))
        wait = rng.randrange(60)
        while not game.over:
            wait -= 1
            if wait < 0 and (seat := observer_of(sort, oracle, rng)) is not None:
                states, ruled_out = enumerated(oracle, seat)
                if LEAST <= len(states) <= MOST:
                    yield game, oracle, seat, states, ruled_out
                    break
            move = some_move(oracle.legal(), rng, SORTS[sort])
            game.step(move)
            oracle.step(move)


def observer_of(sort: str, oracle: HexxOracle, rng: random.Random) -> int | None:
    """A seat for which the position is of this sort, or None."""
    t, decision = oracle.table, oracle.decision
    assert decision is not None
    near_end = max(sum(card is not None for card in seat.filled) for seat in t.seats) >= NEAR_END
    seat = rng.randrange(len(t.seats))
    if sort == "window":
        return seat if decision.name == "WINDOW" and seat != decision.seat else None
    if sort == "reshuffled":
        return seat if any(c.epoch < t.shuffles for hand in hidden_hands(t, seat) for c in hand) else None
    return seat if decision.name != "SIDE" and near_end == (sort == "end") else None


def enumerated(oracle: HexxOracle, seat: int) -> tuple[Weights, bool]:
    """All worlds that a seat holds possible, or none where they are too many; whether it rules out deals."""
    try:
        return worlds(oracle, seat, MOST)
    except TooManyWorldsError:
        return {}, False


def sampled(game: Game, seat: int, first: int, draws: int) -> np.ndarray:
    """So many worlds of a seat, as `STATE` records, drawn by the seeds from `first` on."""
    out = game.spec.new_states(draws)
    one = game.spec.batch.determinize_one
    for i in range(draws):
        assert one(game.states, 0, game.parameters, seat, first + i, out[i : i + 1])
    return out


def states_of(game: Game, seat: int, drawn: np.ndarray) -> Counter[State]:
    """How often each world came up."""
    ids = [card.id for card in game.components.cards]
    others = [j for j in range(game.num_players) if j != seat]
    below = int(game.states[0].deck_size) - int(game.states[0].deck_known)
    decks = drawn["deck"][:, :below]
    if below > IN_ORDER:
        decks = np.sort(np.array(ids)[decks], axis=1)
    else:
        decks = np.array(ids)[decks]
    found: Counter[State] = Counter()
    sizes = [int(n) for n in game.states[0].hand_size]
    rows = [drawn[name].tolist() for name in ("hand", "known", "epoch", "player")]
    for hand, known, epoch, player, deck in zip(*rows, decks.tolist(), strict=True):
        held: list[object] = [()] * game.num_players
        for j in others:
            cards = range(sizes[j])
            held[j] = tuple(sorted((ids[hand[j][i]], epoch[j][i]) for i in cards if not known[j][i]))
        found[tuple(held), tuple(deck), player] += 1
    return found


def ends_of_deck(states: Weights) -> dict[tuple[str, str], Fraction]:
    """The shares of the lowest and the highest hidden card in a deck whose order the states do not name."""
    shares: Counter[tuple[str, str]] = Counter()
    for (_, deck, _), share in states.items():
        counts, n = Counter(deck), len(deck)
        for low in counts:
            for high in counts:
                ways = counts[low] * (counts[high] - (low == high))
                shares[low, high] += share * Fraction(ways, n * (n - 1))
    return {pair: share for pair, share in shares.items() if share}


def check_position(game: Game, oracle: HexxOracle, seat: int, states: Weights, draws: int) -> None:
    """The true world is among the possible ones, and each of these is sampled as often as it should be."""
    t = oracle.table
    hands = tuple(tuple(sorted((c.kind.id, c.epoch) for c in hand)) for hand in hidden_hands(t, seat))
    deck = tuple(card.kind.id for card in hidden_deck(t))
    true = (hands, deck if len(deck) <= IN_ORDER else tuple(sorted(deck)))
    assert true in {state[:2] for state in states}
    # Of a thousand fair tests one fails; another sample tells.
    samples = (sampled(game, seat, n * draws, draws) for n in range(2))
    assert not all(leans(game, oracle, seat, states, drawn) for drawn in samples)


def leans(game: Game, oracle: HexxOracle, seat: int, states: Weights, drawn: np.ndarray) -> bool:
    """Whether chi-square finds these worlds unlikely."""
    if too_far(states_of(game, seat, drawn), states):
        return True
    below = len(hidden_deck(oracle.table))
    if below <= IN_ORDER:
        return False
    ids = np.array([card.id for card in game.components.cards])
    low, high = ids[drawn["deck"][:, 0]].tolist(), ids[drawn["deck"][:, below - 1]].tolist()
    return too_far(Counter(zip(low, high, strict=True)), ends_of_deck(states))


def check(sort: str, num_players: int, positions: int, seed: int = 1, draws: int = DRAWS) -> Counter[str]:
    """Compare positions; return counts."""
    counts: Counter[str] = Counter()
    for found in small_positions(sort, num_players, seed):
        if counts["positions"] == positions:
            return counts
        game, oracle, seat, states, ruled_out = found
        check_position(game, oracle, seat, states, draws)
        assert oracle.decision is not None
        counts["positions"] += 1
        counts["states"] += len(states)
        counts["another decides"] += oracle.decision.seat != seat
        counts["deals ruled out"] += ruled_out
    return counts


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("sort", SORTS)
def test_every_world_of_a_small_position_is_as_likely_as_it_should_be(sort: str, num_players: int) -> None:
    assert check(sort, num_players, 1)["states"] >= LEAST


def test_worlds_of_an_effect_with_a_price_can_pay_it() -> None:
    diner = [["may", [["cost", ["discard", 1, "dilemma"]], ["draw", 2]]]]
    for effect in (diner, [["once", diner]]):
        game = Situation(
            board={(0, 1): "space_diner"},
            hands=[["detour", "pebble"]],
            deck=["plot_twist", "glimmer", "starry_deep", "data_bomb"],
            changes={"space_diner": {"on_stop": effect}},
            dice=[1],
            rest=False,
        ).fly(1)
        assert game.asked == (0, "MAY")
        states, ruled_out = enumerated(game, 1)
        assert ruled_out and len(states) == 9
        check_position(game.engine, game, 1, states, DRAWS)


def main(positions: int = 40, seed: int = 1, draws: int = 20_000) -> None:
    """The long check."""
    for sort in SORTS:
        for num_players in (2, 3, 4):
            counts = check(sort, num_players, positions, seed, draws)
            print(f"{sort}, {num_players} players, {draws} draws each: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
