"""The tables of `make check-rules` fit the code: each text that a mutation replaces occurs once."""

import pytest

from tests.planet_hexx.break_rules import TABLE as PLANET_HEXX
from tests.space_mission.break_rules import TABLE as SPACE_MISSION


@pytest.mark.parametrize("table", [SPACE_MISSION, PLANET_HEXX], ids=lambda table: table.game)
def test_each_mutation_replaces_a_text_that_occurs_once(table):
    for mutation in table.mutations:
        table.check(mutation)
