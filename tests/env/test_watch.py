"""`spacemission watch` steps through a record, in a pipe and with keys."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spacemission_env.records.reader import replay_file
from spacemission_env.terminal.viewer import Film, Viewer
from tests.golden.make_golden import FOLDER
from tests.support.command_line import run

GAME = FOLDER / "2_players_printed.jsonl"


@pytest.fixture(scope="module")
def film() -> Film:
    return Film(next(replay_file(GAME)))


def test_a_pipe_gets_every_step() -> None:
    replayed = next(replay_file(GAME))
    replayed.finish()
    shown = run("watch", str(GAME), "--at", str(replayed.actions - 3)).stdout
    moves = re.findall(r"^move (\d+) of (\d+), round \d+: (player_\d \w+)", shown, re.MULTILINE)
    assert [int(move[0]) for move in moves] == [replayed.actions - 2, replayed.actions - 1, replayed.actions]
    assert shown.count("Draw pile:") == 4
    assert replayed.game.result_words(replayed.agents) in shown


def test_moves_as_json(film: Film) -> None:
    lines = [
        json.loads(line) for line in run("watch", str(GAME), "--seat", "1", "--json").stdout.splitlines()
    ]
    assert [line["move"] for line in lines[:-1]] == list(range(1, len(film) + 1))
    assert [line["words"] for line in lines[:-1]] == [film.move(k, 1) for k in range(1, len(film) + 1)]
    assert lines[-1] == {"number": 1, "agents": film.agents, "moves": len(film), "cut": None}


def test_places_are_the_positions_of_the_record(film: Film) -> None:
    """Any place shows the same position as a forward replay."""
    replayed = next(replay_file(GAME))
    boards = []
    for decision in replayed:
        boards.append(film_board := replayed.game.board(1))
        assert film.board(len(boards) - 1, 1) == film_board
        assert film.move(len(boards), None).startswith(replayed.game.words(decision.action))
    assert len(boards) == len(film)
    for place in (len(film) - 1, 0, len(film) // 2):
        assert film.board(place, 1) == boards[place]


def test_keys_go_to_and_fro(film: Film) -> None:
    viewer = Viewer(film)
    places = []
    for key in ["right", " ", "left", "end", "right", "up", "down", "home", "left", "x"]:
        viewer.press(key)
        places.append(viewer.place)
    last_round = next(k for k in range(len(film)) if film.rounds[k] == film.rounds[-1])
    assert places == [1, 2, 1, len(film), len(film), last_round, len(film), 0, 0, 0]
    viewer.press("down")
    assert film.rounds[viewer.place - 1] == 1
    assert film.rounds[viewer.place] == 2
    viewer.press("q")
    assert viewer.done


def test_a_seat_sees_what_it_knew(film: Film) -> None:
    viewer = Viewer(film)
    viewer.press("end")
    viewer.press("up")
    assert "player_1 holds" in viewer.body()
    viewer.press("1")
    assert "as player_1 knew it" in viewer.head()
    assert "player_1 (you)" in viewer.body()
    assert "player_0 holds" not in viewer.body()
    viewer.press("7")  # no such seat
    assert viewer.seat == 1
    viewer.press("?")
    assert "q           quit" in viewer.body()
    viewer.press("?")
    assert "player_1 (you)" in viewer.body()


def test_a_cut_record_is_watched_as_far_as_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    file.write_text("".join(GAME.read_text("utf-8").splitlines(keepends=True)[:6]), "utf-8")
    shown = run("watch", str(file), "--seat", "0").stdout
    assert re.search(r"cut short after [45] actions: no result line\n", shown)
    assert "player_0 (you)" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.jsonl",), "No such file"),
        ((str(GAME), "--number", "9"), "there is no game 9"),
        ((str(GAME), "--seat", "4"), "has no seat 4, only 0 to 1"),
        ((str(GAME), "--at", "9999"), "--at: game 1 of"),
    ],
)
def test_what_cannot_be_watched_is_refused(arguments: tuple[str, ...], said: str) -> None:
    assert said in run("watch", *arguments, status=1).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_by_keys_on_a_terminal() -> None:
    """Keys work without Enter on a pseudo-terminal, which is restored at the end."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "spacemission_env", "watch", str(GAME)],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "110", "LINES": "50"},
    )  # fmt: skip
    os.close(theirs)
    try:
        assert "move 0 of" in until(ours, "Draw pile")
        os.write(ours, b"\x1b[C")
        assert "move 1 of" in until(ours, "Draw pile")
        os.write(ours, b"1")
        assert "as player_1 knew it" in until(ours, "Your hand")
        os.write(ours, b"q")
        assert process.wait(300) == 0
    finally:
        process.kill()
        os.close(ours)


def until(terminal: int, wanted: str) -> str:
    """Read the output until shortly after the wanted text; remove colours."""
    seen, end = "", time.monotonic() + 300
    while wanted not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            seen = re.sub(r"\x1b\[[\d;]*m", "", seen + os.read(terminal, 65536).decode(errors="replace"))
    assert wanted in seen, seen[-500:]
    return seen
