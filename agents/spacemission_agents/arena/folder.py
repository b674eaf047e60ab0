"""Stores a tournament in a folder: its definition, its journal and its game records.

A run locks the definition; its workers share a lock on the journal (journal.py). During a run each game
record is in its own file, called a part: a line with the game's number and a checksum, then the record. The
report lists the parts that are lost or damaged.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from spacemission_agents.arena.journal import FORFEITED, JournalError, JournalReader, lock, mend
from spacemission_agents.arena.tournament import Tournament
from spacemission_agents.report.page import prepare_folder
from spacemission_env.core.reading import (
    DEFINITION_BYTES,
    PART_BYTES,
    Json,
    checked_path,
    loads,
    open_regular,
    read_bytes,
)
from spacemission_env.core.writing import write_whole

DEFINITION_FILE = "tournament.json"
JOURNAL_FILE = "games.bin"
RECORDS_FOLDER = "records"
PARTS_FOLDER = "parts"  # inside RECORDS_FOLDER, during a run


@contextlib.contextmanager
def tournament_folder(folder: str | Path, tournament: Tournament, resume: bool = False) -> Iterator[Path]:
    """Lock the folder of a tournament; make it for a new one.

    Raises:
        AgentError: the folder cannot be made or written.
        JournalError: the folder is damaged or in use, has a tournament although `resume` is False, or has a
            different tournament. The folder is then unchanged.
    """
    folder = checked_path(folder, "folder")
    prepare_folder(folder)
    definition, journal = folder / DEFINITION_FILE, folder / JOURNAL_FILE
    where = f"tournament in {str(folder)!r}"
    if not definition.exists():
        if journal.exists():
            raise JournalError(f"{where}: {JOURNAL_FILE} is there without its {DEFINITION_FILE}")
        resume = _write_new(definition, tournament) or resume
    if not resume:
        raise JournalError(f"{where}: there is one already; resume it by --resume, or choose another folder")
    with open_regular(definition, JournalError, f"{where}: {DEFINITION_FILE}") as file:
        lock(file.fileno(), 0.0, f"{where}: another run uses it")
        found = _read_definition(file.read(DEFINITION_BYTES), where)
        for name, (old, new) in _differences(found, tournament.to_json()).items():
            raise JournalError(f"{where}: {name}: it was started with {old}, not {new}")
        journal.touch()
        mend(journal, tournament.record.itemsize)
        tables = range(len(tournament.schedule.tables))
        # The records of tables that have a file are joined already.
        if tournament.records and not all(table_file(folder, t).exists() for t in tables):
            parts_folder(folder).mkdir(parents=True, exist_ok=True)
        yield folder


def _write_new(path: Path, tournament: Tournament) -> bool:
    """Write the definition atomically; False if another run has written one meanwhile."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(aside, "w", encoding="utf-8") as file:
            file.write(json.dumps(tournament.to_json(), indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)  # unlike a rename, a link replaces no file
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


def _read_definition(data: bytes, where: str) -> Json:
    with contextlib.suppress(ValueError, RecursionError):
        found = loads(data)
        if isinstance(found, dict) and found.get("type") == "tournament":
            return found
    raise JournalError(f"{where}: {DEFINITION_FILE} is damaged: not the definition of a tournament")


def _differences(found: Json, wanted: Json, prefix: str = "") -> dict[str, tuple[str, str]]:
    different: dict[str, tuple[str, str]] = {}
    for key in dict.fromkeys([*wanted, *found]):
        old, new = found.get(key), wanted.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            different |= _differences(old, new, f"{prefix}{key}: ")
        elif old != new:
            different[f"{prefix}{key}".replace("_", " ")] = json.dumps(old), json.dumps(new)
    return different


# ---------------------------------------------------------------- records of games


def parts_folder(folder: Path) -> Path:
    """The folder of the parts, until they are joined."""
    return folder / RECORDS_FOLDER / PARTS_FOLDER


def part_file(folder: Path, number: int) -> Path:
    return parts_folder(folder) / f"game-{number}.jsonl"


def table_file(folder: Path, table: int) -> Path:
    """The file of all recorded games of a table."""
    return folder / RECORDS_FOLDER / f"table-{table + 1:03}.jsonl"


def write_part(folder: Path, number: int, text: str) -> None:
    """Write the record of one game atomically; OSError if it cannot be written."""
    data = text.encode("utf-8")
    write_whole(part_file(folder, number), _head(number, data) + data)


def _head(number: int, data: bytes) -> bytes:
    head = {"type": "part", "game": number, "sha256": hashlib.sha256(data).hexdigest()}
    return json.dumps(head).encode() + b"\n"


def read_part(folder: Path, number: int) -> bytes:
    """The record of one game; JournalError if its part is missing or damaged."""
    path = part_file(folder, number)
    where = f"records: game {number}: {path.relative_to(folder).as_posix()}"
    head, newline, data = read_bytes(path, PART_BYTES, JournalError, where).partition(b"\n")
    if head + newline != _head(number, data):
        raise JournalError(f"{where}: is damaged")
    return data


def join_records(folder: Path, tournament: Tournament, set_ups: int, journal: Path) -> list[Json]:
    """Join the game records of each table in one file, ordered by number.

    The parts are deleted only when all tables are complete, so this can be repeated after a kill or with more
    games. If a part is lost, all parts stay.

    Returns:
        For each table `file` (relative to the folder), `table` (agents by seat, unrotated) and `games`; if
        records are lost, also `lost`, one line for each.
    """
    if not tournament.records:
        return []
    recorded = min(tournament.records, set_ups)
    tables, names = tournament.schedule.tables, tournament.names
    lost: list[list[str]] = [[] for _ in tables]
    if parts_folder(folder).exists():
        forfeited = _forfeited(journal, tournament, recorded)
        for t in range(len(tables)):
            numbers = tournament.schedule.numbers(t, 0, recorded).tolist()
            lost[t] = _join(folder, t, [n for n in numbers if n not in forfeited])
        if recorded == tournament.records and not any(lost):
            aside = parts_folder(folder).with_name(f".{PARTS_FOLDER}.{secrets.token_hex(4)}")
            os.rename(parts_folder(folder), aside)
            shutil.rmtree(aside, ignore_errors=True)
    return [
        {
            "file": table_file(folder, t).relative_to(folder).as_posix(),
            "table": [names[a] for a in table],
            "games": _games_in(table_file(folder, t)),
            **({"lost": lost[t]} if lost[t] else {}),
        }
        for t, table in enumerate(tables)
    ]


def _forfeited(journal: Path, tournament: Tournament, set_ups: int) -> set[int]:
    """Numbers of the forfeited games in the first `set_ups` set-ups; these games have no record."""
    end = set_ups * tournament.schedule.per_set_up
    numbers: set[int] = set()
    with contextlib.closing(JournalReader(journal, tournament.record)) as reader:
        while len(records := reader.read()):
            numbers.update(records["game"][records["ending"] == FORFEITED].tolist())
    return {number for number in numbers if number < end}


def _join(folder: Path, table: int, numbers: list[int]) -> list[str]:
    """Write a table's file; return a line for each lost record."""
    path, lost = table_file(folder, table), []
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(aside, "wb") as whole:
        for number in numbers:
            try:
                whole.write(read_part(folder, number))
            except JournalError as error:
                lost.append(str(error))
    os.replace(aside, path)
    return lost


def _games_in(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(line.startswith(b'{"type": "game"') for line in file)
