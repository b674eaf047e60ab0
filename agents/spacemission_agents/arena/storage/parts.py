"""Keeps the record of each game in a file of its own, a part, and joins the parts when a tournament ends.

A part's first line holds the number of its game and a checksum of the rest, which is the record of the
game. A part that is lost, or damaged by accident, is named and left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from spacemission_agents.arena.definition import Tournament
from spacemission_agents.arena.storage.journal import FORFEITED, JournalError, JournalReader
from spacemission_env.core.reading import PART_BYTES, read_bytes

RECORDS_FOLDER = "records"
PARTS_FOLDER = "parts"  # in it while playing


def parts_folder(folder: Path) -> Path:
    """Where the record of each recorded game lies until all are put together."""
    return folder / RECORDS_FOLDER / PARTS_FOLDER


def part_file(folder: Path, number: int) -> Path:
    """The file of one recorded game."""
    return parts_folder(folder) / f"game-{number}.jsonl"


def write_part(folder: Path, number: int, text: str) -> None:
    """Write the record of one game, whole or not at all. Raises OSError."""
    data = text.encode("utf-8")
    path = part_file(folder, number)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        aside.write_bytes(_head(number, data) + data)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def _head(number: int, data: bytes) -> bytes:
    head = {"type": "part", "game": number, "sha256": hashlib.sha256(data).hexdigest()}
    return json.dumps(head).encode() + b"\n"


def read_part(folder: Path, number: int) -> bytes:
    """The record of one game.

    Raises:
        JournalError: one line naming the part: it is missing, or not what was written.
    """
    path = part_file(folder, number)
    where = f"records: game {number}: {path.relative_to(folder).as_posix()}"
    head, newline, data = read_bytes(path, PART_BYTES, JournalError, where).partition(b"\n")
    if head + newline != _head(number, data):
        raise JournalError(f"{where}: is damaged")
    return data


def table_file(folder: Path, table: int) -> Path:
    """The file of all recorded games of a table."""
    return folder / RECORDS_FOLDER / f"table-{table + 1:03}.jsonl"


def make_parts(folder: Path, tables: int) -> None:
    """Make the folder of the parts. Tables without parts are finished (`join_records`)."""
    if not all(table_file(folder, t).exists() for t in range(tables)):
        parts_folder(folder).mkdir(parents=True, exist_ok=True)


def join_records(folder: Path, tournament: Tournament, set_ups: int, journal: Path) -> list[dict[str, Any]]:
    """Put the recorded games of each table into one file, in the order of their numbers.

    The single files go only when every table is whole, all at once: so this can be done again after a
    run was killed at it, and again with more games. They stay where one of them is lost.

    Returns:
        `file` (within the folder), `table` (agents by seat, unrotated) and `games` of each table; where
        games are lost also `lost`, a line for each.
    """
    if not tournament.records:
        return []
    recorded = min(tournament.records, set_ups)
    tables, names = tournament.schedule.tables, tournament.names
    lost: list[list[str]] = [[] for _ in tables]
    if parts_folder(folder).exists():
        reader = JournalReader(journal, tournament.record)
        forfeited = _forfeited(reader, recorded * tournament.schedule.per_set_up)
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


def _forfeited(reader: JournalReader, end: int) -> set[int]:
    """Numbers below `end` of the games that somebody forfeited: they have no record. Closes the reader."""
    numbers: set[int] = set()
    try:
        while len(records := reader.read()):
            mine = records[(records["ending"] == FORFEITED) & (records["game"] < end)]
            numbers.update(mine["game"].tolist())
    finally:
        reader.close()
    return numbers


def _join(folder: Path, table: int, numbers: list[int]) -> list[str]:
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
