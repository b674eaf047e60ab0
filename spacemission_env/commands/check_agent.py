"""Runs `spacemission check-agent`: finds faults of an agent."""

from __future__ import annotations

from typing import Annotated

import typer

from spacemission_env.commands.shared import GameOption, Json, RulesOption, Seed, emit_json
from spacemission_env.core.game_spec import DEFAULT_GAME

Name = Annotated[str, typer.Argument(help="random, greedy, policy:PATH, module:Class, command:…")]
Players = Annotated[int | None, typer.Option("--players", help="Number of players; default: each possible.")]
Positions = Annotated[
    int, typer.Option("--positions", min=1, help="In how many positions it is asked, for each number.")
]


def check_agent(
    agent: Name, game: GameOption = DEFAULT_GAME, players: Players = None, rules: RulesOption = None,
    positions: Positions = 200, seed: Seed = 0, as_json: Json = False,
) -> None:  # fmt: skip
    """Check that an agent's moves are legal and depend only on its seat's knowledge and its random key.

    Prints one line per problem; the exit status is 1 if there is any. `check-bot` checks the messages of a
    program that plays by lines of text.
    """
    from spacemission_env.testing.check_agent import check_agent

    options = {"players": players, "rules": rules, "positions": positions, "seed": seed}
    problems = check_agent(agent, game, **options)  # type: ignore[arg-type]
    if as_json:
        emit_json({"type": "check-agent", "agent": agent, "game": game, **options, "problems": problems})
    else:
        fine = f"{agent}: no problems in {positions} positions for each number of players"
        print("\n".join(problems or [fine]))
    if problems:
        raise typer.Exit(1)
