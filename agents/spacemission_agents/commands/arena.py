"""Defines `spacemission arena`, which runs a tournament and prints or writes its report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from spacemission_agents.arena.schedule import ALPHA, BETA, SECONDS_PER_DECISION, Limits, Sequential
from spacemission_agents.arena.sequential import lines as test_lines
from spacemission_agents.commands.shared import (
    AGENTS_HELP,
    Transcripts,
    Workers,
    grouped,
    print_models,
    split_agents,
    summary,
    transcripts,
)
from spacemission_env.commands import shared as common
from spacemission_env.commands.shared import print_table, print_text
from spacemission_env.core.errors import AgentError, printable
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_env.core.heartbeat import heartbeat, progress
from spacemission_env.core.reading import Json

if TYPE_CHECKING:  # the compiled rules are loaded only when games are played
    from spacemission_agents.arena.schedule import Tournament
    from spacemission_agents.arena.tournament import Progress

GAMES = 100  # default number of games of each table
SHOWN_FORFEITS = 5


@dataclass(frozen=True)
class Table:
    """Who plays what."""

    agents: Annotated[str | None, typer.Option("--agents", help=AGENTS_HELP)] = None
    players: common.PlayersOfGame = None
    game: common.GameOption = DEFAULT_GAME
    rules: common.RulesOption = None
    components: common.ComponentsOption = None
    seed: common.Seed = 0


@dataclass(frozen=True)
class Stops:
    """When the tournament ends."""

    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            min=1,
            help=f"Maximum games per table, rounded up so that all seats rotate; default: {GAMES}, or no "
            "limit with --interval or --minutes.",
        ),
    ] = None
    interval: Annotated[
        float | None,
        typer.Option("--interval", help="Stop when all intervals are within ± this many percentage points."),
    ] = None
    minutes: Annotated[float | None, typer.Option("--minutes", help="Start no game after this time.")] = None
    seconds_per_decision: Annotated[
        float, typer.Option("--seconds-per-decision", help="An agent that takes longer forfeits the game.")
    ] = SECONDS_PER_DECISION


@dataclass(frozen=True)
class Test:
    """A sequential test of two agents."""

    test: Annotated[
        str | None,
        typer.Option(
            "--test", help="A,B instead of --agents: stop as soon as a test decides which is stronger."
        ),
    ] = None
    elo0: Annotated[
        float, typer.Option("--elo0", help="First hypothesis of --test: A is stronger by this Elo.")
    ] = 0.0
    elo1: Annotated[
        float, typer.Option("--elo1", help="Second hypothesis of --test: A is stronger by this Elo.")
    ] = 10.0
    alpha: Annotated[
        float, typer.Option("--alpha", help="Probability of accepting elo1 if elo0 is true.")
    ] = ALPHA
    beta: Annotated[float, typer.Option("--beta", help="Probability of accepting elo0 if elo1 is true.")] = (
        BETA
    )
    max_games: Annotated[
        int | None,
        typer.Option("--max-games", min=1, help="Maximum games per table for --test; default: no limit."),
    ] = None


@dataclass(frozen=True)
class Place:
    """Where games are played and stored."""

    out: Annotated[
        str | None, typer.Option("--out", help="Folder for arena.json, report.html and the games played.")
    ] = None
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the tournament in --out, if there is one.")
    ] = False
    engine: Annotated[str, typer.Option("--engine", help="local, or ray (pip extra).")] = "local"
    ray_address: Annotated[
        str | None,
        typer.Option("--ray-address", help="Address of a Ray cluster; default: start one on this machine."),
    ] = None
    workers: Workers = None


@dataclass(frozen=True)
class Output:
    """What is shown and kept besides the results."""

    records: Annotated[
        int, typer.Option("--records", min=0, help="Record the games of the first K set-ups of each table.")
    ] = 0
    transcripts: Transcripts = None
    picture: Annotated[
        list[str] | None, typer.Option("--picture", help="PNG for the report, such as a learning curve.")
    ] = None
    as_json: common.Json = False


@grouped
def arena(table: Table, stops: Stops, test: Test, place: Place, output: Output) -> None:
    """Play a round robin with rotated seats; report win shares, intervals, ratings and pairwise results.

    Each combination of agents plays at a table. With fewer agents than players, each pair of agents has two
    tables: at one, the first agent has one seat and the second all others; at the other, the reverse. All
    tables and all rotations of the seats play the same deals. An agent that fails, plays an illegal move or
    takes too long forfeits the game. Intervals are 95 %. Each game is stored in --out when it ends, so
    --resume continues a stopped tournament to the same result.
    """
    from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
    from spacemission_agents.report.page import prepare_folder, read_pictures, write_report

    agents, limits = _asked(table, stops, test)
    with heartbeat(lambda: "making the agents"):
        tournament = define(
            split_agents(agents),
            table.players,
            limits,
            seed=table.seed,
            rules=table.rules,
            components=table.components,
            records=output.records,
            game=table.game,
        )
    out = place.out
    if out is not None:
        prepare_folder(out)  # report an error before the games begin
    pictures = read_pictures(output.picture or [])
    options = RunOptions(place.resume, place.engine, place.ray_address, place.workers, stops.minutes)
    told = output.transcripts or (None if out is None else f"{out}/transcripts")
    with transcripts(told) as models, _watching(tournament, models) as watch:
        report = run_tournament(tournament, out, options, watch)
        report |= {"models": rows} if (rows := models()) else {}
    if out is not None:
        write_report(out, report, pictures)
    if output.as_json:
        common.emit_json(report)
    else:
        _print_arena(report, out)


def _asked(table: Table, stops: Stops, test: Test) -> tuple[str, Limits]:
    """The agents and the limits that the options ask for; AgentError if they contradict each other."""
    agents, games, sequential = table.agents, stops.games, None
    if test.test is not None:
        if agents is not None:
            raise AgentError("--test: names the agents; leave out --agents")
        if games is not None:
            raise AgentError("--test: the test decides when to stop; limit it by --max-games, not --games")
        sequential = Sequential(test.elo0, test.elo1, test.alpha, test.beta)
        agents, games = test.test, test.max_games
    elif test.max_games is not None:
        raise AgentError("--max-games: needs --test; without --test use --games")
    elif games is None and stops.interval is None and stops.minutes is None:
        games = GAMES
    if agents is None:
        raise typer.BadParameter("missing; or use --test with two agents", param_hint="--agents")
    return agents, Limits(games, stops.interval, sequential, float(stops.seconds_per_decision))


@contextmanager
def _watching(
    tournament: Tournament, models: Callable[[], list[Json]]
) -> Iterator[Callable[[Progress], None]]:
    """Show progress on standard error: a bar on a terminal, and the first forfeits.

    `models`: the rows of language models, whose answers come in long before a game has ended.
    """
    reported, before = 0, sum(row["answers"] for row in models())

    def playing() -> str:
        new = sum(row["answers"] for row in models()) - before
        return f"playing, {new:,} answers of models" if new else "playing"

    set_ups = tournament.set_ups
    total = None if set_ups is None else set_ups * tournament.schedule.per_set_up
    with progress(playing, total) as done:

        def watch(step: Progress) -> None:
            nonlocal reported
            done(step.new)
            for number, seat, why in step.forfeits:
                reported += 1
                if reported <= SHOWN_FORFEITS:
                    print(_forfeit_line(tournament, number, seat, why), file=sys.stderr)
                elif reported == SHOWN_FORFEITS + 1:
                    print("further forfeits are in the report", file=sys.stderr)

        yield watch


def _forfeit_line(tournament: Tournament, number: int, seat: int, why: str) -> str:
    agent = tournament.names[tournament.schedule.agent_at(number, seat)]
    seed = tournament.schedule.seed_of(number)
    return f"forfeit: agent {agent!r}: game {number} (seed {seed}): {printable(why)}"


def _print_arena(report: Json, out: str | None) -> None:
    from spacemission_agents.report import text

    if "conclusion" in report:
        print_text(f"{report['conclusion']}.")
    print(summary(report))
    if report["stopped_by"] != "games":
        print(f"stopped by --{report['stopped_by']} after {report['set_ups']} set-ups")
    for line in test_lines(report["test"]) if "test" in report else ():
        print_text(line)
    rows = report["ladder"]
    print_table(text.LADDER_HEAD, [text.ladder_cells(row) for row in rows])
    print(f"equal players have {text.percent(report['equal_share'])}")
    print_table(text.RATINGS_HEAD, [text.ratings_cells(row) for row in report["ratings"]])
    print_text(report["ratings_note"])
    print_table(
        ("agent", "finishes ahead of", "in", "95 % interval", "games"),
        [
            [row["agent"], row["other"], text.percent(row["share"]), text.interval(row), str(row["games"])]
            for row in report["pairs"]
        ],
        left=2,
    )
    if report["players"] > 2:
        print_table(text.TABLES_HEAD, [text.table_cells(row) for row in report["tables"]], left=2)
    scores = text.score_names(rows)
    print_table(("mean scores", *scores), [[row["agent"], *text.score_cells(row, scores)] for row in rows])
    print_models(report.get("models") or ())
    if report["forfeits_total"]:
        print_table(("forfeits", "games"), [[row["agent"], str(row["forfeits"])] for row in rows])
    if out is not None:
        print(f"written: {out}/arena.json and {out}/report.html")
        for entry in report["records"]:
            print(f"records: {out}/{entry['file']} ({entry['games']} games)")
