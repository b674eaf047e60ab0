"""Tournaments: results do not depend on workers or interruptions, and no agent can end one."""

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from spacemission_agents.arena import play, shares, workers
from spacemission_agents.arena import report as figures
from spacemission_agents.arena import tournament as running
from spacemission_agents.arena.play import Results, play_games
from spacemission_agents.arena.ratings import FOLDS, rate
from spacemission_agents.arena.results import FORFEITED, Games, ResultsError, ResultsFile, row_type
from spacemission_agents.arena.schedule import (
    Limits,
    Schedule,
    Sequential,
    Tournament,
    Unit,
    milestone_after,
    round_robin,
)
from spacemission_agents.arena.shares import Tally
from spacemission_agents.arena.tournament import Progress, RunOptions, TournamentRun, define, run_tournament
from spacemission_agents.arena.workers import Died, Done
from spacemission_agents.report import text
from spacemission_agents.report.page import html_page
from spacemission_env.cli import app
from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json
from tests.support import tournaments
from tests.support.bad_bots import BAD_BOTS, write_bots
from tests.support.command_line import run
from tests.support.tournaments import stored, untimed

SPEC = find_game("space_mission")
ranking = SPEC.ranks


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_bots(tmp_path / "bots", monkeypatch, bad_bots=BAD_BOTS)
    return tmp_path / "bots"


def played(
    agents: list[str], players: int, numbers: Any, seconds_per_decision: float = 60.0, **options: Any
) -> Games:
    """Play games in this process."""
    limits = Limits(seconds_per_decision=seconds_per_decision)
    return tournaments.played(define(agents, players, limits, **options), numbers)


# ---------------------------------------------------------------- schedule


@pytest.mark.parametrize(("agents", "players"), [(2, 2), (4, 3), (2, 4), (3, 5)])
def test_games_are_numbered_by_set_up_first(agents: int, players: int) -> None:
    schedule = Schedule(agents, players, 9)
    lineups, seeds = round_robin(agents, players, 3 * players, seed=9)
    numbers = np.arange(3 * schedule.per_set_up)
    mine = sorted(
        (tuple(lineup), schedule.seed_of(number))
        for number, lineup in zip(numbers.tolist(), schedule.lineups_of(numbers).tolist(), strict=True)
    )
    assert mine == sorted(zip(map(tuple, lineups.tolist()), seeds.tolist(), strict=True))
    by_table = [schedule.numbers(t, 0, 3).tolist() for t in range(len(schedule.tables))]
    assert sorted(number for some in by_table for number in some) == numbers.tolist()
    for t, some in enumerate(by_table):
        assert {tuple(sorted(lineup)) for lineup in schedule.lineups_of(np.array(some)).tolist()} == {
            tuple(sorted(schedule.tables[t]))
        }


def test_milestones_are_fixed() -> None:
    assert [milestone_after(k) for k in (0, 49, 50, 59, 60, 110)] == [50, 50, 60, 60, 70, 121]


# ---------------------------------------------------------------- figures


def as_results(rows: np.ndarray, lineups: np.ndarray) -> Results:
    """The `Results` of complete set-ups, (set-ups, games)."""
    flat = rows.ravel()
    return Results(
        np.tile(lineups, (len(rows), 1)), np.repeat(np.arange(len(rows)), len(lineups)),
        flat["scores"], flat["winners"], flat["decisions"],
        flat["rounds"].astype(np.int16), flat["ending"] == 1, ranking(flat["scores"]),
    )  # fmt: skip


def rows_of(schedule: Schedule, set_ups: int) -> np.ndarray:
    """Rows of a tournament without results, (set-ups, games)."""
    tournament = define([f"a{i}=random" for i in range(schedule.agents)], schedule.seats)
    rows = np.zeros((set_ups, schedule.per_set_up), row_type(tournament))
    rows["game"] = np.arange(rows.size).reshape(rows.shape)
    rows["seat"] = -1
    return rows


def made_up(schedule: Schedule, set_ups: int, seed: int) -> np.ndarray:
    """Random results with many ties."""
    rng = np.random.default_rng(seed)
    rows = rows_of(schedule, set_ups)
    scores = rng.integers(0, 4, rows["scores"].shape).astype(np.int16)
    scores[..., 1] //= 2
    rows["scores"] = scores
    ranks = ranking(scores)
    rows["winners"] = ranks == ranks.max(2, keepdims=True)
    rows["decisions"] = rng.integers(1, 80, rows["decisions"].shape)
    rows["rounds"] = rng.integers(1, 30, rows.shape)
    rows["ending"] = rng.integers(0, 2, rows.shape)
    return rows


def forfeit(rows: np.ndarray, seat: int) -> None:
    """Mark a game as forfeited by a seat."""
    rows["ending"], rows["seat"] = FORFEITED, seat
    rows["winners"] = np.arange(rows["winners"].shape[-1]) != seat


def ladder(results: Results, names: list[str]) -> list[Json]:
    """As `report.ladder`, from results."""
    rows = [
        {"agent": name, **figures.seat_figures(results, results.lineups == a)} for a, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: -(row["win_share"] or 0.0))


def share(points: np.ndarray, counts: np.ndarray, seeds: np.ndarray) -> Json:
    """The share of these points, of at most 1 a game, in the games that count."""
    return shares.share_with_interval(np.rint(120 * points).astype(np.int64), 120 * counts, seeds)


def pair_table(results: Results, names: list[str]) -> list[Json]:
    """As `report.pair_table`, from results."""
    ranks, lineups = results.ranking, results.lineups
    ahead = 0.5 + 0.5 * np.sign(ranks[:, :, None] - ranks[:, None, :])  # points of seat i against seat j
    rows = []
    for a, b in permutations(range(len(names)), 2):
        meet = (lineups == a)[:, :, None] & (lineups == b)[:, None, :]
        met = meet.sum((1, 2))
        points = (meet * ahead).sum((1, 2)) / np.maximum(met, 1)
        of_pair = share(points, met > 0, results.seeds)
        if of_pair["games"]:
            rows.append({"agent": names[a], "other": names[b], **of_pair})
    return rows


def table_figures(results: Results, names: list[str]) -> list[Json]:
    """As `report.table_figures`, from results."""
    tables, rows = np.sort(results.lineups, axis=1), []
    for table in np.unique(tables, axis=0):
        here = (tables == table).all(1)
        for a in dict.fromkeys(table.tolist()):
            points = (results.shares * (results.lineups == a)).sum(1)[here]
            figures = share(points, np.ones(len(points), bool), results.seeds[here])
            rows.append({"agent": names[a], "seats": int((table == a).sum()), **figures})
    return rows


@pytest.mark.parametrize(("agents", "players"), [(2, 2), (4, 3), (2, 4), (3, 5), (5, 5)])
def test_the_tally_has_the_figures_of_the_results(agents: int, players: int) -> None:
    schedule = Schedule(agents, players, 0)
    records = made_up(schedule, 130, seed=players)
    tally = Tally(records, schedule.lineups, SPEC)
    names = [f"a{i}" for i in range(agents)]
    results = as_results(records, schedule.lineups)
    for mine, theirs in [
        (figures.ladder(tally, names), ladder(results, names)),
        (figures.pair_table(tally, names), pair_table(results, names)),
        (figures.table_figures(tally, names), table_figures(results, names)),
    ]:
        for row, other in zip(mine, theirs, strict=True):
            for key, value in other.items():
                number = key == "scores" or isinstance(value, float)
                assert row[key] == (pytest.approx(value, abs=1e-9) if number else value), key
    reach = max(
        max(row["high"] - row["share"], row["share"] - row["low"])
        for row in figures.pair_table(tally, names) + figures.table_figures(tally, names)
    )
    assert tally.widest() == reach


@pytest.mark.parametrize(("agents", "players"), [(3, 3), (2, 4)])
def test_orderings_are_counted_by_fold(agents: int, players: int) -> None:
    schedule = Schedule(agents, players, 0)
    records = made_up(schedule, 90, seed=2)
    tally = Tally(records, schedule.lineups, SPEC)
    expected: dict[Any, np.ndarray] = {}
    for k in range(90):
        for g, lineup in enumerate(schedule.lineups.tolist()):
            ranks = ranking(records["scores"][k, g, :players])
            groups = [
                tuple(sorted(lineup[s] for s in range(players) if ranks[s] == rank))
                for rank in sorted(set(ranks.tolist()), reverse=True)
            ]
            expected.setdefault(tuple(groups), np.zeros(FOLDS))[k % FOLDS] += 1
    found = tally.orderings()
    assert set(found) == set(expected)
    assert all((found[key] == expected[key]).all() for key in expected)
    assert len(rate([f"a{i}" for i in range(agents)], found, players).rows) == agents


def test_who_forfeits_is_last_and_the_others_tie() -> None:
    schedule = Schedule(3, 3, 0)
    records = rows_of(schedule, 1)
    for g in range(3):
        loser = schedule.lineups[g].tolist().index(1)
        forfeit(records[0, g : g + 1], loser)
    tally = Tally(records, schedule.lineups, SPEC)
    rows = {row["agent"]: row for row in figures.ladder(tally, ["a", "b", "c"])}
    assert {name: row["win_share"] for name, row in rows.items()} == {"a": 0.5, "b": 0.0, "c": 0.5}
    pairs = {(row["agent"], row["other"]): row["share"] for row in figures.pair_table(tally, ["a", "b", "c"])}
    assert (pairs["a", "b"], pairs["a", "c"], pairs["b", "c"]) == (1.0, 0.5, 0.0)
    assert list(tally.orderings()) == [((0, 2), (1,))]
    assert rows["a"]["scores"]["total"] is None
    assert [rows[name]["forfeits"] for name in ("a", "b", "c")] == [0, 3, 0]


def test_the_first_hundred_forfeits_are_listed() -> None:
    tournament = define(["random", "b=random"], 2, Limits(240))
    rows = rows_of(tournament.schedule, 120).ravel()
    for game in range(240):
        forfeit(rows[game : game + 1], game % 2)
    with ResultsFile(tournament) as file:
        file.write(Games(rows, {game: ("failed", f"why {game}") for game in range(240)}))
        listed = figures.forfeits(tournament, file, 120)
        assert [row["game"] for row in listed] == list(range(100))
        assert (listed[7]["seat"], listed[7]["kind"], listed[7]["reason"]) == (1, "failed", "why 7")
        assert len(figures.forfeits(tournament, file, 3)) == 6


# ---------------------------------------------------------------- playing


@pytest.mark.slow
@pytest.mark.parametrize(("agents", "players"), [(2, 3), (3, 2)])
def test_games_are_those_of_the_arena(agents: int, players: int) -> None:
    names = ["greedy", "random", "spacemission_agents.games.space_mission.greedy:GreedyAgent"][:agents]
    schedule = Schedule(agents, players, 4)
    numbers = np.arange(4 * schedule.per_set_up)
    records = played(names, players, numbers, seed=4).rows
    seeds = [schedule.seed_of(number) for number in numbers.tolist()]
    results = play_games(names, schedule.lineups_of(numbers), seeds)
    assert (records["scores"] == results.scores).all()
    assert (records["winners"] == results.winners).all()
    assert (records["decisions"] == results.decisions).all()
    assert (records["rounds"] == results.rounds).all()
    assert (records["seat"] == -1).all()
    again = played(names, players, numbers[::3], seed=4).rows
    for name in ("scores", "winners", "decisions", "rounds", "ending"):
        assert (again[name] == records[name][::3]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("Failing", "failed with RuntimeError: out of ideas (bad_bots.py:"),
        ("Illegal", "action 10000"),
        ("Form", "act: expected 1 integer, got int64 of shape (1, 1)"),
    ],
)
def test_what_an_agent_does_wrong_costs_it_that_game(bots: Path, bot: str, words: str) -> None:
    names = ["greedy", f"bad_bots:{bot}"]
    numbers = np.arange(40)
    games = played(names, 2, numbers, seed=5)
    records, fine = games.rows, played(["greedy", "bad_bots:Fine"], 2, numbers, seed=5).rows
    lost = records["ending"] == 2
    assert lost.any()
    assert lost.all() == (bot == "Form")
    lineups = Schedule(2, 2, 5).lineups_of(numbers)
    assert (lineups[np.arange(40), records["seat"]][lost] == 1).all()
    assert sorted(games.why) == numbers[lost].tolist()
    assert all(words in text for _, text in games.why.values()), games.why
    assert (records["scores"][~lost] == fine["scores"][~lost]).all()  # the others' games go on as ever
    alone = [played(names, 2, [number], seed=5) for number in numbers[:6].tolist()]
    for number, one in enumerate(alone):
        assert one.why == {game: why for game, why in games.why.items() if game == number}
        for name in ("scores", "winners", "ending", "seat"):
            assert (one.rows[name] == records[name][number]).all()


class Ticking(Agent):
    """Takes 10 seconds for each decision by its own clock, and 1,000 more for its first call."""

    calls, now = 0, 0.0

    def act(self, decisions: Decisions) -> np.ndarray:
        Ticking.calls += 1
        Ticking.now += 10.0 * len(decisions) + 1000.0 * (Ticking.calls == 1)
        return decisions.masks.argmax(1)


def test_time_of_own_agents_is_counted_by_the_decision_without_the_first_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (play, running):
        monkeypatch.setattr(module, "is_bot", lambda *_: False)
    monkeypatch.setattr(play, "time", SimpleNamespace(perf_counter=lambda: Ticking.now))
    numbers, names = np.arange(16), [f"{__name__}:Ticking", "random"]
    rows = played(names, 2, numbers, rules="printed,max_rounds=2").rows
    assert (rows["ending"] != FORFEITED).all(), "a batch takes longer than a decision may"
    each = rows["seconds"] / rows["decisions"]
    assert each.max() == 10 and each.min() == 0
    games = played(names, 2, numbers, 9.0, rules="printed,max_rounds=2")
    assert (games.rows["ending"] == FORFEITED).all()
    assert set(games.why.values()) == {("too slow", "no answer within 9 s")}


# ---------------------------------------------------------------- tournaments


def test_workers_and_speed_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = define(["greedy", "random"], 3, Limits(30), seed=1)
    reports = []
    for count, unit in [(1, 1.0), (2, 0.002), (2, 0.05)]:
        monkeypatch.setattr(running, "UNIT_SECONDS", unit)
        reports.append(untimed(run_tournament(tournament, options=RunOptions(workers=count))))
    assert reports[0] == reports[1] == reports[2]
    assert reports[0]["games"] == 60
    assert reports[0]["stopped_by"] == "games"


def test_recorded_games_are_those_of_the_file(tmp_path: Path) -> None:
    tournament = define(["greedy", "random"], 3, Limits(12), seed=3, records=2)
    report = run_tournament(tournament, tmp_path, RunOptions(workers=1))
    with ResultsFile(tournament, tmp_path, resume=True) as file:
        by_number = {int(one["game"]): one for rows in file.read() for one in rows}
    for t, row in enumerate(report["records"]):
        lines = [json.loads(line) for line in (tmp_path / row["file"]).read_text().splitlines()]
        results = [line for line in lines if line["type"] == "result"]
        heads = [line for line in lines if line["type"] == "game"]
        numbers = tournament.schedule.numbers(t, 0, 2).tolist()
        assert len(results) == len(numbers) == row["games"]
        for number, head, result in zip(numbers, heads, results, strict=True):
            one = by_number[number]
            assert [list(scores.values()) for scores in result["scores"]] == one["scores"].tolist()
            assert head["seed"] == tournament.schedule.seed_of(number)
            lineup = tournament.schedule.lineups_of(np.array([number]))[0]
            assert head["agents"] == [tournament.agents[a] for a in lineup]
        checked = run("replay", str(tmp_path / row["file"]), "--check", "--json")
        assert json.loads(checked.stdout)["games"] == row["games"]
    before = stored(tmp_path)
    again = run_tournament(tournament, tmp_path, RunOptions(resume=True))
    assert again == report and stored(tmp_path) == before  # a finished one is only read


@pytest.mark.slow
def test_it_ends_when_every_share_is_known_well_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = ["random", "spacemission_agents.random_agent:RandomAgent"]

    def ended(games: int | None = None, workers: int = 1) -> Json:
        return tournaments.held(agents, 2, games, workers=workers, interval=9, seed=2)

    report = ended()
    assert report["stopped_by"] == "interval"
    rows = report["pairs"] + report["tables"]
    assert max(max(r["high"] - r["share"], r["share"] - r["low"]) for r in rows) <= 0.09
    milestones = [50]
    while milestones[-1] < report["set_ups"]:
        milestones.append(milestone_after(milestones[-1]))
    assert report["set_ups"] == milestones[-1]
    before = played(agents, 2, np.arange(2 * milestones[-2]), seed=2).rows.reshape(-1, 2)
    assert Tally(before, Schedule(2, 2, 2).lineups, SPEC).widest() > 0.09  # not yet at the milestone before
    monkeypatch.setattr(running, "UNIT_SECONDS", 0.01)
    assert untimed(ended(workers=2)) == untimed(report)
    few = ended(80)
    assert (few["stopped_by"], few["games"]) == ("games", 80)


def test_it_ends_when_its_time_is_up(tmp_path: Path) -> None:
    tournament = define(["greedy", "random"], 2, Limits(None), seed=2)
    report = run_tournament(tournament, tmp_path, RunOptions(workers=1, minutes=1e-5))
    assert report["stopped_by"] == "minutes"
    assert report["set_ups"] >= 1
    more = run_tournament(tournament, tmp_path, RunOptions(resume=True, workers=1, minutes=0.02))
    assert more["games"] > report["games"]


def test_forfeits_are_said_as_they_happen(bots: Path) -> None:
    command = ["arena", "--agents", "bad_bots:Form,greedy", "--games", "8"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    lines = done.stderr.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("forfeit: agent 'bad_bots:Form': game ")
    assert lines[0].endswith("act: expected 1 integer, got int64 of shape (1, 1) (ndarray)")
    assert lines[5] == "further forfeits are in the report"
    assert "8 forfeited, – rounds on average" in done.stdout


def test_a_mean_over_games_that_were_all_forfeited_is_none(bots: Path) -> None:
    report = tournaments.held(["bad_bots:Form", "greedy"], games=4)
    assert (report["games"], report["forfeited"], report["rounds"]) == (4, 4, None)
    for row in report["ladder"]:
        assert row["decisions"] is None and set(row["scores"].values()) == {None}
        assert set(text.score_cells(row, text.score_names([row]))) == {text.MISSING}
    assert "nan" not in json.dumps(report) and "Mean scores" in html_page(report)
    none = figures.seat_figures(play_games(["random"], [[0, 0]], [1]), np.zeros((1, 2), bool))
    assert none["decisions"] is None and set(none["scores"].values()) == {None}


# ---------------------------------------------------------------- refusals


def test_a_folder_keeps_one_tournament(tmp_path: Path) -> None:
    out, four = tmp_path / "out", Limits(4)
    tournament = define(["greedy", "random"], 2, four)
    run_tournament(tournament, out, RunOptions(workers=1))
    with pytest.raises(ResultsError, match="there is one already; resume it by --resume"):
        run_tournament(tournament, out)
    before = stored(out)
    begun: Json = {"agents": ["greedy", "random"], "players": 2, "limits": four}
    changes: list[tuple[Json, str]] = [
        ({"limits": replace(four, games=6)}, "games: it was started with 4, not 6"),
        ({"agents": ["random", "greedy"]}, "agents: it was started with .* not "),
        ({"players": 3}, "players: it was started with 2, not 3"),
        ({"seed": 1}, "seed: it was started with 0, not 1"),
        ({"rules": "yucata"}, "reserved tiles visible: it was started with false"),
        ({"limits": replace(four, interval=1)}, "interval: it was started with null, not 1"),
        ({"limits": replace(four, test=Sequential(0, 250))}, "test: it was started with null, not .*250"),
        ({"limits": replace(four, seconds_per_decision=1)}, "seconds per decision: .* 10.0, not 1"),
    ]
    for change, words in changes:
        with pytest.raises(ResultsError, match=words):
            run_tournament(define(**begun | change), out, RunOptions(resume=True))
    assert stored(out) == before


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    tournament = define(["greedy", "random"], 2, Limits(4))

    def watch(progress: Progress) -> None:
        with pytest.raises(ResultsError, match="another run uses it"):
            run_tournament(tournament, tmp_path / "out", RunOptions(resume=True))

    run_tournament(tournament, tmp_path / "out", RunOptions(workers=1), watch)


def test_new_weights_are_another_tournament(tmp_path: Path) -> None:
    from tests.support.models import write_model

    model = write_model(tmp_path / "model")
    tournament = define([model, "random"], 2, Limits(4))
    assert len(tournament.versions[model]) == 64
    run_tournament(tournament, tmp_path / "out", RunOptions(workers=1))
    changed = replace(tournament, versions={model: "0" * 64})
    with pytest.raises(ResultsError, match="versions: policy:"):
        run_tournament(changed, tmp_path / "out", RunOptions(resume=True))


# ---------------------------------------------------------------- what happens to processes


class _Dying:
    """An engine whose processes end."""

    unit: Unit | None = None
    workers = 1

    def room(self) -> bool:
        return self.unit is None

    def submit(self, unit: Unit) -> None:
        self.unit = unit

    def wait(self, seconds: float) -> list[Any]:
        unit, self.unit = self.unit, None
        return [Died(unit)] if unit else []

    def close(self) -> None:
        pass


def test_processes_that_end_again_and_again_end_the_tournament() -> None:
    tournament = define(["greedy", "random"])
    with ResultsFile(tournament) as file:
        run = TournamentRun(tournament, file, _Dying(), None, print)  # type: ignore[arg-type]
        with pytest.raises(AgentError, match="game 0: the process that plays it ended 3 times"):
            run.play()


class _Dropping(_Dying):
    """An engine whose first process ends after the first game of its unit."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament

    def wait(self, seconds: float) -> list[Any]:
        unit, self.unit = self.unit, None
        assert unit is not None
        if unit.numbers[0] == 0:
            return [tournaments.played(self.tournament, unit.numbers[:1]), Died(unit)]
        return [tournaments.played(self.tournament, unit.numbers), Done(unit, 1.0)]


def test_only_the_rest_of_a_unit_is_played_again() -> None:
    tournament = define(["random", "b=random"], 2, Limits(4), game="kuhn_poker")
    told: list[int] = []
    with ResultsFile(tournament) as file:
        run = TournamentRun(
            tournament,
            file,
            _Dropping(tournament),
            None,
            lambda step: told.append(step.new),  # type: ignore[arg-type]
        )
        run.play()
        assert run.stopped_by == "games" and sum(told) == sum(map(len, file.read())) == 4


def test_another_worker_goes_on_for_one_that_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament, start = define(["random", "b=random"], 2, Limits(40), game="kuhn_poker"), workers._start
    whole = run_tournament(tournament, options=RunOptions(workers=1))
    made: list[Any] = []
    monkeypatch.setattr(workers, "_start", lambda of: (made.append(start(of)), made[-1])[1])

    def kill(progress: Progress) -> None:
        if len(made) == 1:
            made[0].process.kill()

    assert untimed(run_tournament(tournament, None, RunOptions(workers=1), kill)) == untimed(whole)
    assert len(made) == 2
