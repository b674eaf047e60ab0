"""The folder of a tournament: `tournament.json` (its definition), `games.bin` (the journal), `records`.

One run at a time works in it: it holds a lock on the definition, and its playing processes a shared one
on the journal (journal.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacemission_agents.arena.definition import Tournament
from spacemission_agents.arena.storage.journal import JournalError, lock, mend
from spacemission_agents.arena.storage.parts import make_parts
from spacemission_agents.report.folder import prepare_folder
from spacemission_env.core.reading import DEFINITION_BYTES, loads, open_regular

DEFINITION_FILE = "tournament.json"
JOURNAL_FILE = "games.bin"


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
        mend(journal, tournament.record.itemsize)
        if tournament.records:
            make_parts(folder, len(tournament.schedule.tables))
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
