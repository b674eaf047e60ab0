"""The report's later sections: tables, forfeits, records to watch, pictures, settings."""

from __future__ import annotations

import base64
import shlex
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from spacemission_agents.report.pieces import breakable, folded, note, section, table
from spacemission_agents.report.text import TABLES_HEAD, table_cells, whole

Report = dict[str, Any]


def tables(report: Report) -> str:
    """Who won how much at which table; with 2 players the pairs say it already."""
    rows = report.get("tables") or []
    if report["players"] == 2 or not rows:
        return ""
    cells = [[breakable(cell) for cell in table_cells(row)] for row in rows]
    return section(
        "Tables",
        folded(table(TABLES_HEAD, cells, texts=[1]), len(rows)),
        note("Share of the wins that all seats of the agent took together."),
    )


def forfeits(report: Report) -> str:
    """Games that an agent lost by failing or playing an illegal move; a report lists the first of them."""
    rows, total = report.get("forfeits") or [], report.get("forfeits_total")
    if total is None:
        return ""
    if not total:
        return section("Forfeits", note("None: no agent failed, played an illegal move or took too long."))
    head = ["agent", "game", "seed", "seat", "reason"]
    told = [{**row, "reason": ": ".join(filter(None, (row["reason"], row.get("text"))))} for row in rows]
    cells = [[breakable(str(row[key])) for key in head] for row in told]
    of = f"The first {len(rows)} of {total:,}." if len(rows) < total else f"{total:,} in all."
    return section("Forfeits", note(of), folded(table(head, cells, texts=[4]), len(rows)))


def records(report: Report) -> str:
    """Links to the records, and how to watch them."""
    found = report.get("records") or []
    if not found:
        return ""
    cells = [
        [_link(row["file"]), breakable(", ".join(row["table"])), whole(row.get("games"))] for row in found
    ]
    command = f"spacemission replay {shlex.quote(found[0]['file'])} --number 1"
    return section(
        "Games to watch",
        f"<p>In the folder of this page: <code>{escape(command)}</code></p>",
        folded(table(["record", "agents at the table", "games"], cells, texts=[1]), len(found)),
    )


def _link(file: str) -> str:
    path = PurePosixPath(file)
    if path.is_absolute() or ".." in path.parts:  # would not stay with the page
        return breakable(file)
    return f'<a href="{escape(quote(file))}">{breakable(file)}</a>'


def picture(name: str, data: bytes) -> str:
    """A PNG, inside the page, so that the one file can be handed on."""
    source = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return section(name.capitalize(), f'<img src="{source}" alt="{escape(name)}">')


def settings(report: Report) -> str:
    """What the games were played with: version, box, seed, rules; and what labels stand for."""
    components = f"{report['components']['name']} ({report['components']['sha256'][:12]}…)"
    labels = zip(report.get("agents") or [], report.get("specs") or [], strict=False)
    rows = [
        *((f"agent {name}", spec) for name, spec in labels if name != spec),
        ("environment version", report["environment_version"]),
        ("components", components),
        ("seed", str(report["seed"])),
        *((f"rules: {name}", str(value)) for name, value in report["rules"].items()),
    ]
    return section(
        "Played with", table(["setting", "value"], [[breakable(a), breakable(b)] for a, b in rows], texts=[1])
    )
