"""Chance that is given: tapes of outcomes give the states of the random numbers, and probabilities sum to 1.

`python -m tests.env.test_chance [MOVES]` checks a given number of random moves, and expands those that have
few outcomes.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import prod

import pytest

from spacemission_env.core.errors import IllegalActionError
from spacemission_env.core.game import Game, make_game
from tests.support.random_play import choose

Case = tuple[str, int, dict[str, object]]
CASES: list[Case] = [
    ("kuhn_poker", 2, {}),
    ("kuhn_poker", 3, {"ante": 4}),
    ("space_mission", 2, {"space_tile_penalty": True, "space_tiles_to_end": 12}),
    ("space_mission", 3, {}),
    ("space_mission", 4, {"start_player": 1, "scan_face_up": True}),
    ("space_mission", 5, {"hand_size": 4, "actions_per_turn": 3}),
    ("planet_hexx", 2, {}),
    ("planet_hexx", 3, {"always_ask": True, "hand_size": 10}),
    ("planet_hexx", 4, {"actions_per_turn": 6, "equal_turns": True}),
]
MOST_OUTCOMES = 3000  # of a move that is expanded
NAMES = [f"{name}-{players}" for name, players, _ in CASES]


def taken(game: Game, action: int | None = None) -> list[int]:
    return [outcome for _, outcome in game.draws(action)]


def positions(case: Case, moves: int) -> Iterator[tuple[Game, int | None]]:
    """Games with their next move (None: a deal), which the caller must not make itself."""
    name, players, rules = case
    game, rng = make_game(name, players, rules), random.Random(f"{case}")
    game.reset(rng.randrange(2**40))
    made = 0
    while made < moves:
        if game.over:
            game.reset()
        if not game.states[0].decisions:
            yield game, None
        legal = game.legal_actions()
        action = choose(game, legal, rng) if name == "space_mission" else rng.choice(legal)
        yield game, action
        game.step(action)
        made += 1


def check_tapes(case: Case, moves: int) -> Counter[str]:
    """Draws of seeded moves, given as a tape, give the same bytes; probabilities of outcomes sum to 1."""
    seen: Counter[str] = Counter()
    for game, action in positions(case, moves):
        draws, after, by_tape = game.draws(action), game.clone(), game.clone()
        if action is None:
            by_tape.reset(game.seed, chance=taken(game))
        else:
            after.step(action)
            by_tape.step(action, chance=taken(game, action))
        assert after.states.tobytes() == by_tape.states.tobytes(), (case, game.seed, action)
        seen["moves"] += 1
        seen["draws"] += len(draws)
        seen["moves with draws"] += bool(draws)
        if prod(size for size, _ in draws) > MOST_OUTCOMES:
            seen["not expanded"] += 1
            continue
        outcomes = list(islice(game.outcomes(action), MOST_OUTCOMES + 1))
        if len(outcomes) > MOST_OUTCOMES:
            seen["not expanded"] += 1
            continue
        assert sum(p for p, _, _ in outcomes) == pytest.approx(1, abs=1e-12)
        assert taken(game, action) in [tape for _, tape, _ in outcomes]
        assert draws or len(outcomes) == 1
        seen["expanded"] += 1
    return seen


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_draws_given_as_a_tape_give_the_same_state(case: Case) -> None:
    seen = check_tapes(case, 120)
    assert seen["draws"] > 10


def test_other_outcomes_give_other_states() -> None:
    game = make_game("kuhn_poker", 3)
    game.reset(5)
    deals = [(p, tape, after.states[0].cards.tolist()) for p, tape, after in game.outcomes()]
    assert len(deals) == 24 == len({tuple(cards) for _, _, cards in deals})
    assert {p for p, _, _ in deals} == {1 / 24}
    for _, tape, cards in deals:
        game.reset(7, chance=tape)
        assert game.states[0].cards.tolist() == cards


def test_chance_outcomes_lead_through_a_deal() -> None:
    game, tape = make_game("kuhn_poker", 2), []
    while there := game.chance_outcomes(None, tape):
        assert sum(p for _, p in there) == pytest.approx(1)
        tape.append(there[-1][0])
    assert tape == [2, 1]  # Fisher and Yates: the cards stay in order
    game.reset(1, chance=tape)
    assert game.setup_json() == {"cards": ["J", "Q", "K"]}
    assert game.chance_outcomes(0) == [] and [tape for _, tape, _ in game.outcomes(0)] == [[]]


def test_what_is_drawn_later_does_not_depend_on_the_tape() -> None:
    """The generator goes on in the same way, whatever outcomes were given."""
    one, two = make_game("space_mission", 2), make_game("space_mission", 2)
    one.reset(3)
    two.reset(3, chance=[0] * len(one.draws()))
    assert (one.states["rng"] == two.states["rng"]).all() and (one.states["ring"] != two.states["ring"]).any()
    two.reset(4, chance=taken(one))
    assert (one.states["ring"] == two.states["ring"]).all() and (one.states["rng"] != two.states["rng"]).any()


def test_looking_at_chance_changes_nothing() -> None:
    game = make_game("space_mission", 3)
    game.reset(1)
    before = game.states.tobytes()
    action = game.legal_actions()[0]
    game.draws(), game.draws(action), game.chance_outcomes(action), list(game.outcomes(action))
    assert game.states.tobytes() == before


def test_chance_of_illegal_moves_is_refused() -> None:
    game = make_game("kuhn_poker", 2)
    game.reset(1)
    for look in (game.draws, lambda action: next(game.outcomes(action))):
        with pytest.raises(IllegalActionError):
            look(5)


def main(moves: int = 10_000) -> None:
    """Check moves of every case; print what was compared."""
    for case in CASES:
        print(*case, dict(check_tapes(case, -(-moves // len(CASES)))), flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
