"""Defines `spacemission check-bot`, which explains what a bot does wrong."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from spacemission_env.commands import shared as common
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_env.core.heartbeat import heartbeat


def check_bot(
    agent: Annotated[str, typer.Argument(help="command:./my_bot, or module:Class.")],
    game: common.GameOption = DEFAULT_GAME,
    players: common.PlayersOfGame = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Number of games.")] = 10,
    seconds: Annotated[
        float, typer.Option("--seconds-per-decision", min=0.001, help="Time limit of a decision.")
    ] = 10.0,
    seed: common.Seed = 0,
    as_json: common.Json = False,
) -> None:
    """Play games with a bot that reads and writes lines, and explain its first fault.

    The bot sits in every seat in turn, against random moves. Then it plays its first game again in a new
    process and should choose the same moves.
    """
    from spacemission_agents.bots import check

    with heartbeat(lambda: f"checking {agent}"):
        found = check.check_bot(agent, game, players, games, seconds, seed)
    if as_json:
        common.emit_json({"type": "check-bot", "agent": agent, **asdict(found)})
    else:
        if found.name or found.wants:
            wants = ", ".join(found.wants) or "nothing but legal"
            print(f"name {found.name!r}, version {found.version!r}; wants {wants}")
        each = f", {1000 * found.seconds / found.decisions:.2f} ms each" if found.decisions else ""
        print(f"{found.games} games against random moves: {found.decisions} decisions{each}")
    for fault in found.faults:
        raise AgentError(f"agent {agent!r}: {fault}")
    if not as_json:
        print("no fault; it chose the same moves when it played its first game again")
