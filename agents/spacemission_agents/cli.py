"""`spacemission play`, and what it shares with `spacemission arena` (cli_arena.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacemission_env.cli_common import (
    ComponentsOption,
    Json,
    RecordOption,
    RulesOption,
    Seed,
    emit_json,
    print_table,
    progress,
)
from spacemission_env.errors import AgentError

if TYPE_CHECKING:  # the compiled rules are loaded only when games are played
    import numpy as np

    from spacemission_agents.batch import Results

Agents = Annotated[
    str,
    typer.Option(
        "--agents", help="By comma: random, greedy, heuristic, ismcts:200, policy:PATH, module:Class."
    ),
]
Games = Annotated[int, typer.Option("--games", min=1, help="Number of games.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes, at most; default: 2. Changes no result."),
]


def play(
    agents: Agents,
    games: Games = 1,
    rules: RulesOption = "printed",
    components: ComponentsOption = None,
    record: RecordOption = None,
    seed: Seed = 0,
    as_json: Json = False,
    workers: Workers = None,
) -> None:
    """Play games with these agents in these seats, seat 0 first.

    The first game is dealt from --seed itself, each other from the seed that follows. With --record the
    games are played in one process.
    """
    from spacemission_agents.lineups import following_seeds
    from spacemission_agents.report import header, play_report
    from spacemission_env.components import load_components
    from spacemission_env.options import make_rules

    seats = split_agents(agents)
    if not 2 <= len(seats) <= 5:
        raise AgentError(f"agents: expected 2 to 5, one a seat, got {len(seats)}")
    names = list(dict.fromkeys(seats))
    head = header("play", seed, len(seats), make_rules(rules), load_components(components))
    lineups = [[names.index(name) for name in seats]] * games
    results = _play(names, lineups, following_seeds(seed, games), rules, components, workers, record)
    report = play_report(head, results, seats)
    if as_json:
        emit_json(report)
    else:
        _print_play(report)


def split_agents(agents: str) -> list[str]:
    """The specs of a comma-separated list; AgentError where one is empty."""
    specs = [spec.strip() for spec in agents.split(",")]
    if not all(specs):
        raise AgentError(f"agents: expected names separated by commas, not {agents!r}")
    return specs


def _play(
    names: list[str],
    lineups: Any,
    seeds: np.ndarray,
    rules: str,
    components: str | None,
    workers: int | None,
    record: str | None = None,
) -> Results:
    from contextlib import ExitStack

    from spacemission_agents.arena import play_games
    from spacemission_env.records import RecordWriter

    with ExitStack() as stack:
        writer = stack.enter_context(RecordWriter(record)) if record is not None else None
        done = stack.enter_context(progress("playing", len(seeds)))
        return play_games(names, lineups, seeds, rules, components, workers, done, writer)


def summary(report: dict[str, Any]) -> str:
    """How many games were played and how they ended, in one line."""
    games = f"{report['games']} game{'s' * (report['games'] != 1)}, {report['players']} players"
    forfeited = f", {report['forfeited']} forfeited" if report.get("forfeited") else ""
    return (
        f"{games}, seed {report['seed']}: {report['finished']} finished, {report['truncated']} stopped by "
        f"the round limit{forfeited}, {report['rounds']:.1f} rounds on average"
    )


def _print_play(report: dict[str, Any]) -> None:
    from spacemission_agents.report import interval, percent, score_cells
    from spacemission_env.engine.constants import SCORE_NAMES

    print(summary(report))
    columns = ["seat", "agent", "win share", "95 % interval", *SCORE_NAMES]
    rows = [
        [str(row["seat"]), row["agent"], percent(row["win_share"]), interval(row), *score_cells(row)]
        for row in report["seats"]
    ]
    print_table(columns, rows, left=2)
