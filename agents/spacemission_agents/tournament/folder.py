"""The folder of a tournament: `tournament.json` (its definition), `games.bin` (the journal) and `records`.

One run at a time works in it: it holds a lock on the definition, and its playing processes a shared one
on the journal (journal.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacemission_agents.report.folder import prepare_folder
from spacemission_agents.tournament.definition import Tournament
from spacemission_agents.tournament.journal import JournalError, lock, mend
from spacemission_env.reading import DEFINITION_BYTES, loads, open_regular

DEFINITION_FILE = "tournament.json"
JOURNAL_FILE = "games.bin"
RECORDS_FOLDER = "records"
PARTS_FOLDER = "parts"  # in it while playing: a file for each recorded game


@contextlib.contextmanager
def tournament_folder(folder: str | Path, tournament: Tournament, resume: bool = False) -> Iterator[Path]:
    """Work in a folder: make it for a new tournament, or take up the one that is there.

    Args:
        folder: made where it is missing.
        tournament: what is to be played.
        resume: go on with the tournament of the folder, if it has one; without, none may be there.

    Raises:
        AgentError: the folder cannot be made or written.
        JournalError: the folder holds a tournament (without `resume`) or a different one (with), is in
            use, or is damaged. Nothing in it has changed then.
    """
    folder = Path(folder)
    prepare_folder(folder)
    definition, journal = folder / DEFINITION_FILE, folder / JOURNAL_FILE
    where = f"tournament in {str(folder)!r}"
    if not definition.exists():
        if journal.exists():
            raise JournalError(f"{where}: {JOURNAL_FILE} is there without its {DEFINITION_FILE}")
        resume = _write_new(definition, tournament) or resume
    if not resume:
        raise JournalError(
            f"{where}: there is one already; go on with it by --resume, or take another folder"
        )
    with open_regular(definition, JournalError, f"{where}: {DEFINITION_FILE}") as file:
        lock(file.fileno(), 0.0, f"{where}: another run is at work there")
        _check_same(_read(file.read(DEFINITION_BYTES), where), tournament.to_json(), where)
        journal.touch()
        mend(journal)
        if tournament.records:
            _make_parts(folder, len(tournament.schedule.tables))
        yield folder


def _write_new(path: Path, tournament: Tournament) -> bool:
    """Write the definition whole; False where another run was faster."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(aside, "w", encoding="utf-8") as file:
            file.write(json.dumps(tournament.to_json(), indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)  # unlike a rename it replaces nothing
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            os.rename(aside, path)
        return True
    except OSError as error:
        reason = error.strerror or error
        raise JournalError(f"tournament in {str(path.parent)!r}: cannot be written: {reason}") from None
    finally:
        aside.unlink(missing_ok=True)


def _read(data: bytes, where: str) -> dict[str, Any]:
    try:
        found = loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("type") != "tournament":
        raise JournalError(f"{where}: {DEFINITION_FILE} is damaged: not the definition of a tournament")
    return found


def _check_same(found: dict[str, Any], asked: dict[str, Any], where: str) -> None:
    for name, (old, new) in _differences(found, asked).items():
        raise JournalError(f"{where}: {name}: it was begun with {old}, not {new}")


def _differences(
    found: dict[str, Any], asked: dict[str, Any], prefix: str = ""
) -> dict[str, tuple[Any, Any]]:
    different: dict[str, tuple[Any, Any]] = {}
    for key in dict.fromkeys([*asked, *found]):
        old, new = found.get(key), asked.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            different |= _differences(old, new, f"{prefix}{key}: ")
        elif old != new:
            different[f"{prefix}{key}".replace("_", " ")] = json.dumps(old), json.dumps(new)
    return different


def parts_folder(folder: Path) -> Path:
    """Where the record of each recorded game lies until all are put together."""
    return folder / RECORDS_FOLDER / PARTS_FOLDER


def part_file(folder: Path, number: int) -> Path:
    """The file of one recorded game."""
    return parts_folder(folder) / f"game-{number}.jsonl"


def _table_file(folder: Path, table: int) -> Path:
    return folder / RECORDS_FOLDER / f"table-{table + 1:03}.jsonl"


def _make_parts(folder: Path, tables: int) -> None:
    # Tables without parts are finished (`join_records`).
    if not all(_table_file(folder, t).exists() for t in range(tables)):
        parts_folder(folder).mkdir(parents=True, exist_ok=True)


def join_records(folder: Path, tournament: Tournament, set_ups: int) -> list[dict[str, Any]]:
    """Put the recorded games of each table into one file, in the order of their numbers.

    The single files go only when every table is whole, all at once: so this can be done again after a
    run was killed at it, and again with more games.

    Returns:
        `file` (within the folder), `table` (agents by seat, unrotated) and `games` of each table.
    """
    if not tournament.records:
        return []
    recorded = min(tournament.records, set_ups)
    tables = tournament.schedule.tables
    if parts_folder(folder).exists():
        for t in range(len(tables)):
            _join(folder, t, tournament.schedule.numbers(t, 0, recorded).tolist())
        if recorded == tournament.records:
            aside = parts_folder(folder).with_name(f".{PARTS_FOLDER}.{secrets.token_hex(4)}")
            os.rename(parts_folder(folder), aside)
            shutil.rmtree(aside, ignore_errors=True)
    return [
        {
            "file": _table_file(folder, t).relative_to(folder).as_posix(),
            "table": [tournament.agents[a] for a in table],
            "games": _games_in(_table_file(folder, t)),
        }
        for t, table in enumerate(tables)
    ]


def _join(folder: Path, table: int, numbers: list[int]) -> None:
    path = _table_file(folder, table)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(aside, "wb") as whole:
        for number in numbers:
            with contextlib.suppress(FileNotFoundError):  # forfeited games have no record
                whole.write(part_file(folder, number).read_bytes())
    os.replace(aside, path)


def _games_in(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(line.startswith(b'{"type": "game"') for line in file)
