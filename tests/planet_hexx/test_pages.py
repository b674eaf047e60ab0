"""docs/planet_hexx_cards.md and the code name the same statements, written in the same way."""

from __future__ import annotations

import re

from docs.generators.planet_hexx import CARDS_PAGE, language_table
from spacemission_env.games.planet_hexx.conditions import CONDITIONS, COSTS
from spacemission_env.games.planet_hexx.statements import STATEMENTS

PAGE = CARDS_PAGE.read_text(encoding="utf-8")


def test_what_every_statement_does_stands_in_one_row_of_the_page() -> None:
    rows = PAGE.split("| statement | what it does |", 1)[1].split("\n\n", 1)[0]
    forms = re.findall(r"^\| (`.*?`) \| \S", rows, re.MULTILINE)
    named = [form for row in forms for form in re.findall("`(.*?)`", row)]
    assert sorted(named) == sorted(statement.form for statement in STATEMENTS.values())


def test_every_condition_and_cost_is_explained() -> None:
    conditions = PAGE.split("Conditions: ", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"`(\w+ \w+)`", conditions) == [condition.form for condition in CONDITIONS.values()]
    for cost in COSTS.values():
        assert f"`{cost.form}`" in PAGE


def test_the_short_table_names_them_all() -> None:
    named = re.findall(r"^\| `(\w+)` \|", language_table(), re.MULTILINE)
    assert named == [*STATEMENTS, *CONDITIONS, *COSTS]
