"""docs/planet_hexx_cards.md and the code name the same statements, written in the same way."""

from __future__ import annotations

import re

import numpy as np

from docs.generators.planet_hexx import CARDS_PAGE, language_table
from docs.generators.planet_hexx_tables import FEATURES, WORDS
from spacemission_env.games.planet_hexx.actions import DECISIONS, SEGMENTS
from spacemission_env.games.planet_hexx.components.language import CONDITIONS, COSTS, STATEMENTS
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT
from spacemission_env.games.planet_hexx.engine.layout import LAYOUT
from tests.planet_hexx.positions import new_game, random_move

PAGE = CARDS_PAGE.read_text(encoding="utf-8")


def test_what_every_statement_does_stands_in_one_row_of_the_page() -> None:
    rows = PAGE.split("| statement | what it does |", 1)[1].split("\n\n", 1)[0]
    forms = re.findall(r"^\| (`.*?`) \| \S", rows, re.MULTILINE)
    named = [form for row in forms for form in re.findall("`(.*?)`", row)]
    assert sorted(named) == sorted(statement.form for statement in STATEMENTS.values())


def test_every_condition_and_cost_is_explained() -> None:
    conditions = PAGE.split("Conditions: ", 1)[1].split("\n\n", 1)[0]
    named = [form for form in re.findall(r"`([^`]+)`", conditions) if form.split()[0] in CONDITIONS]
    assert named == [condition.form for condition in CONDITIONS.values()]
    for cost in COSTS.values():
        assert f"`{cost.form}`" in PAGE


def test_the_short_table_names_them_all() -> None:
    named = re.findall(r"^\| `(\w+)` \|", language_table(), re.MULTILINE)
    assert named == [*STATEMENTS, *CONDITIONS, *COSTS]


def test_the_table_of_moves_names_each_number_once() -> None:
    assert [n for s in SEGMENTS for n in range(s.first, s.last + 1)] == list(range(ACTION_COUNT))


def test_each_decision_allows_the_moves_that_the_page_tells() -> None:
    """Also 0 and 1 only where it says what they are."""
    rng, seen = np.random.default_rng(3), set()
    for seed in range(30):
        game = new_game(2 + seed % 3, seed, upload_cost=1)
        while not game.over:
            decision = DECISIONS[game.states[0].asked]
            seen.add(decision.name)
            for action in game.legal_actions():
                named = decision.first <= action <= decision.last
                assert named or f"{action}: " in decision.others, (decision, action)
            game.step(random_move(game, rng))
    assert len(seen) >= len(DECISIONS) - 2, {d.name for d in DECISIONS} - seen


def test_every_feature_of_the_observation_is_explained() -> None:
    named = {f"{what} {name}" for features, what in FEATURES.values() for name, _ in features}
    assert named == set(WORDS)
    for piece, (features, _) in FEATURES.items():
        assert LAYOUT[piece].shape[-1] == len(features)
