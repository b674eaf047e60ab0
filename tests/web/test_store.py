"""The file of games: its permissions, and errors for unusable files."""

import os
import pwd
import sqlite3
import stat
import tempfile
from pathlib import Path

import pytest

from spacemission_agents.web import serving
from spacemission_agents.web.match import Seat, new_stored_game
from spacemission_agents.web.serving import serve
from spacemission_agents.web.settings import WebError
from spacemission_agents.web.store import Move, Store
from spacemission_env.core.game import make_game
from spacemission_env.core.private_folder import CHOSEN, code_folder
from tests.support.web_server import new_game, server_and_client


def filled(file: Path) -> str:
    """Write a file with a game of some moves; return the game's id."""
    store = Store(file)
    game = make_game("kuhn_poker", 2)
    game.reset(1)
    kept = new_stored_game(game, [Seat("A", None, "token"), Seat("B", None, "other")])
    store.add_game(kept, [Move(0)] * 300)
    store.close()
    return kept.id


def damage(file: Path) -> None:
    filled(file)
    data = bytearray(file.read_bytes())
    data[4096:8192] = bytes(range(256)) * 16
    file.write_bytes(data)


def foreign(file: Path) -> None:
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE accounts (name TEXT)")
    other.close()


def later(file: Path) -> None:
    filled(file)
    other = sqlite3.connect(file)
    other.execute("PRAGMA user_version=99")
    other.close()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (damage, "damaged: "),
        (foreign, "is not a file of games"),
        (later, "has format 99"),
        (lambda file: file.write_bytes(b"hello " * 2000), "file is not a database"),
        (lambda file: file.mkdir(), "Is a directory"),
        (lambda file: file.symlink_to("/proc/version"), "Permission denied|unable to open"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_one_line(make: object, said: str, tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    make(file)  # type: ignore[operator]
    before = file.lstat().st_mode, file.is_file() and file.read_bytes()
    with pytest.raises(WebError, match=said) as refused:
        serve("127.0.0.1", 0, file)
    assert str(file) in str(refused.value) and "\n" not in str(refused.value)
    assert (file.lstat().st_mode, file.is_file() and file.read_bytes()) == before


def test_a_second_server_on_the_same_file_is_refused(tmp_path: Path) -> None:
    first = Store(tmp_path / "g.sqlite3")
    with pytest.raises(WebError, match="another server uses this file"):
        Store(tmp_path / "g.sqlite3")
    first.close()
    Store(tmp_path / "g.sqlite3").close()


def test_files_are_for_their_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "g.sqlite3"
    before = os.umask(0)
    try:
        filled(file)
        file.chmod(0o644)  # as after a copy
        store = Store(file)
        store.add_line("x", 1, Move(0))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert modes == {"g.sqlite3": 0o600, "g.sqlite3-wal": 0o600}


@pytest.mark.parametrize("home", [None, "no folder", "read-only"])
def test_without_a_usable_home_games_are_in_the_temporary_folder(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also for a user id without an entry in the list of users, as in many containers."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", CHOSEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if home is None:
        monkeypatch.setattr(pwd, "getpwuid", lambda uid: {}[uid])
    elif home == "no folder":
        (tmp_path / "file").touch()
        monkeypatch.setenv("HOME", str(tmp_path / "file"))
    else:
        (tmp_path / ".local" / "share" / "spacemission").mkdir(parents=True, mode=0o700)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(os, "access", lambda path, mode: "share" not in str(path))
    own = f"spacemission_env-{os.geteuid()}"
    assert serving._file() == tmp_path / own / "web.sqlite3"
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"the games are kept in {tmp_path / own}" in said
    assert code_folder("x") is not None


def test_a_full_disk_is_refused_with_one_line_and_then_goes_on(tmp_path: Path) -> None:
    id = filled(tmp_path / "g.sqlite3")
    store = Store(tmp_path / "g.sqlite3")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count={pages}")
    refused, number = None, 300
    while refused is None and number < 5000:
        number += 1
        try:
            store.add_line(id, number, Move(0))
        except WebError as error:
            refused = error
    assert str(refused) == "the move could not be stored: database or disk is full"
    store._db.execute("PRAGMA max_page_count=100000")
    store.add_line(id, number, Move(0))
    found = store.game(id)
    assert found is not None and len(found[1]) == number
    store.close()


@pytest.mark.parametrize("row", ["header = '{'", "seats = '[]'", "seats = '7'"])
def test_a_damaged_game_is_refused_and_the_others_are_played(row: str, tmp_path: Path) -> None:
    file = tmp_path / "g.sqlite3"
    id = filled(file)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("DROP TRIGGER games_stay")
    other.execute(f"UPDATE games SET {row}")
    other.close()
    with server_and_client(file) as (_, client):
        refused = client.get(f"/api/games/{id}", headers={"authorization": "Bearer token"})
        assert refused.status_code == 503 and f"game {id} is damaged" in refused.json()["error"]
        assert new_game(client, "kuhn_poker", None, None)[0].position()["steps"] == 0
