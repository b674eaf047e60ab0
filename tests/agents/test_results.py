"""The file of results: rows are read as they were written, whole, by one run; damage is named in one line."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena.results import (
    RESULTS_FILE,
    Collector,
    Games,
    ResultsError,
    ResultsFile,
    row_type,
)
from spacemission_agents.arena.schedule import Limits, Tournament
from spacemission_agents.arena.tournament import RunOptions, define, run_tournament
from tests.support.tournaments import stored


@pytest.fixture(scope="module")
def tournament() -> Tournament:
    return define(["a=random", "b=random", "c=random"], 2, Limits(200), records=2)  # 6 games in a set-up


def some_rows(tournament: Tournament, count: int = 600) -> np.ndarray:
    rng, rows = np.random.default_rng(0), np.zeros(count, row_type(tournament))
    rows["game"] = np.arange(count)
    for name in ("scores", "decisions", "rounds"):
        rows[name] = rng.integers(-5, 100, rows[name].shape)
    rows["seconds"] = rng.random(rows["seconds"].shape)
    rows["winners"] = rng.integers(0, 2, rows["winners"].shape)
    rows["ending"] = rng.integers(0, 3, count)
    rows["seat"] = np.where(rows["ending"] == 2, 1, -1)
    return rows


def test_rows_are_read_as_they_were_written(tournament: Tournament, tmp_path: Path) -> None:
    rows = some_rows(tournament)
    order = np.random.default_rng(1).permutation(600)
    with ResultsFile(tournament, tmp_path) as file:
        for start in range(0, 600, 77):
            file.write(Games(rows[order[start : start + 77]]))
    assert [path.name for path in tmp_path.iterdir()] == [RESULTS_FILE]  # all is in the one file
    with ResultsFile(tournament, tmp_path, resume=True) as file:
        assert (np.concatenate(list(file.read())) == rows).all()


def test_games_are_committed_together_or_not_at_all(tournament: Tournament, tmp_path: Path) -> None:
    rows = some_rows(tournament)
    with ResultsFile(tournament, tmp_path) as file:
        file.write(Games(rows[:3]))
        with pytest.raises(ResultsError, match=r"games\.sqlite: UNIQUE constraint failed: games\.game"):
            file.write(Games(rows[[5, 6, 2]]))  # the last is in the file already
        file.write(Games(rows[5:6]))
    assert [row[0] for row in stored(tmp_path)] == [0, 1, 2, 5]


def test_a_record_is_in_the_row_of_its_game(tournament: Tournament, tmp_path: Path) -> None:
    rows = some_rows(tournament, 12)
    texts = {int(game): f"game {game}\n" for game in range(12) if game != 4}  # game 4 was forfeited
    with ResultsFile(tournament, tmp_path) as file:
        file.write(Games(rows, records=texts))
        fewer = file.write_records(1)
        written = file.write_records(2)
    assert [(row["file"], row["table"], row["games"]) for row in written] == [
        ("records/table-001.jsonl", ["a", "b"], 4),
        ("records/table-002.jsonl", ["a", "c"], 4),
        ("records/table-003.jsonl", ["b", "c"], 3),
    ]
    assert [row["games"] for row in fewer] == [2, 2, 1], "games that the report does not count"
    text = "".join((tmp_path / row["file"]).read_text() for row in written)
    assert sorted(text.splitlines()) == sorted(line.strip() for line in texts.values())


def test_the_view_of_seats_has_a_row_for_each_game_and_seat(tmp_path: Path) -> None:
    tournament = define(["greedy", "random"], 3, Limits(6))
    report = run_tournament(tournament, tmp_path, RunOptions(workers=1))
    with closing(sqlite3.connect(tmp_path / RESULTS_FILE)) as base:
        rows = base.execute("SELECT agent, avg(score_total), count(*) FROM seats GROUP BY agent").fetchall()
        (share,) = base.execute("SELECT sum(share) FROM seats WHERE agent = 'greedy'").fetchone()
    ladder = {row["agent"]: row for row in report["ladder"]}
    assert {agent for agent, *_ in rows} == set(ladder) and sum(count for *_, count in rows) == 36
    for agent, total, count in rows:
        assert count == 18 and total == pytest.approx(ladder[agent]["scores"]["total"])
    assert share == pytest.approx(18 * ladder["greedy"]["win_share"])


HARMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no database": (lambda path: path.write_bytes(b"x" * 5000), "file is not a database"),
    "a table is missing": (
        lambda path: execute(path, "DROP TABLE games"),
        "no such table: main.games|no such table: games",
    ),
    "the definition is missing": (lambda path: execute(path, "DELETE FROM tournament"), "not enough values"),
    "the definition is no JSON": (
        lambda path: execute(path, "UPDATE tournament SET definition = '{'"),
        "Expecting",
    ),
    "a game that does not exist": (
        lambda path: execute(path, "UPDATE games SET game = 600 WHERE game = 7"),
        "is damaged: there is no game 600",
    ),
    "a word for a number": (lambda path: execute(path, "UPDATE games SET rounds = 'x'"), "invalid literal"),
    "an unknown ending": (lambda path: execute(path, "UPDATE games SET ending = 'x'"), "not in tuple"),
    "a null": (lambda path: execute(path, "UPDATE games SET winner_1 = NULL, rounds = NULL"), "NoneType"),
}


def execute(path: Path, command: str) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(command)


@pytest.mark.parametrize("harm", HARMS)
def test_damage_is_named_in_one_line(harm: str, tournament: Tournament, tmp_path: Path) -> None:
    with ResultsFile(tournament, tmp_path) as file:
        file.write(Games(some_rows(tournament, 20)))
    does, words = HARMS[harm]
    does(tmp_path / RESULTS_FILE)
    with pytest.raises(ResultsError, match=words) as refused:
        run_tournament(tournament, tmp_path, RunOptions(resume=True))
    assert RESULTS_FILE in str(refused.value)


# ---------------------------------------------------------------- putting set-ups together


def test_set_ups_come_whole_and_in_order(tournament: Tournament) -> None:
    rng, rows = np.random.default_rng(1), some_rows(tournament)
    collector = Collector(tournament)
    order = np.concatenate([rng.permutation(600), rng.integers(0, 600, 50)])  # some games twice
    given: list[int] = []
    for start in range(0, len(order), 13):
        some = np.unique(order[start : start + 13])
        missing = collector.missing(some)
        assert collector.add(rows[some])["game"].tolist() == some[missing].tolist()
        given += collector.take(int(rng.integers(1, 5)))["game"].ravel().tolist()
    while len(part := collector.take()):
        given += part["game"].ravel().tolist()
    assert given == list(range(600)) and collector.games == 600
    assert not collector.missing(np.arange(600)).any()
    assert collector.missing(np.arange(600, 610)).all()
