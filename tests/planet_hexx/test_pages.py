"""Tests that the docs of Planet Hexx match the code, and that tests name all rules."""

import ast
import re
from collections import Counter
from pathlib import Path

from docs.generators.planet_hexx import CARDS_PAGE, language_table
from docs.generators.planet_hexx_tables import FEATURES, WORDS
from spacemission_env.games.planet_hexx.actions import DECISIONS, SEGMENTS
from spacemission_env.games.planet_hexx.components.language import CONDITIONS, COSTS, STATEMENTS
from spacemission_env.games.planet_hexx.engine.constants import ACTION_COUNT
from spacemission_env.games.planet_hexx.engine.layout import LAYOUT
from tests.planet_hexx.positions import random_walk
from tests.support.paths import DOCS, ROOT

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
    """Moves 0 and 1 are legal only if the page explains them."""
    seen = set()
    for seed in range(30):
        for game in random_walk(seed, upload_cost=1):
            decision = DECISIONS[game.states[0].asked]
            seen.add(decision.name)
            for action in game.legal_actions():
                named = decision.first <= action <= decision.last
                assert named or f"{action}: " in decision.others, (decision, action)
    assert len(seen) >= len(DECISIONS) - 2, {d.name for d in DECISIONS} - seen


def test_every_feature_of_the_observation_is_explained() -> None:
    named = {f"{what} {name}" for features, what in FEATURES.values() for name, _ in features}
    assert named == set(WORDS)
    for piece, (features, _) in FEATURES.items():
        assert LAYOUT[piece].shape[-1] == len(features)


HERE = Path(__file__).parent
PAGES = [DOCS / "planet_hexx_rules.md", DOCS / "planet_hexx_cards.md"]
CODE = ROOT / "spacemission_env" / "games" / "planet_hexx"


def defined() -> Counter[str]:
    """Bold ids in the pages: rules HX-n, rulings HR-n."""
    return Counter(
        name for page in PAGES for name in re.findall(r"\*\*(H[XR]-\d+)\*\*", page.read_text("utf-8"))
    )


def named_by_tests() -> set[str]:
    """Ids in the names of tests."""
    found = set()
    for file in HERE.glob("test_rules_*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found |= {f"{kind.upper()}-{int(n)}" for kind, n in re.findall(r"(h[xr])(\d+)", node.name)}
    return found


def test_every_rule_and_ruling_is_defined_once() -> None:
    ids = defined()
    assert {name for name in ids if name.startswith("HX")} == {f"HX-{n}" for n in range(1, 57)}
    rulings = [name for name in ids if name.startswith("HR")]
    assert set(rulings) == {f"HR-{n}" for n in range(1, len(rulings) + 1)}
    assert set(ids.values()) == {1}


def test_every_rule_and_ruling_is_named_by_a_test() -> None:
    assert sorted(named_by_tests()) == sorted(defined())


def test_the_code_names_no_other_rules() -> None:
    named = {
        name for file in CODE.rglob("*.py") for name in re.findall(r"\bH[XR]-\d+", file.read_text("utf-8"))
    }
    assert len(named) > 40 and named <= set(defined())
