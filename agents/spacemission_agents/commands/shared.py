"""What the commands share: options, and a line on how games ended."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from spacemission_env.core.errors import AgentError

Agents = Annotated[
    str,
    typer.Option(
        "--agents", help="By comma: random, greedy, heuristic, ismcts:200, policy:PATH, module:Class."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes, at most; default: 2. Changes no result."),
]


def split_agents(agents: str) -> list[str]:
    """The specs of a comma-separated list; AgentError where one is empty."""
    specs = [spec.strip() for spec in agents.split(",")]
    if not all(specs):
        raise AgentError(f"agents: expected names separated by commas, not {agents!r}")
    return specs


def summary(report: dict[str, Any]) -> str:
    """How many games were played and how they ended, in one line."""
    games = f"{report['games']} game{'s' * (report['games'] != 1)}, {report['players']} players"
    forfeited = f", {report['forfeited']} forfeited" if report.get("forfeited") else ""
    return (
        f"{games}, seed {report['seed']}: {report['finished']} finished, {report['truncated']} stopped by "
        f"the round limit{forfeited}, {report['rounds']:.1f} rounds on average"
    )
