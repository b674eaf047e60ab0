"""Runs `spacemission check-game`: finds faults of a game without knowing its rules."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import Annotated

import typer

from spacemission_env.commands.shared import Json, RulesOption, Seed, emit_json
from spacemission_env.core.heartbeat import progress

Name = Annotated[str, typer.Argument(help="Name of the game, as in `--game`.")]
Games = Annotated[
    int | None,
    typer.Option("--games", min=1, help="Random games of each number of players; default: enough."),
]
Seconds = Annotated[
    float, typer.Option("--seconds", min=0.1, help="Time for these games; the rest is left out.")
]


def check_game(
    name: Name, rules: RulesOption = None, games: Games = None, seconds: Seconds = 60.0, seed: Seed = 0,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Check a game's arrays, moves, views, seats' knowledge, words, records, results, PettingZoo API and JIT.

    Prints one line per problem; the exit status is 1 if there is any. It stops when it has compared enough,
    or when the time is over, and says so. The game's own tests must check its rules (docs/add_a_game.md).
    """
    from spacemission_env.core.game_spec import find_game
    from spacemission_env.testing.check_game import CHECKS, examine

    spec = find_game(name)
    spec.make_rules(rules)  # so that wrong rules are reported as such
    with (
        progress(f"check {name}", 2 * seconds) as done,
        redirect_stdout(StringIO()),
    ):  # PettingZoo's test prints
        checked = examine(spec, rules=rules, games=games, seed=seed, seconds=seconds, done=done)
    compared = ", ".join(f"{n:,} {what}" for what, n in checked.counts.items())
    if as_json:
        data = {"type": "check", "game": name, "checks": list(CHECKS), "problems": checked.problems}
        emit_json({**data, "counts": checked.counts, "not_tried": checked.notes})
    else:
        lines = checked.problems or [f"{name}: no problems: {', '.join(CHECKS)}"]
        print("\n".join([*lines, f"compared: {compared}", *(f"not tried: {note}" for note in checked.notes)]))
    if checked.problems:
        raise typer.Exit(1)
