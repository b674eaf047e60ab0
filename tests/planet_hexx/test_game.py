"""Tests views, sampled worlds, state checks, options and set-ups of Planet Hexx."""

from __future__ import annotations

from pathlib import Path

import pytest

from spacemission_env.core.errors import RulesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import find_game
from spacemission_env.games.planet_hexx.components.parse import components_from_data
from spacemission_env.games.planet_hexx.options import Rules, make_rules
from spacemission_env.games.planet_hexx.consistency import state_problem
from spacemission_env.records.reader import replay_file
from spacemission_env.records.writer import GameRecord, RecordWriter
from tests.planet_hexx.positions import new_game, random_walk
from tests.support.planet_hexx_decks import words_deck

SPEC = find_game("planet_hexx")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_views_and_worlds_of_all_seats(seed: int) -> None:
    deck = components_from_data(words_deck(), "every word") if seed else None
    asked = set()
    for step, game in enumerate(random_walk(seed, 400, deck, always_ask=seed == 2)):
        s = game.states[0]
        asked.add(int(s.asked))
        assert state_problem(s, game.t, game.num_players) is None
        assert not s.deck[s.deck_size :].any()  # a world, which is a copy, does not tell what was drawn
        for seat in range(game.num_players):
            seen, legal = game.observe(seat), game.mask(seat)
            assert ((seen >= 0) & (seen <= 1)).all()
            assert legal.any() == (seat == game.player)
            assert seen[SPEC.layout["asked"].slice].any() == (seat == game.player)
            world = game.determinize(seat, step)
            assert state_problem(world.states[0], game.t, game.num_players) is None
            assert world.observe(seat).tobytes() == seen.tobytes()
            assert world.information_state_key(seat) == game.information_state_key(seat)
            assert world.mask(seat).tobytes() == legal.tobytes()
        assert game.determinize(game.player, step).decision_key() == game.decision_key()
    assert len(asked) > 8


@pytest.mark.parametrize(
    ("field", "value"),
    [("ship", 300), ("deck_size", 300), ("depth", 90), ("store", 120), ("touches", 1), ("hand_size", 13)],
)
def test_states_that_cannot_be_are_refused(field: str, value: int) -> None:
    *_, game = random_walk(3, 61)
    states = game.states.copy()
    assert state_problem(states[0], game.t, 2) is None
    if states.dtype[field].shape:
        states[field].reshape(-1)[0] = value
    else:
        states[field] = value
    problem = state_problem(states[0], game.t, 2)
    assert problem is not None
    assert problem.startswith(field)


def test_options_are_read_and_refused() -> None:
    assert make_rules("equal_turns=true,max_turns=30") == Rules(equal_turns=True, max_turns=30)
    assert make_rules(None) == make_rules("printed") == Rules()
    for wrong, message in (
        ("yucata", "unknown preset"),
        ({"hand_size": 13}, "hand_size: expected a whole number from 1 to 12"),
        ({"walls": 1}, "unknown option"),
        ("max_turns=many", "cannot read the value"),
    ):
        with pytest.raises(RulesError, match=message):
            make_rules(wrong)


def test_a_set_up_lays_the_table_and_others_are_refused() -> None:
    game = new_game(2, 9)
    setup = game.setup_json()
    other = make_game(SPEC, 2)
    other.reset(9, setup)
    assert other.states.tobytes() == game.states.tobytes()
    for part, wrong in (("start_player", 2), ("files", [1, 1]), ("deck", setup["deck"][1:])):
        with pytest.raises(SetupError, match=part):
            other.reset(9, {**setup, part: wrong})


def test_a_truncated_game_has_no_winner(tmp_path: Path) -> None:
    """HR-11: in the game, its record, the view of a seat and the rewards."""
    game = new_game(3, 2, max_turns=1)
    assert game.winners() == []
    record = GameRecord(game, ["a", "b", "c"])
    while not game.over:
        record.before(game.legal_actions()[0])
        game.step(game.legal_actions()[0])
    record.finish()
    with RecordWriter(tmp_path / "games.jsonl") as writer:
        writer.add(record)
    (replayed,) = replay_file(tmp_path / "games.jsonl")
    replayed.finish()
    assert game.reason == "truncated" and replayed.result["winners"] == game.winners() == []
    assert game.seat_json(1)["result"]["winners"] == [] and not game.rewards("win").any()
    assert "Broken off: nobody has won" in game.picture(1)
