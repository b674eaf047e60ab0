"""Tournaments: results do not depend on workers or interruptions, and no agent can end one."""

from __future__ import annotations

import json
import shutil
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba.core import event
from typer.testing import CliRunner

from spacemission_agents.arena import asking, player, shares, workers
from spacemission_agents.arena import journal as journal_module
from spacemission_agents.arena import report as figures
from spacemission_agents.arena import run_tournament as running
from spacemission_agents.arena.folder import tournament_folder
from spacemission_agents.arena.games import Results, play_games
from spacemission_agents.arena.journal import (
    JournalError,
    JournalWriter,
    empty_record,
    forfeit_record,
    record_of,
    with_checksums,
)
from spacemission_agents.arena.ratings import FOLDS, rate
from spacemission_agents.arena.run_tournament import Progress, TournamentRun, run_tournament
from spacemission_agents.arena.schedule import Schedule, milestone_after, round_robin
from spacemission_agents.arena.sequential import Sequential
from spacemission_agents.arena.tally import Tally
from spacemission_agents.arena.tournament import define
from spacemission_agents.arena.workers import Died, Unit
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
from tests.support.tournaments import untimed

SPEC = find_game("space_mission")
RECORD = record_of(SPEC)
ranking = SPEC.ranks


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_bots(tmp_path / "bots", monkeypatch, bad_bots=BAD_BOTS)
    return tmp_path / "bots"


def played(
    agents: list[str], players: int, numbers: Any, alone: bool = False, **options: object
) -> np.ndarray:
    """Play games in this process."""
    return tournaments.played(define(agents, players, **options), numbers, alone)


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


def as_results(records: np.ndarray, lineups: np.ndarray) -> Results:
    """The `Results` of complete set-ups, (set-ups, games)."""
    seats = lineups.shape[1]
    flat = records.ravel()
    return Results(
        np.tile(lineups, (len(records), 1)), np.repeat(np.arange(len(records)), len(lineups)),
        flat["scores"][:, :seats], flat["winners"][:, :seats].astype(bool), flat["decisions"][:, :seats],
        flat["rounds"].astype(np.int16), flat["ending"] == 1, ranking(flat["scores"][:, :seats]),
    )  # fmt: skip


def made_up(schedule: Schedule, set_ups: int, seed: int) -> np.ndarray:
    """Random results with many ties."""
    rng = np.random.default_rng(seed)
    seats = schedule.seats
    records = np.zeros((set_ups, schedule.per_set_up), RECORD)
    records["game"] = np.arange(records.size).reshape(records.shape)
    records["seat"] = -1
    scores = rng.integers(0, 4, (*records.shape, seats, 9)).astype(np.int16)
    scores[..., 1] //= 2
    records["scores"][..., :seats, :] = scores
    ranks = ranking(scores)
    records["winners"][..., :seats] = ranks == ranks.max(2, keepdims=True)
    records["decisions"][..., :seats] = rng.integers(1, 80, (*records.shape, seats))
    records["rounds"] = rng.integers(1, 30, records.shape)
    records["ending"] = rng.integers(0, 2, records.shape)
    return records


def table_figures(results: Results, names: list[str]) -> list[Json]:
    """As `report.table_figures`, from results."""
    tables, rows = np.sort(results.lineups, axis=1), []
    for table in np.unique(tables, axis=0):
        here = (tables == table).all(1)
        for a in dict.fromkeys(table.tolist()):
            points = (results.shares * (results.lineups == a)).sum(1)[here]
            figures = shares.share_with_interval(points, np.ones(len(points)), results.seeds[here])
            rows.append({"agent": names[a], "seats": int((table == a).sum()), **figures})
    return rows


@pytest.mark.parametrize(("agents", "players"), [(2, 2), (4, 3), (2, 4), (3, 5), (5, 5)])
def test_the_tally_has_the_figures_of_the_results(agents: int, players: int) -> None:
    schedule = Schedule(agents, players, 0)
    records = made_up(schedule, 130, seed=players)
    tally = Tally(schedule.lineups, agents, SPEC)
    for start, end in [(0, 1), (1, 90), (90, 130)]:
        tally.fold(records[start:end])
    names = [f"a{i}" for i in range(agents)]
    results = as_results(records, schedule.lineups)
    for mine, theirs in [
        (figures.ladder(tally, names), shares.ladder(results, names)),
        (figures.pair_table(tally, names), shares.pair_table(results, names)),
        (figures.table_figures(tally, names), table_figures(results, names)),
        ([figures.tournament_endings(tally)], [shares.endings(results)]),
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


def test_the_portions_in_which_set_ups_come_change_nothing() -> None:
    schedule = Schedule(4, 3, 0)
    records = made_up(schedule, 100, seed=1)
    whole, by_one = Tally(schedule.lineups, 4, SPEC), Tally(schedule.lineups, 4, SPEC)
    whole.fold(records)
    for k in range(100):
        by_one.fold(records[k : k + 1])
    for name in ("played", "scores", "decisions", "rounds", "truncated", "set_ups"):
        assert np.array_equal(getattr(whole, name), getattr(by_one, name)), name
    for mine, others in [(whole.by_agent, by_one.by_agent), (whole.by_pair, by_one.by_pair)]:
        assert (mine.x == others.x).all() and (mine.xx == others.xx).all()
    assert {k: v.tolist() for k, v in whole.orderings().items()} == {
        k: v.tolist() for k, v in by_one.orderings().items()
    }


@pytest.mark.parametrize(("agents", "players"), [(3, 3), (2, 4)])
def test_orderings_are_counted_by_fold(agents: int, players: int) -> None:
    schedule = Schedule(agents, players, 0)
    records = made_up(schedule, 90, seed=2)
    tally = Tally(schedule.lineups, agents, SPEC)
    tally.fold(records[:33])
    tally.fold(records[33:])
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
    records = made_up(schedule, 1, seed=3)
    for g in range(3):
        loser = schedule.lineups[g].tolist().index(1)
        records[0, g] = forfeit_record(empty_record(g, RECORD), loser, 3, 1, "words")[0]
    tally = Tally(schedule.lineups, 3, SPEC)
    tally.fold(records)
    assert {row["agent"]: row["win_share"] for row in figures.ladder(tally, ["a", "b", "c"])} == {
        "a": 0.5, "b": 0.0, "c": 0.5,
    }  # fmt: skip
    pairs = {(row["agent"], row["other"]): row["share"] for row in figures.pair_table(tally, ["a", "b", "c"])}
    assert (pairs["a", "b"], pairs["a", "c"], pairs["b", "c"]) == (1.0, 0.5, 0.0)
    assert list(tally.orderings()) == [((0, 2), (1,))]
    assert tally.played.tolist() == [0, 0, 0]  # no scores
    assert tally.forfeited.tolist() == [0, 3, 0]
    assert [(number, words) for number, *_, words in tally.forfeits] == [(n, "words") for n in range(3)]


def test_the_first_hundred_forfeits_are_listed_and_all_are_counted() -> None:
    forfeits = [forfeit_record(empty_record(n, RECORD), n % 2, 2, 1, "x") for n in range(240)]
    tally = Tally(Schedule(2, 2, 0).lineups, 2, SPEC)
    records = np.concatenate(forfeits).reshape(120, 2)
    tally.fold(records[:10])
    tally.fold(records[10:])
    assert [number for number, *_ in tally.forfeits] == list(range(100))
    assert tally.forfeited.sum() == 240


# ---------------------------------------------------------------- playing


@pytest.mark.slow
@pytest.mark.parametrize(("agents", "players"), [(2, 3), (3, 2)])
def test_games_are_those_of_the_arena(agents: int, players: int) -> None:
    names = ["greedy", "random", "spacemission_agents.games.space_mission.greedy:GreedyAgent"][:agents]
    schedule = Schedule(agents, players, 4)
    numbers = np.arange(4 * schedule.per_set_up)
    records = played(names, players, numbers, seed=4)
    seeds = [schedule.seed_of(number) for number in numbers.tolist()]
    results = play_games(names, schedule.lineups_of(numbers), seeds)
    assert (records["scores"][:, :players] == results.scores).all()
    assert (records["winners"][:, :players] == results.winners).all()
    assert (records["decisions"][:, :players] == results.decisions).all()
    assert (records["rounds"] == results.rounds).all()
    assert (records["seat"] == -1).all()
    again = played(names, players, numbers[::3], alone=True, seed=4)
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
    records = played(names, 2, numbers, seed=5)
    fine = played(["greedy", "bad_bots:Fine"], 2, numbers, seed=5)
    lost = records["ending"] == 2
    assert lost.any()
    assert lost.all() == (bot == "Form")
    lineups = Schedule(2, 2, 5).lineups_of(numbers)
    assert (lineups[np.arange(40), records["seat"]][lost] == 1).all()
    assert all(words in text.decode() for text in records["text"][lost]), records["text"][lost]
    assert (records["scores"][~lost] == fine["scores"][~lost]).all()  # the others' games go on as ever
    alone = played(names, 2, numbers, alone=True, seed=5)
    for name in ("scores", "winners", "ending", "seat", "text"):
        assert (alone[name] == records[name]).all()


class Ticking(Agent):
    """Takes 10 seconds for each decision by its own clock, and 1,000 to compile at its third answer."""

    calls, now = 0, 0.0

    def act(self, decisions: Decisions) -> np.ndarray:
        Ticking.calls += 1
        Ticking.now += 10.0 * len(decisions)
        if Ticking.calls == 3:
            with event.trigger_event("numba:compile"):
                Ticking.now += 1000.0
        return decisions.masks.argmax(1)


def test_time_is_counted_by_the_decision_and_without_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "plays_in_process", lambda *_: True)
    monkeypatch.setattr(asking, "time", SimpleNamespace(perf_counter=lambda: Ticking.now))
    numbers, names = np.arange(16), [f"{__name__}:Ticking", "random"]
    records = played(names, 2, numbers, seconds_per_decision=60, rules="printed,max_rounds=2")
    assert (records["ending"] != 2).all(), "a batch takes longer than a decision may"
    assert set(np.unique(records["seconds"][:, :2] / records["decisions"][:, :2])) == {0, 10}


COMPILED = """
import time
from numba.core import event
from spacemission_env.core.agents import Agent

class Compiled(Agent):
    calls = 0

    def act(self, decisions):
        self.calls += 1
        if self.calls == 5:
            with event.trigger_event('numba:compile'):
                time.sleep(6)
        return decisions.masks.argmax(1)
"""


@pytest.mark.slow
def test_compiling_in_a_process_of_its_own_is_not_thinking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bots(tmp_path, monkeypatch, compiled_bot=COMPILED)
    records = played(["compiled_bot:Compiled", "random"], 2, [0], seconds_per_decision=5)
    assert records["ending"][0] != 2


# ---------------------------------------------------------------- tournaments


def test_workers_and_speed_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = define(["greedy", "random"], 3, 30, seed=1)
    reports = []
    for count, unit in [(1, 1.0), (2, 0.002), (2, 0.05)]:
        monkeypatch.setattr(running, "UNIT_SECONDS", unit)
        monkeypatch.setattr(workers, "ALONE_SECONDS", 0.0)
        reports.append(untimed(run_tournament(tournament, workers=count)))
    assert reports[0] == reports[1] == reports[2]
    assert reports[0]["games"] == 60
    assert reports[0]["stopped_by"] == "games"


def test_recorded_games_are_those_of_the_journal(tmp_path: Path) -> None:
    tournament = define(["greedy", "random"], 3, 12, seed=3, records=2)
    report = run_tournament(tournament, tmp_path, workers=1)
    journal = np.fromfile(tmp_path / "games.bin", RECORD)
    by_number = {int(one["game"]): one for one in journal}
    for t, row in enumerate(report["records"]):
        lines = [json.loads(line) for line in (tmp_path / row["file"]).read_text().splitlines()]
        results = [line for line in lines if line["type"] == "result"]
        heads = [line for line in lines if line["type"] == "game"]
        numbers = tournament.schedule.numbers(t, 0, 2).tolist()
        assert len(results) == len(numbers) == row["games"]
        for number, head, result in zip(numbers, heads, results, strict=True):
            one = by_number[number]
            assert [list(scores.values()) for scores in result["scores"]] == one["scores"][:3].tolist()
            assert head["seed"] == tournament.schedule.seed_of(number)
            lineup = tournament.schedule.lineups_of(np.array([number]))[0]
            assert head["agents"] == [tournament.agents[a] for a in lineup]
        checked = run("replay", str(tmp_path / row["file"]), "--check", "--json")
        assert json.loads(checked.stdout)["games"] == row["games"]
    before = (tmp_path / "games.bin").read_bytes()
    assert run_tournament(tournament, tmp_path, resume=True) == report  # a finished one is only read
    assert (tmp_path / "games.bin").read_bytes() == before


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
    tally = Tally(Schedule(2, 2, 2).lineups, 2, SPEC)
    tally.fold(played(agents, 2, np.arange(2 * milestones[-2]), seed=2).reshape(-1, 2))
    assert tally.widest() > 0.09  # not yet at the milestone before
    monkeypatch.setattr(running, "UNIT_SECONDS", 0.01)
    monkeypatch.setattr(workers, "ALONE_SECONDS", 0.0)
    assert untimed(ended(workers=2)) == untimed(report)
    few = ended(80)
    assert (few["stopped_by"], few["games"]) == ("games", 80)


def test_it_ends_when_its_time_is_up(tmp_path: Path) -> None:
    tournament = define(["greedy", "random"], 2, None, seed=2)
    report = run_tournament(tournament, tmp_path, workers=1, minutes=1e-5)
    assert report["stopped_by"] == "minutes"
    assert report["set_ups"] >= 1
    more = run_tournament(tournament, tmp_path, resume=True, workers=1, minutes=0.02)
    assert more["games"] > report["games"]


@pytest.mark.slow
def test_memory_of_a_run_does_not_grow_with_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "READ_AT_ONCE", 1024)
    agents = ["random", "spacemission_agents.random_agent:RandomAgent"]

    def peak(games: int) -> int:
        out = tmp_path / str(games)
        tournament = define(agents, 2, games)
        records = made_up(tournament.schedule, games // 2, seed=5)
        with tournament_folder(out, tournament):
            writer = JournalWriter(out / "games.bin")
            writer.append(with_checksums(records.ravel()))
            writer.close()
        tracemalloc.start()
        try:
            assert run_tournament(tournament, out, resume=True)["games"] == games
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2000)  # allocate what is made once
    assert peak(40_000) < peak(4000) + 500_000  # the journal itself has 10 MB


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
    tournament = define(["bad_bots:Form", "greedy"], games=4)
    report = run_tournament(tournament, workers=1)
    assert (report["games"], report["forfeited"], report["rounds"]) == (4, 4, None)
    for row in report["ladder"]:
        assert row["decisions"] is None and set(row["scores"].values()) == {None}
        assert set(text.score_cells(row, text.score_names([row]))) == {text.MISSING}
    assert "nan" not in json.dumps(report) and "Mean scores" in html_page(report)
    none = shares.seat_figures(play_games(["random"], [[0, 0]], [1]), np.zeros((1, 2), bool))
    assert none["decisions"] is None and set(none["scores"].values()) == {None}


# ---------------------------------------------------------------- refusals


def test_a_folder_keeps_one_tournament(tmp_path: Path) -> None:
    out = tmp_path / "out"
    tournament = define(["greedy", "random"], 2, 4)
    run_tournament(tournament, out, workers=1)
    with pytest.raises(JournalError, match="there is one already; resume it by --resume"):
        run_tournament(tournament, out)
    begun: Json = {"agents": ["greedy", "random"], "players": 2, "games": 4}
    changes: list[tuple[Json, str]] = [
        ({"games": 6}, "games: it was started with 4, not 6"),
        ({"agents": ["random", "greedy"]}, "agents: it was started with .* not "),
        ({"players": 3}, "players: it was started with 2, not 3"),
        ({"seed": 1}, "seed: it was started with 0, not 1"),
        ({"rules": "yucata"}, "reserved tiles visible: it was started with false"),
        ({"interval": 1}, "interval: it was started with null, not 1"),
        ({"test": Sequential(0, 250)}, "test: it was started with null, not .*250"),
        ({"seconds_per_decision": 1}, "seconds per decision: .* 10.0, not 1.0"),
    ]
    for change, words in changes:
        with pytest.raises(JournalError, match=words):
            run_tournament(define(**begun | change), out, resume=True)
    (out / "tournament.json").write_text("{")
    with pytest.raises(JournalError, match=r"tournament\.json is damaged"):
        run_tournament(tournament, out, resume=True)
    (out / "tournament.json").unlink()
    with pytest.raises(JournalError, match=r"games\.bin is there without its tournament\.json"):
        run_tournament(tournament, out, resume=True)


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    tournament = define(["greedy", "random"], 2, 4)

    def watch(progress: Progress) -> None:
        with pytest.raises(JournalError, match="another run uses it"):
            run_tournament(tournament, tmp_path / "out", resume=True)

    run_tournament(tournament, tmp_path / "out", workers=1, watch=watch)


def test_new_weights_are_another_tournament(tmp_path: Path) -> None:
    from tests.support.models import write_model

    model = write_model(tmp_path / "model")
    tournament = define([model, "random"], 2, 4)
    assert len(tournament.weights[model]) == 64
    run_tournament(tournament, tmp_path / "out", workers=1)
    changed = {**tournament.__dict__, "weights": {model: "0" * 64}}
    changed.pop("schedule", None)
    with pytest.raises(JournalError, match="weights: policy:"):
        run_tournament(type(tournament)(**changed), tmp_path / "out", resume=True)


def test_a_damaged_journal_is_refused_and_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["arena", "--agents", "greedy,random", "--games", "6", "--out", str(out), "--json"]
    whole = json.loads(CliRunner().invoke(app, command).stdout)
    assert whole == json.loads((out / "arena.json").read_text())
    data = (out / "games.bin").read_bytes()
    damaged = bytearray(data)
    damaged[300] ^= 1
    (out / "games.bin").write_bytes(bytes(damaged))
    done = CliRunner().invoke(app, [*command, "--resume"])
    assert done.exit_code == 1
    assert "record 2 is damaged: its CRC is wrong" in done.stderr
    assert (out / "games.bin").read_bytes() == bytes(damaged)
    (out / "games.bin").write_bytes(data[:-100])  # torn: played again
    shutil.rmtree(out / "records", ignore_errors=True)
    again = json.loads(CliRunner().invoke(app, [*command, "--resume"]).stdout)
    assert untimed(again) == untimed(whole)


# ---------------------------------------------------------------- what happens to processes


class _Dying:
    """An engine whose processes end while no agent is to move."""

    unit: Unit | None = None

    def room(self) -> bool:
        return self.unit is None

    def submit(self, unit: Unit) -> None:
        self.unit = unit

    def wait(self, seconds: float) -> list[Any]:
        unit, self.unit = self.unit, None
        return [Died(unit)] if unit else []

    def close(self) -> None:
        pass


def test_processes_that_end_for_no_agents_sake_end_the_tournament(tmp_path: Path) -> None:
    (tmp_path / "games.bin").touch()
    run = TournamentRun(define(["greedy", "random"]), tmp_path / "games.bin", _Dying(), _Dying(), 1)
    with pytest.raises(
        AgentError, match="game 0: the process that plays it ended 3 times while no agent was"
    ):
        run.play()
