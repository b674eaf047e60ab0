"""The arena's report: one JSON object, and an HTML page that needs nothing from outside.

Both are made from the same object, so the page shows what a program reads.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacemission_agents.batch import Results
from spacemission_agents.ladder import endings, ladder, pair_table, seat_figures, table_figures
from spacemission_agents.report_html import html_page
from spacemission_agents.report_text import (
    LADDER_HEAD,
    TABLES_HEAD,
    interval,
    ladder_cells,
    percent,
    score_cells,
    table_cells,
)
from spacemission_env.components import Components
from spacemission_env.errors import AgentError
from spacemission_env.options import Rules
from spacemission_env.version import __version__

__all__ = [
    "LADDER_HEAD",
    "TABLES_HEAD",
    "arena_report",
    "header",
    "html_page",
    "interval",
    "ladder_cells",
    "percent",
    "play_report",
    "prepare_folder",
    "read_pictures",
    "score_cells",
    "table_cells",
    "write_report",
]

FORMAT = 1
JSON_FILE = "arena.json"
HTML_FILE = "report.html"


def header(command: str, seed: int, players: int, rules: Rules, components: Components) -> dict[str, Any]:
    """What a result has to say about how it came about."""
    return {
        "type": command,
        "format": FORMAT,
        "env": "space_mission_v0",
        "environment_version": __version__,
        "seed": seed,
        "players": players,
        "rules": rules.for_players(players).to_json(),
        "components": {"name": components.name, "sha256": components.sha256},
    }


def arena_report(head: dict[str, Any], results: Results, names: list[str]) -> dict[str, Any]:
    """The arena's JSON: `ladder`, `pairs`, `tables` (ladder.py), `equal_share`, `set_ups`, endings."""
    return {
        **head,
        **endings(results),
        "set_ups": len(set(results.seeds.tolist())),
        "equal_share": 1 / head["players"],
        "agents": names,
        "ladder": ladder(results, names),
        "pairs": pair_table(results, names),
        "tables": table_figures(results, names),
    }


def play_report(head: dict[str, Any], results: Results, names: Sequence[str]) -> dict[str, Any]:
    """The JSON of `play`: figures by seat, and every game's outcome."""
    seats = []
    for seat, name in enumerate(names):
        marked = results.winners & False
        marked[:, seat] = True
        seats.append({"seat": seat, "agent": name, **seat_figures(results, marked)})
    results_of = [
        {
            "seed": int(results.seeds[g]),
            "totals": results.scores[g, :, -1].tolist(),
            "winners": [seat for seat in range(len(names)) if results.winners[g, seat]],
            "rounds": int(results.rounds[g]),
            "reason": "truncated" if results.truncated[g] else "finished",
        }
        for g in range(len(results.seeds))
    ]
    return {**head, **endings(results), "agents": list(names), "seats": seats, "results": results_of}


def prepare_folder(folder: str | Path) -> None:
    """Make the report folder; AgentError where it cannot be made or written to."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise AgentError(f"report folder {str(folder)!r}: cannot be made: {reason}") from None
    if not os.access(folder, os.W_OK):
        raise AgentError(f"report folder {str(folder)!r}: cannot be written")


def read_pictures(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Name and bytes of PNG files for the report; AgentError where one is none."""
    pictures = []
    for path in paths:
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise AgentError(f"picture {path!r}: {error.strerror or error}") from None
        if not data.startswith(b"\x89PNG\r\n"):
            raise AgentError(f"picture {path!r}: not a PNG file")
        pictures.append((Path(path).stem, data))
    return pictures


def write_report(
    folder: str | Path, report: dict[str, Any], pictures: Sequence[tuple[str, bytes]] = ()
) -> None:
    """Write `arena.json` and `report.html` into a folder, each file whole or not at all.

    Raises:
        AgentError: the folder cannot be written.
    """
    folder = Path(folder)
    prepare_folder(folder)
    try:
        _replace(folder / JSON_FILE, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        _replace(folder / HTML_FILE, html_page(report, pictures))
    except OSError as error:
        reason = error.strerror or error
        raise AgentError(f"report folder {str(folder)!r}: cannot be written: {reason}") from None


def _replace(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        aside.write_bytes(text.encode("utf-8", "backslashreplace"))  # a file name can hold stray bytes
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
