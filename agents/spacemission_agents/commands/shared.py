"""Defines options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from spacemission_agents.report.text import decimal
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.reading import Json

AGENTS_HELP = (
    "Separated by commas: random, policy:PATH, module:Class, or any that `spacemission agents` lists. "
    'label=AGENT names an agent; write a comma inside an agent as "a:B:1,2" or with a backslash.'
)
OptionalAgents = Annotated[str | None, typer.Option("--agents", help=AGENTS_HELP)]
HUMAN = "human"  # a person, in --agents of `play`
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Maximum of processes; default: 2. Changes no result.")
]


def split_agents(agents: str) -> list[str]:
    r"""The agents of a comma-separated list; AgentError if one is empty.

    A comma inside double quotes or after a backslash belongs to the agent: `"my:Bot:1,2",greedy` or
    `my:Bot:1\,2,greedy`. So does a quote after a backslash.
    """
    found, quoted, escaped = [""], False, False
    for i, letter in enumerate(agents):
        if escaped:
            escaped = False
        elif letter == "\\" and agents[i + 1 : i + 2] in (",", '"'):
            escaped = True
            continue
        elif letter == '"':
            quoted = not quoted
            continue
        elif letter == "," and not quoted:
            found.append("")
            continue
        found[-1] += letter
    if quoted:
        raise AgentError(f"agents: a quote is not closed in {shown(agents)}")
    specs = [spec.strip() for spec in found]
    if not all(specs):
        raise AgentError(f"agents: expected names separated by commas, not {shown(agents)}")
    return specs


def summary(report: Json) -> str:
    """One line: the number of games, and how they ended."""
    games = f"{report['games']} game{'s' * (report['games'] != 1)}, {report['players']} players"
    forfeited = f", {report['forfeited']} forfeited" if report.get("forfeited") else ""
    return (
        f"{games}, seed {report['seed']}: {report['finished']} finished, {report['truncated']} stopped by "
        f"the round limit{forfeited}, {decimal(report['rounds'])} rounds on average"
    )
