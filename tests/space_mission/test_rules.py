"""Checks that tests name all rules of docs/rules.md, and tests invariants of whole games.

The rules are tested on hand-made positions in test_rules_setup.py, test_rules_actions.py, test_rules_end.py
and test_rules_knowledge.py.
"""

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spacemission_env.games.space_mission.components import Card, Components, load_components
from spacemission_env.games.space_mission.engine.constants import FLY_NEXT, JUMP, NEW, SLOTS
from spacemission_env.games.space_mission.game import Game
from spacemission_env.games.space_mission.options import Rules
from tests.support.paths import ROOT
from tests.support.pieces import missing_pieces
from tests.support.positions import IRONVALE, card_index, hand, play, position, state_bytes
from tests.support.random_play import choose

HERE = Path(__file__).parent
WORLD_TESTS = ("test_memory.py", "test_even_worlds.py", "test_enumerated_worlds.py")
RULE_TESTS = [*sorted(HERE.glob("test_rules_*.py")), *(HERE / name for name in WORLD_TESTS)]


def test_every_rule_is_named_by_a_test() -> None:
    assert len(RULE_TESTS) == 4 + len(WORLD_TESTS)
    tests = re.findall(r"^def test_\w+", "\n".join(file.read_text("utf-8") for file in RULE_TESTS), re.M)
    named = set(re.findall(r"sm_(\d\d)", " ".join(tests)))
    assert named == set(re.findall(r"SM-(\d\d)", (ROOT / "docs/rules.md").read_text("utf-8")))


# ---------------------------------------------------------------- playing many games


def test_a_hand_is_not_smaller_than_what_it_kept() -> None:
    box = three_cards()
    game = position("B*4", "A", draw="C", rest="discard", components=box, ships={0: IRONVALE, 1: IRONVALE})
    play(game, "top_up")  # public now: seat 0 holds four B and a C, seat 1 an A
    s = game.states[0]
    s.draw[: s.draw_size] = np.sort(s.draw[: s.draw_size])[::-1]  # an A comes next
    play(game, "top_up B", "fly Ruby Red", "fly Ironvale")
    play(game, "top_up A", "top_up")  # seat 0 discards the A that it drew, not one that it kept
    play(game, "jump Freezer A")
    assert s.hand_size[1] == 0
    assert missing_pieces(game) is None


A, B, C = Card("A", (1,), (1,)), Card("B", (1,), (), (1,)), Card("C", (2,), (), (1,))


def test_a_game_may_have_thousands_of_rounds() -> None:
    game = Game(5, Rules(max_rounds=10_000))
    game.reset(1)
    while game.rounds < 3300:  # more decisions than an int16 holds
        legal = game.legal_actions()
        game.step(FLY_NEXT if FLY_NEXT in legal else next(a for a in legal if a >= JUMP or a < SLOTS))
    assert game.states[0].decisions > 2**15 and missing_pieces(game) is None


# ---------------------------------------------------------------- the same game again


def test_games_without_a_seed_differ_but_follow_one_that_was_given() -> None:
    seeds = set()
    for _ in range(5):
        game = Game(2)
        game.reset()
        seeds.add(game.seed)
    assert len(seeds) == 5
    one, other = Game(2), Game(2)
    one.reset(seed=3)
    other.reset(seed=3)
    for _ in range(3):
        one.step(one.legal_actions()[0])
        one.reset()
        other.reset()
        assert state_bytes(one) == state_bytes(other)


# ---------------------------------------------------------------- keys, and cards of more than one draw pile


def test_sm_73_decision_keys_are_made_of_what_the_seat_knows() -> None:
    game, rng = Game(3), random.Random(4)
    game.reset(seed=4)
    seen = set()
    while not game.over:
        assert game.player is not None
        key = game.decision_key()
        for seed in range(3):  # everything hidden dealt anew, and another seed
            assert game.determinize(game.player, seed).decision_key() == key
        seen.add(key)
        game.step(choose(game, game.legal_actions(), rng))
    assert len(seen) == game.states[0].decisions


def test_sm_73_keys_of_games_from_one_setup_differ() -> None:
    game = Game(2)
    game.reset(seed=8)
    setup = game.setup_json()
    keys = []
    for seed in (1, 2, 2):
        game.reset(seed=seed, setup=setup)
        keys.append(game.decision_key())
    assert keys[0] != keys[1] == keys[2]


def three_cards() -> Components:
    """Components with twenty copies of each of three cards."""
    return replace(load_components(None), cards=(A,) * 20 + (B,) * 20 + (C,) * 20, sha256="three cards")


@pytest.mark.parametrize("new", ["A", "B"])
def test_sm_74_a_card_that_may_be_of_two_draw_piles_makes_one_epoch_of_them(new: str) -> None:
    """Seat 1 kept an A and a B, drew three hidden cards, and plays an A, which may be old or new."""
    game = position("B*4", "A B", draw="C", rest="discard", components=three_cards())
    play(game, "top_up")  # after the shuffle, A and B in the hand of seat 1 are public
    s = game.states[0]
    s.draw[: s.draw_size] = sorted(s.draw[: s.draw_size], key=lambda card: card == card_index(game, new))
    play(game, "top_up", "top_up")
    assert sorted(s.hand_epoch[1, :5].tolist()) == [0, 0, NEW, NEW, NEW]
    assert hand(game, 1) == sorted(["A", "B", new, new, new])
    play(game, "jump Freezer A")
    assert s.hand_epoch[1].tolist() == [NEW, NEW, NEW, NEW, -1]  # four cards, all of the latest pile
    assert s.hand_epoch[0].tolist() == [NEW] * 5  # also those of others: the two piles are joined
    assert missing_pieces(game) is None


def test_sm_27_identical_cards_held_since_a_shuffle_are_counted() -> None:
    game = position("B*4", "A*2 B", "C", draw="C", rest="discard", components=three_cards())
    play(game, "top_up")
    view = game.seat_view(0)
    assert view.kept_cards == {"A": 2, "B": 1, "C": 1}
    assert view.kept_count == [5, 3, 1]
    for means, held in zip(view.kept_by, (0, 0.75, 0.25), strict=True):  # of the four, three and one
        expected = {"A": 2 * held, "B": held, "C": held} if held else {}
        assert means == pytest.approx(expected, abs=1e-4)


def test_sm_74_a_card_that_can_only_be_one_leaves_the_epochs() -> None:
    box = load_components(None)  # no id repeats
    game = position("J1S1 J1S2 J1S3 J1S4", "J2S1 J2S2", draw="J3S3", rest="discard", components=box)
    play(game, "top_up", "top_up", "top_up")
    s = game.states[0]
    assert sorted(s.hand_epoch[1, :5].tolist()) == [0, 0, NEW, NEW, NEW]
    play(game, "jump Green Heggar J2S1")
    assert sorted(s.hand_epoch[1, :4].tolist()) == [0, NEW, NEW, NEW]


def test_sm_74_sampled_worlds_deal_the_cards_of_older_draw_piles_anew() -> None:
    """Seats 1 and 2 hold two and one of three old cards; all splits are equally likely."""
    game = position("J1S1", "J1L1 J1L2", "S1L1", draw="J2S1 J2S2 J2S3 J2S4", rest="discard")
    play(game, "top_up", "top_up", "top_up")  # the fourth card is the last; seat 1 draws new ones
    older = {"J1L1", "J1L2", "S1L1"}
    found: Counter[str] = Counter()
    for seed in range(1500):
        world = game.determinize(0, seed)
        held = [older & set(hand(world, seat)) for seat in range(3)]
        assert list(map(len, held)) == [0, 2, 1]
        found.update(held[2])
    assert set(found) == older
    assert all(abs(count - 500) < 75 for count in found.values()), found  # four standard errors
