"""A tournament begun by an earlier version: it is read as it was, and gone on with to the very same end.

`golden/earlier/tournament` was played by the version before definitions named a game (commit 8996d6e):

    spacemission arena --agents greedy,random,tests.erring_bot:Erring,heuristic --players 3 --games 6 --seed 5
        --rules printed,max_rounds=24 --records 1 --workers 1 --out tests/golden/earlier/tournament

The bot has moved since, and its definition and report name it by its old place.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacemission_agents.arena.definition import Tournament, define
from spacemission_agents.arena.hold import hold_tournament
from spacemission_agents.arena.storage.journal import JournalReader, record_of
from spacemission_agents.report.page import html_page
from spacemission_env.core.game_spec import find_game
from spacemission_env.version import __version__
from tests.support.paths import GOLDEN
from tests.support.tournaments import untimed

EARLIER = GOLDEN / "earlier" / "tournament"
BOT_THEN, BOT = "tests.erring_bot:Erring", "tests.support.erring_bot:Erring"
AGENTS = ["greedy", "random", BOT, "heuristic"]
PLACE = " (erring_bot.py:18)"
RECORD = record_of(find_game("space_mission"))
# sha256 of the records of games that it wrote, by table; in those of two tables all games were forfeited
RECORDS = {
    "table-001.jsonl": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "table-002.jsonl": "56040a0ecb87ea27313658dc3fb36ea8004d7d0f21707d7e954645e79bc8fd38",
    "table-003.jsonl": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "table-004.jsonl": "195c0a34d9d91b046c75f47c7c22d2ca7f47a1220cc72230a4b7769bc597955b",
}


def tournament() -> Tournament:
    return define(AGENTS, 3, 6, seed=5, rules="printed,max_rounds=24", records=1)


def kept(name: str) -> dict[str, Any]:
    """A file that it wrote, with the bot's name of now."""
    text = (EARLIER / name).read_text("utf-8")
    assert BOT_THEN in text
    return json.loads(text.replace(BOT_THEN, BOT))


def its_folder(folder: Path, games: int | None = None) -> Path:
    """A copy of it with so many of its games; as if of this version, which alone may go on with it."""
    folder.mkdir()
    definition = kept("tournament.json")
    assert "game" not in definition
    definition["environment_version"] = __version__
    (folder / "tournament.json").write_text(json.dumps(definition))
    data = (EARLIER / "games.bin").read_bytes()
    (folder / "games.bin").write_bytes(data if games is None else data[: games * RECORD.itemsize])
    return folder


def as_then(report: dict[str, Any]) -> dict[str, Any]:
    """Without what reports did not have."""
    new = {"specs", "environment_version", "records"}
    rated = [{key: row[key] for key in row if key != "ranks"} for row in report["ratings"]]
    return {**{key: value for key, value in report.items() if key not in new}, "ratings": rated}


def test_its_report_is_the_same_to_the_last_digit(tmp_path: Path) -> None:
    out = its_folder(tmp_path / "out")
    report = hold_tournament(tournament(), out, resume=True, workers=1)
    earlier = kept("arena.json")
    assert as_then(json.loads(json.dumps(report))) == as_then(earlier)
    assert any(row["anchor"] for row in report["ratings"])
    assert report["forfeits_total"] == 14 and report["truncated"] == 2
    assert (out / "games.bin").read_bytes() == (EARLIER / "games.bin").read_bytes()
    assert "Space Mission arena: 4 agents, 3 players" in html_page(earlier)


@pytest.mark.parametrize("games", [0, 7])
def test_it_is_gone_on_with_to_the_same_end(tmp_path: Path, games: int) -> None:
    out = its_folder(tmp_path / "out", games)
    report = hold_tournament(tournament(), out, resume=True, workers=1)
    earlier = kept("arena.json")
    assert without_place(as_then(untimed(report))) == as_then(untimed(earlier))
    data, before = (out / "games.bin").read_bytes(), (EARLIER / "games.bin").read_bytes()
    assert data[: games * RECORD.itemsize] == before[: games * RECORD.itemsize]
    ours, theirs = read(out), read(EARLIER)
    ours["text"] = [text.replace(PLACE.encode(), b"") for text in ours["text"]]
    assert ours.tobytes() == theirs.tobytes()
    if not games:  # else the records of the first games were left behind
        assert {path.name: digest_as_then(path) for path in (out / "records").iterdir()} == RECORDS


def digest_as_then(path: Path) -> str:
    """sha256 of a file of records, in which the bot is named as it was then."""
    return hashlib.sha256(path.read_bytes().replace(BOT.encode(), BOT_THEN.encode())).hexdigest()


def without_place(report: dict[str, Any]) -> Any:
    """A report without the file and line of a bot's failure, which forfeits did not name then."""
    text = json.dumps(report)
    assert PLACE in text
    return json.loads(text.replace(PLACE, ""))


def read(folder: Path) -> np.ndarray:
    """The journal by number of the game, without what a clock decides."""
    reader = JournalReader(folder / "games.bin", RECORD)
    records = reader.read().copy()
    reader.close()
    records["seconds"] = records["crc"] = 0
    return records[np.argsort(records["game"])]


def test_it_is_no_other_games(tmp_path: Path) -> None:
    out = its_folder(tmp_path / "out")
    shutil.copy(out / "tournament.json", tmp_path / "before.json")
    hold_tournament(tournament(), out, resume=True, workers=1)
    assert (out / "tournament.json").read_bytes() == (tmp_path / "before.json").read_bytes()
    assert tournament().to_json()["game"] == "space_mission"
