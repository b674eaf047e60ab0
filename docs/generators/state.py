"""Generates docs/state.md: the fields of each game's state, from its dtype and the comments beside it."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from docs.generators import own_games
from spacemission_env.core import layout
from spacemission_env.core.game_spec import find_game

NOTE = "<!-- Made by `make docs` from the tables in the code; do not edit. -->\n\n"
HEADER_FIELD = re.compile(r'^    "(\w+)": \("\w+", .*\),  # (.+)$', re.MULTILINE)
FIELD = re.compile(r'^ +\("(\w+)", .*\),  # (.+)$', re.MULTILINE)


def meanings(game: str, record: str) -> dict[str, str]:
    """The comment beside each field of a record: of the common header and of the game's own fields."""
    module = importlib.import_module(f"spacemission_env.games.{game}")
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"spacemission_env.games.{game}.engine.state")
    own = inspect.getsource(module).partition(f"{record} = ")[2].partition("\n)\n")[0]
    return dict(HEADER_FIELD.findall(inspect.getsource(layout))) | dict(FIELD.findall(own))


def table(game: str, record: str, dtype: Any) -> str:
    """A row for each field. KeyError: a field has no comment."""
    said = meanings(game, record)
    rows = []
    for name in fields_of(dtype):
        kind = dtype[name]
        base, shape = kind.subdtype or (kind, ())
        number = record_name(base) if base.names else str(base)
        rows.append(f"| `{name}` | {number} | {' × '.join(map(str, shape))} | {said[name]} |")
    return "| field | type | shape | what |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"


def fields_of(dtype: Any) -> list[str]:
    """The names of a record's fields besides those that fill gaps."""
    return [name for name in dtype.names if not name.startswith(layout.GAP)]


def record_name(dtype: Any) -> str:
    """The type that the table shows for a field that is a record."""
    return "frame, see below" if "pc" in dtype.names else str(dtype)


def page() -> str:
    """docs/state.md."""
    parts = [
        "# The state of a game\n\n",
        NOTE,
        "Read this page to look into a whole game, or to copy it.\n\n`game.states[0]` is the whole game, hidden things too, as one numpy record; `find_game(NAME).state` is its "
        "dtype. Copy its\nbytes and you have copied the game. It is for programs that look at whole games. Agents get an "
        "[observation](observation.md),\nand with `choose_with_world` a world: the same fields, with what is hidden drawn "
        "anew. Seats go from 0. Names in capitals stand\nin the game's `engine/constants.py`. A record may change with "
        "any version. Fields\n`gap_…` fill gaps and are zero.\n",
    ]
    for name in dict.fromkeys([*WORDS, *own_games()]):
        spec = find_game(name)
        parts.append(f"\n## {spec.title}\n\n{WORDS.get(name, '')}\n\n{table(name, 'STATE', spec.state)}")
        if "stack" in spec.state.names:
            parts.append(
                "\nA frame of the stack is one thing that is under way:\n\n"
                + table(name, "FRAME", spec.state["stack"].base)
            )
    return "".join(parts)


WORDS = {
    "space_mission": "Piles of tiles have no order: `pile` counts what is left of each kind. The discard pile has "
    "none either. The draw pile has\none.",
    "planet_hexx": "The deck has an order. The Discard has none: it counts cards by kind.",
    "kuhn_poker": "The deck is dealt at once.",
}
