"""Runs `spacemission check-game`: finds faults of a game without knowing its rules."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import Annotated

import typer

from spacemission_env.commands.shared import Json, RulesOption, Seed, emit_json

Name = Annotated[str, typer.Argument(help="Name of the game, as in `--game`.")]
Games = Annotated[int, typer.Option("--games", min=1, help="Random games of each number of players.")]


def check_game(
    name: Name, rules: RulesOption = None, games: Games = 20, seed: Seed = 0, as_json: Json = False
) -> None:
    """Check a game's arrays, moves, views, worlds, words, records, results, PettingZoo API and JIT.

    Prints one line per problem; the exit status is 1 if there is any. The game's own tests must check its
    rules (docs/add_a_game.md).
    """
    from spacemission_env.core.game_spec import find_game
    from spacemission_env.testing import check_game as look
    from spacemission_env.testing.check_game import CHECKS

    spec = find_game(name)
    spec.make_rules(rules)  # report wrong rules as such
    with redirect_stdout(StringIO()):  # PettingZoo's test prints to standard output
        problems = look(spec, rules=rules, games=games, seed=seed)
    if as_json:
        emit_json({"type": "check", "game": name, "checks": list(CHECKS), "problems": problems})
    elif problems:
        print("\n".join(problems))
    else:
        print(f"{name}: no problems: {', '.join(CHECKS)}")
    if problems:
        raise typer.Exit(1)
