"""`spacemission play`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacemission_agents.commands.shared import Agents, Workers, split_agents, summary
from spacemission_env.commands.shared import (
    ComponentsOption,
    Json,
    RecordOption,
    RulesOption,
    Seed,
    emit_json,
    print_table,
    progress,
)
from spacemission_env.core.errors import AgentError

if TYPE_CHECKING:  # the compiled rules are loaded only when games are played
    import numpy as np

    from spacemission_agents.arena.batch import Results

Games = Annotated[int, typer.Option("--games", min=1, help="Number of games.")]


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
    from spacemission_agents.arena.lineups import following_seeds
    from spacemission_agents.report.objects import header, play_report
    from spacemission_env.games.space_mission.components import load_components
    from spacemission_env.games.space_mission.options import make_rules

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

    from spacemission_agents.arena.games import play_games
    from spacemission_env.records.writer import RecordWriter

    with ExitStack() as stack:
        writer = stack.enter_context(RecordWriter(record)) if record is not None else None
        done = stack.enter_context(progress("playing", len(seeds)))
        return play_games(names, lineups, seeds, rules, components, workers, done, writer)


def _print_play(report: dict[str, Any]) -> None:
    from spacemission_agents.report.text import interval, percent, score_cells
    from spacemission_env.games.space_mission.engine.constants import SCORE_NAMES

    print(summary(report))
    columns = ["seat", "agent", "win share", "95 % interval", *SCORE_NAMES]
    rows = [
        [str(row["seat"]), row["agent"], percent(row["win_share"]), interval(row), *score_cells(row)]
        for row in report["seats"]
    ]
    print_table(columns, rows, left=2)
