"""Defines `spacemission play`: games between agents, or a game with people at this terminal."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacemission_agents.commands.shared import (
    HUMAN,
    OptionalAgents,
    Transcripts,
    Workers,
    print_models,
    split_agents,
    summary,
    transcripts,
)
from spacemission_env.commands import shared as common
from spacemission_env.core.agents import agent_name, label_and_spec
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_env.core.heartbeat import progress
from spacemission_env.core.reading import Json

if TYPE_CHECKING:  # the compiled rules are loaded only when games are played
    from spacemission_env.core.game_spec import GameSpec
    from spacemission_env.terminal import Screen

Games = Annotated[int, typer.Option("--games", min=1, help="Number of games.")]
Human = Annotated[
    bool, typer.Option("--human", help="Play yourself at this terminal; asks for what --agents leaves out.")
]
PlaySeed = Annotated[
    int | None,
    typer.Option("--seed", min=0, max=2**63 - 1, help="Seed; default: 0, or a random seed with --human."),
]
USUAL = ("greedy", "random")  # the default opponent is the first of these that the game has
SEEDS = 10**9


def play(
    agents: OptionalAgents = None,
    human: Human = False,
    games: Games = 1,
    game: common.GameOption = DEFAULT_GAME,
    rules: common.RulesOption = None,
    components: common.ComponentsOption = None,
    record: common.RecordOption = None,
    seed: PlaySeed = None,
    as_json: common.Json = False,
    workers: Workers = None,
    told: Transcripts = None,
) -> None:
    """Play games; --agents lists the agent of each seat, seat 0 first.

    The first game has the seed --seed; each later game has the next seed. With --record all games are played
    in one process.

    With --human, or with "human" or "Name=human" in --agents, people play one game at this terminal. Its
    record is written to --record, or to GAME_SEED.jsonl.
    """
    seats = None if agents is None else split_agents(agents)
    if human or (seats and any(map(_is_human, seats))):
        if games != 1 or as_json:
            raise AgentError(f"{'--json' if as_json else '--games'}: not possible with people")
        with transcripts(told):
            _play_with_people(seats, game, rules, components, record, seed)
        return
    if seats is None:
        raise typer.BadParameter("missing: --agents greedy,random, or --human to play yourself")
    from spacemission_agents.arena.play import play_games
    from spacemission_agents.arena.report import header, play_report
    from spacemission_agents.arena.schedule import following_seeds
    from spacemission_env.core.game_spec import find_game
    from spacemission_env.records.writer import RecordWriter

    spec, seed = find_game(game), seed or 0
    _check_seats(spec, seats)
    different = list(dict.fromkeys(seats))
    lineups = [[different.index(agent) for agent in seats]] * games
    seeds = following_seeds(seed, games)
    made_rules, box = spec.make_rules(rules), spec.load_components(components)
    head = header("play", seed, len(seats), made_rules, box, spec)
    endings: list[str] = []
    ended = None
    if games == 1 and not as_json:
        ended = lambda one: endings.append(one.end_words())  # noqa: E731
    with ExitStack() as stack:
        writer = stack.enter_context(RecordWriter(record)) if record is not None else None
        done = stack.enter_context(progress("playing", games))
        models = stack.enter_context(transcripts(told))
        results = play_games(different, lineups, seeds, made_rules, box, workers, done, writer, spec, ended)
        rows = models()
    report = play_report(head, results, seats, spec) | ({"models": rows} if rows else {})
    if as_json:
        common.emit_json(report)
        return
    _print_play(report)
    print_models(rows)
    for ending in filter(None, endings):
        print(f"\n{ending}")


def _is_human(agent: str) -> bool:
    return label_and_spec(agent)[1] == HUMAN


def _check_seats(spec: GameSpec, seats: list[str]) -> None:
    if not spec.min_players <= len(seats) <= spec.max_players:
        raise AgentError(f"agents: expected {spec.player_numbers}, one per seat, got {len(seats)}")


def _print_play(report: Json) -> None:
    from spacemission_agents.report.text import interval, percent, score_cells, score_names

    print(summary(report))
    scores = score_names(report["seats"])
    columns = ["seat", "agent", "win share", "95 % interval", *scores]
    rows = [
        [str(row["seat"]), row["agent"], percent(row["win_share"]), interval(row), *score_cells(row, scores)]
        for row in report["seats"]
    ]
    common.print_table(columns, rows, left=2)


# ---------------------------------------------------------------- with people


def _play_with_people(
    agents: list[str] | None,
    game: str,
    rules: str | None,
    components: str | None,
    record: str | None,
    seed: int | None,
) -> None:
    """Play one game at this terminal; ask for what the options leave out."""
    from spacemission_agents.arena.play import check_labels
    from spacemission_env.core.agents import make_agent, prepare_agents
    from spacemission_env.core.game_spec import find_game
    from spacemission_env.records.writer import RecordWriter
    from spacemission_env.terminal import Screen, Table

    spec, screen = find_game(game), Screen()
    seats = _seats(spec, screen, agents)
    check_labels(seats)
    one = make_game(spec, len(seats), rules, components)
    minds = [None if _is_human(name) else make_agent(label_and_spec(name)[1], spec) for name in seats]
    prepare_agents([mind for mind in minds if mind is not None], one.info)
    one.reset(secrets.randbelow(SEEDS) if seed is None else seed)
    path = record or _free_name(f"{spec.name}_{one.seed}")
    names = [agent_name(name) for name in seats]
    screen.say(f"{spec.title}, seed {one.seed}. " + ", ".join(f"player_{j} {n}" for j, n in enumerate(names)))
    with RecordWriter(path) as writer:
        over = Table(one, names, minds, screen).play(writer)
    screen.say(f"{'' if over else 'Stopped. '}The game is in {path}: spacemission replay {path}")


def _seats(spec: GameSpec, screen: Screen, agents: list[str] | None) -> list[str]:
    """The agent of each seat, from --agents or by asking; if no person is named, ask for people's seats."""
    seats = _asked_agents(spec, screen) if agents is None else list(agents)
    _check_seats(spec, seats)
    if not any(map(_is_human, seats)):
        for seat in _asked_seats(screen, len(seats)):
            seats[seat] = HUMAN
    return seats


def _asked_agents(spec: GameSpec, screen: Screen) -> list[str]:
    from spacemission_env.core.agents import agent_names

    players = spec.table_players(None)
    if spec.min_players < spec.max_players:
        answer = screen.ask(f"How many players, {spec.player_numbers} [{players}]? ")
        players = spec.check_num_players(_whole("players", answer, players))
    known = agent_names(spec)
    usual = next(name for name in USUAL if name in known)
    answer = screen.ask(f"Who plays against you: {', '.join(known)} [{usual}]? ")
    return [answer or usual] * players


def _asked_seats(screen: Screen, players: int) -> list[int]:
    """Ask for the seats of people; Enter means seat 0."""
    answer = screen.ask(f"Which seats do people take, 0 to {players - 1}, separated by commas [0]? ")
    seats = [_whole("seats", part.strip(), 0) for part in (answer or "").split(",")]
    for seat in seats:
        if not 0 <= seat < players:
            raise AgentError(f"seats: expected 0 to {players - 1}, not {seat}")
    return seats


def _whole(what: str, answer: str | None, default: int) -> int:
    if not answer:
        return default
    if not answer.isdecimal() or len(answer) > 3:
        raise AgentError(f"{what}: expected a number, not {answer!r}")
    return int(answer)


def _free_name(stem: str) -> str:
    """A file name that does not exist yet."""
    names = chain([f"{stem}.jsonl"], (f"{stem}_{i}.jsonl" for i in count(2)))
    return next(name for name in names if not Path(name).exists())
