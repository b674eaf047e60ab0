"""Parts of a tournament's records are checked and joined."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spacemission_agents.arena.folder import join_records, part_file, parts_folder, read_part, write_part
from spacemission_agents.arena.journal import FORFEITED, JournalError, record_of, with_checksums
from spacemission_agents.arena.tournament import Tournament, define
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import Json

RECORD = record_of(find_game("space_mission"))
TEXT = '{"type": "game"}\n{"type": "result"}\n'


@pytest.fixture
def tournament() -> Tournament:
    return define(["random", "greedy"], 2, 4, records=2)


@pytest.fixture
def folder(tmp_path: Path, tournament: Tournament) -> Path:
    """Four games, of which game 2 was forfeited."""
    parts_folder(tmp_path).mkdir(parents=True)
    games = np.zeros(4, RECORD)
    games["game"] = np.arange(4)
    games["ending"][2] = FORFEITED
    (tmp_path / "games.bin").write_bytes(with_checksums(games))
    for number in (0, 1, 3):
        write_part(tmp_path, number, TEXT)
    return tmp_path


def joined(folder: Path, tournament: Tournament) -> Json:
    return join_records(folder, tournament, 2, folder / "games.bin")[0]


def test_whole_parts_are_put_together_and_go(folder: Path, tournament: Tournament) -> None:
    row = joined(folder, tournament)
    assert row["games"] == 3 and "lost" not in row
    assert (folder / row["file"]).read_text() == 3 * TEXT
    assert not parts_folder(folder).exists()
    assert joined(folder, tournament) == row


HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "removed": lambda data: None,
    "torn": lambda data: data[:-5],
    "cut at a line": lambda data: b"".join(data.splitlines(keepends=True)[:-1]),
    "a letter changed": lambda data: data.replace(b"result", b"resulu"),
    "of another game": lambda data: data.replace(b'"game": 1', b'"game": 0'),
    "without its head": lambda data: TEXT.encode(),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_part_that_is_lost_or_torn_is_named_and_left_out(
    harm: str, folder: Path, tournament: Tournament
) -> None:
    path = part_file(folder, 1)
    harmed = HARMS[harm](path.read_bytes())
    path.unlink()
    if harmed is not None:
        path.write_bytes(harmed)
    row = joined(folder, tournament)
    assert row["games"] == 2 and len(row["lost"]) == 1
    assert row["lost"][0].startswith("records: game 1: records/parts/game-1.jsonl")
    assert (folder / row["file"]).read_text() == 2 * TEXT
    assert parts_folder(folder).exists()  # the other parts stay
    write_part(folder, 1, TEXT)
    assert joined(folder, tournament)["games"] == 3


def test_a_part_is_there_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        write_part(folder, 7, TEXT)
    assert not [path.name for path in parts_folder(folder).iterdir() if "7" in path.name.split(".")[0]]
    with pytest.raises(JournalError, match=r"game 7: .*No such file"):
        read_part(folder, 7)
