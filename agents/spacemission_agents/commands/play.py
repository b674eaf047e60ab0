"""`spacemission play`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacemission_agents.commands.shared import OptionalAgents, Workers, has_people, split_agents, summary
from spacemission_env.commands.shared import (
    ComponentsOption,
    GameOption,
    Json,
    RecordOption,
    RulesOption,
    emit_json,
    print_table,
    progress,
)
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME

if TYPE_CHECKING:  # the compiled rules are loaded only when games are played
    from collections.abc import Callable

    import numpy as np

    from spacemission_agents.arena.games import Results
    from spacemission_env.core.game import Game
    from spacemission_env.core.game_spec import GameSpec

Games = Annotated[int, typer.Option("--games", min=1, help="Number of games.")]
Human = Annotated[
    bool,
    typer.Option("--human", help="Play yourself, here; what --agents does not say is asked."),
]
PlaySeed = Annotated[
    int | None,
    typer.Option(
        "--seed", min=0, max=2**63 - 1, help="Seed; default: 0, and with --human another for each game."
    ),
]


def play(
    agents: OptionalAgents = None,
    human: Human = False,
    games: Games = 1,
    game: GameOption = DEFAULT_GAME,
    rules: RulesOption = None,
    components: ComponentsOption = None,
    record: RecordOption = None,
    seed: PlaySeed = None,
    as_json: Json = False,
    workers: Workers = None,
) -> None:
    """Play games with these agents in these seats, seat 0 first; one game's story is told, if it has any.

    The first game is dealt from --seed itself, each other from the seed that follows. With --record the
    games are played in one process.

    With --human, or with "human" or "Name=human" among the agents, people play here: one game, whose record
    is always kept, in --record or in GAME_SEED.jsonl.
    """
    seats = None if agents is None else split_agents(agents)
    if human or (seats and has_people(seats)):
        from spacemission_agents.commands.people import play_with_people

        if games != 1 or as_json:
            raise AgentError(f"{'--json' if as_json else '--games'}: not where people play")
        play_with_people(seats, game, rules, components, record, seed)
    elif seats is None:
        raise typer.BadParameter("say who plays: --agents greedy,random, or --human to play yourself")
    else:
        _play_agents(seats, games, game, rules, components, record, seed or 0, as_json, workers)


def _play_agents(
    seats: list[str],
    games: int,
    game: str,
    rules: str | None,
    components: str | None,
    record: str | None,
    seed: int,
    as_json: bool,
    workers: int | None,
) -> None:
    from spacemission_agents.arena.report import header, play_report
    from spacemission_agents.arena.schedule import following_seeds
    from spacemission_env.core.game_spec import find_game

    spec = find_game(game)
    if not spec.min_players <= len(seats) <= spec.max_players:
        raise AgentError(f"agents: expected {spec.player_numbers}, one a seat, got {len(seats)}")
    different = list(dict.fromkeys(seats))
    made_rules, box = spec.make_rules(rules), spec.load_components(components)
    head = header("play", seed, len(seats), made_rules, box, spec)
    lineups = [[different.index(agent) for agent in seats]] * games
    seeds = following_seeds(seed, games)
    tell = games == 1 and not as_json and hasattr(spec.text, "end_words")
    told: list[str] = []
    ended = (lambda one: told.append(spec.text.end_words(one))) if tell else None
    results = _play(spec, different, lineups, seeds, made_rules, components, workers, record, ended)
    report = play_report(head, results, seats, spec)
    if as_json:
        emit_json(report)
        return
    _print_play(report)
    for words in filter(None, told):
        print(f"\n{words}")


def _play(
    game: GameSpec,
    agents: list[str],
    lineups: Any,
    seeds: np.ndarray,
    rules: Any,
    components: str | None,
    workers: int | None,
    record: str | None = None,
    ended: Callable[[Game], None] | None = None,
) -> Results:
    from contextlib import ExitStack

    from spacemission_agents.arena.games import play_games
    from spacemission_env.records.writer import RecordWriter

    with ExitStack() as stack:
        writer = stack.enter_context(RecordWriter(record)) if record is not None else None
        done = stack.enter_context(progress("playing", len(seeds)))
        return play_games(agents, lineups, seeds, rules, components, workers, done, writer, game, ended)


def _print_play(report: dict[str, Any]) -> None:
    from spacemission_agents.report.text import interval, percent, score_cells, score_names

    print(summary(report))
    scores = score_names(report["seats"])
    columns = ["seat", "agent", "win share", "95 % interval", *scores]
    rows = [
        [str(row["seat"]), row["agent"], percent(row["win_share"]), interval(row), *score_cells(row, scores)]
        for row in report["seats"]
    ]
    print_table(columns, rows, left=2)
