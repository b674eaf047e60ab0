"""The page of state records says something of every field."""

from __future__ import annotations

import pytest

from docs.generators import state
from spacemission_env.core.game_spec import find_game


@pytest.mark.parametrize("game", state.GAMES)
def test_every_field_has_its_line(game: str) -> None:
    dtype = find_game(game).state
    rows = state.table(game, "STATE", dtype).splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(dtype.names)
    assert all(row.rstrip(" |").count("|") >= 4 for row in rows)
