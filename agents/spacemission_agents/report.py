"""The arena's report: one JSON object, and an HTML page that needs nothing from outside.

Both are made from the same object, so the page shows what a program reads.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from spacemission_agents.batch import Results
from spacemission_agents.ladder import endings, ladder, pair_table, seat_figures, table_figures
from spacemission_env.components import Components
from spacemission_env.engine.constants import SCORE_NAMES
from spacemission_env.errors import AgentError
from spacemission_env.options import Rules
from spacemission_env.version import __version__

FORMAT = 1
JSON_FILE = "arena.json"
HTML_FILE = "report.html"
TABLES_HEAD = ("agent", "against", "win share", "95 % interval", "equal players", "games")
LADDER_HEAD = ("agent", "win share", "95 % interval", "games", "decisions / game")

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       color: #1c2530; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .3rem .7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 2px solid #1c2530; } td { border-bottom: 1px solid #d5dbe2; }
.wide { overflow-x: auto; } .note { color: #55606c; font-size: .9rem; }
"""


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
        aside.write_text(text, encoding="utf-8")
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


# ---------------------------------------------------------------- HTML


def html_page(report: dict[str, Any], pictures: Sequence[tuple[str, bytes]] = ()) -> str:
    """The report as a page: ladder with chart, given pictures, pairs, mean scores, how it was played."""
    players, games = report["players"], report["games"]
    rows = report["ladder"]
    parts = [
        f"<h1>Space Mission arena: {len(rows)} agents, {players} players</h1>",
        f"<p>{games} games over {report['set_ups']} set-ups, each played in every rotation of the seats; "
        f"seed {report['seed']}. {report['finished']} finished, {report['truncated']} stopped by the round "
        f"limit; {report['rounds']:.1f} rounds on average.</p>",
        "<h2>Ladder</h2>",
        _table(LADDER_HEAD, map(ladder_cells, rows)),
        f'<p class="note">Share of the wins by seat, a shared win split among its winners; equal players '
        f"have {percent(report['equal_share'])}.</p>",
        bar_chart(rows, report["equal_share"]),
        *(_picture(name, data) for name, data in pictures),
        "<h2>Who places before whom</h2>",
        _pair_matrix(report),
        '<p class="note">Share of common games in which the agent of the row placed before that of the '
        "column; a tie counts one half.</p>",
        "<h2>Tables</h2>",
        _table(TABLES_HEAD, map(table_cells, report["tables"])),
        '<p class="note">Share of the wins that all seats of the agent took together.</p>',
        "<h2>Mean scores</h2>",
        _table(["agent", *SCORE_NAMES], ([row["agent"], *score_cells(row)] for row in rows)),
        "<h2>Played with</h2>",
        _table(["", ""], _settings(report)),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Space Mission arena</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _picture(name: str, data: bytes) -> str:
    # Inside the page, so that the one file can be handed on.
    source = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return f'<h2>{escape(name.capitalize())}</h2><img src="{source}" alt="{escape(name)}" width="100%">'


def percent(share: float | None) -> str:
    """A share for people."""
    return "–" if share is None else f"{100 * share:.2f} %"


def interval(row: dict[str, Any]) -> str:
    """An interval for people."""
    return "–" if row["low"] is None else f"{100 * row['low']:.2f} – {100 * row['high']:.2f} %"


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f'<div class="wide"><table>{line(head, "th")}{body}</table></div>'


def ladder_cells(row: dict[str, Any]) -> list[str]:
    """A row under `LADDER_HEAD`."""
    share = percent(row["win_share"])
    return [row["agent"], share, interval(row), str(row["games"]), f"{row['decisions']:.1f}"]


def table_cells(row: dict[str, Any]) -> list[str]:
    """A row under `TABLES_HEAD`."""
    agent = f"{row['agent']} in {row['seats']} seat{'s' * (row['seats'] != 1)}"
    against = ", ".join(row["others"])
    return [agent, against, percent(row["share"]), interval(row), percent(row["equal"]), str(row["games"])]


def score_cells(row: dict[str, Any]) -> list[str]:
    """Mean scores under `SCORE_NAMES`."""
    return [f"{row['scores'][name]:.1f}" for name in SCORE_NAMES]


def _pair_matrix(report: dict[str, Any]) -> str:
    shares = {(row["agent"], row["other"]): row for row in report["pairs"]}
    names = [row["agent"] for row in report["ladder"]]

    def cell(a: str, b: str) -> str:
        row = shares.get((a, b))
        return "" if row is None else f"{percent(row['share'])} ({interval(row)})"

    return _table(["", *names], ([a, *(cell(a, b) for b in names)] for a in names))


def _settings(report: dict[str, Any]) -> list[list[str]]:
    rules = [[f"rules: {name}", str(value)] for name, value in report["rules"].items()]
    components = f"{report['components']['name']} ({report['components']['sha256'][:12]}…)"
    return [["environment version", report["environment_version"]], ["components", components], *rules]


def bar_chart(rows: list[dict[str, Any]], equal_share: float) -> str:
    """Win shares as horizontal bars with their intervals, in one SVG element."""
    left, width, step = 220, 480, 34
    height = step * len(rows) + 30
    parts = [
        f'<svg role="img" aria-label="win shares" viewBox="0 0 {left + width + 80} {height}" width="100%" '
        'font-family="system-ui, sans-serif" font-size="14">'
    ]
    for i, row in enumerate(rows):
        y, share = step * i + 6, row["win_share"] or 0.0
        name = row["agent"] if len(row["agent"]) <= 24 else "…" + row["agent"][-23:]
        low, high = (left + width * (row[key] or 0.0) for key in ("low", "high"))
        middle = y + 11
        parts += [
            f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{left}" y="{y}" width="{width * share:.1f}" height="22" fill="#3f7cac"/>',
            f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {middle - 5}v10M{high:.1f} {middle - 5}v10" '
            'stroke="#1c2530" fill="none"/>',
            f'<text x="{left + width + 8}" y="{y + 16}">{percent(row["win_share"])}</text>',
        ]
    x = left + width * equal_share
    parts += [
        f'<path d="M{x:.1f} 0V{height - 24}" stroke="#b3541e" stroke-dasharray="4 4"/>',
        f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle" fill="#b3541e">equal players</text>',
        "</svg>",
    ]
    return "".join(parts)
