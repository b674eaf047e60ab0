"""Writes a tournament's report as one HTML page without scripts and external files."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from spacemission_agents.arena.sequential import lines as test_lines
from spacemission_agents.report import html, text
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import game_of_env
from spacemission_env.core.reading import PICTURE_BYTES, Json, checked_path, read_bytes
from spacemission_env.core.writing import write_whole

JSON_FILE = "arena.json"
HTML_FILE = "report.html"
Report = Json
Row = Json

STOPPED_BY = {
    "games": "It ended after the requested number of games.",
    "interval": "It ended when the intervals were narrow enough.",
    "minutes": "It ended after the requested time.",
    "test": "It ended when the test was decided.",
}


def html_page(report: Report, pictures: Sequence[tuple[str, bytes]] = ()) -> str:
    """The report as a page; `pictures`: names and bytes of PNG files."""
    rows = ranked(report)
    parts = [
        _summary(report),
        _ladder(report, rows),
        _ratings(report),
        _pairs(report, rows),
        _scores(rows),
        _tables(report),
        _forfeits(report),
        _models(report),
        _records(report),
        *(html.picture(name, data) for name, data in pictures),
        _settings(report),
    ]
    return html.document(_title(report), parts)


def _title(report: Report) -> str:
    game = game_of_env(report["env"])
    return escape(f"{report['env'] if game is None else game.title} arena")


def ranked(report: Report) -> list[Row]:
    """The ladder's rows, sorted by rating; each gets an entry `rated`, the agent's row in the ratings."""
    ladder = {row["agent"]: row for row in report["ladder"]}
    return [{**ladder[rated["agent"]], "rated": rated} for rated in report["ratings"]]


# ---------------------------------------------------------------- sections


def _summary(report: Report) -> str:
    asked, forfeited, verdict = report["interval_asked"], report["forfeits_total"], report.get("conclusion")
    finished, truncated, games, set_ups = (
        text.whole(report[key]) for key in ("finished", "truncated", "games", "set_ups")
    )
    ends = [
        f"{finished} finished, {truncated} stopped by the round limit",
        f", {text.whole(forfeited)} forfeited" if forfeited else "",
        f"; {text.decimal(report['rounds'])} rounds on average. ",
        STOPPED_BY[report["stopped_by"]],
        "" if asked is None else f" Requested: intervals within ± {asked:g} percentage points.",
    ]
    return (
        f"<h1>{_title(report)}: {len(report['ladder'])} agents, {report['players']} players</h1>\n"
        + (f'<p class="lead"><strong>{html.breakable(verdict)}.</strong></p>\n' if verdict else "")
        + f'<p class="lead">{games} games over {set_ups} set-ups, each '
        f"played in every rotation of the seats; seed {report['seed']}.</p>"
        + html.note("".join(ends))
        + "".join(map(html.note, test_lines(report["test"]) if "test" in report else ()))
    )


def _ladder(report: Report, rows: Sequence[Row]) -> str:
    head = ["agent", "rating", "win share", "games", "decisions / game", "ms / decision", "forfeits"]
    cells = [
        [
            html.placed(place, row["agent"]),
            html.two_lines(text.points(row["rated"]["rating"]), text.rating_interval(row["rated"])),
            html.two_lines(text.percent(row["win_share"]), text.interval(row)),
            text.whole(row["games"]),
            text.decimal(row["decisions"]),
            text.milliseconds(row["ms_per_decision"]),
            text.whole(row["forfeits"]),
        ]
        for place, row in enumerate(rows, 1)
    ]
    return html.section(
        "Ladder",
        html.table(head, cells),
        html.note(
            "All intervals are 95 %. Win share: mean share of the win in a game; equal players have "
            f"{text.percent(report['equal_share'])}."
        ),
    )


def _ratings(report: Report) -> str:
    marks = [
        html.Mark(
            row["agent"],
            row["rating"],
            row["low"],
            row["high"],
            f"{text.points(row['rating'])} ({text.rating_interval(row)})",
            row["anchor"],
        )
        for row in report["ratings"]
        if row["rating"] is not None
    ]
    fixed = "Hollow dots are agents whose rating is fixed. " if any(mark.fixed for mark in marks) else ""
    plot = html.interval_plot(marks, "Ratings with 95 % intervals", text.points)
    return html.section("Ratings", plot, html.note(fixed + report["ratings_note"]))


def _pairs(report: Report, rows: Sequence[Row]) -> str:
    shares = {(row["agent"], row["other"]): row for row in report["pairs"]}
    names = [row["agent"] for row in rows]
    body = "".join(
        f'<tr><th scope="row">{html.placed(place, a)}</th>'
        + "".join(_heat_cell(shares.get((a, b)), a == b) for b in names)
        + "</tr>\n"
        for place, a in enumerate(names, 1)
    )
    above = "".join(
        f'<th scope="col" title="{escape(name)}">{place}</th>' for place, name in enumerate(names, 1)
    )
    return html.section(
        "Who finishes ahead of whom",
        '<p class="key note"><span><i class="under" style="--d:1"></i>seldom</span>'
        '<span><i class="under" style="--d:.4"></i></span><span>50 %</span>'
        '<span><i class="over" style="--d:.4"></i></span>'
        '<span><i class="over" style="--d:1"></i>often</span></p>',
        '<div class="wide"><table class="heat"><thead><tr><th scope="col">ahead of →</th>'
        f"{above}</tr></thead>\n<tbody>{body}</tbody></table></div>",
        html.note(
            "Per cent of common games in which the row's agent finished ahead of the column's agent, with "
            "95 % interval; a tie counts one half. Bold: the interval does not contain 50 %."
        ),
    )


def _heat_cell(row: Row | None, same: bool) -> str:
    if row is None or row["share"] is None:
        return f"<td>{'' if same else text.MISSING}</td>"
    share, low, high = row["share"], row["low"], row["high"]
    kind, depth = "over" if share >= 0.5 else "under", abs(2 * share - 1)
    number = f"{100 * share:.1f}" if low <= 0.5 <= high else f"<b>{100 * share:.1f}</b>"
    between = f"{100 * low:.1f}–{100 * high:.1f}"
    return f'<td class="{kind}" style="--d:{depth:.2f}">{number}<small>{between}</small></td>'


def _scores(rows: Sequence[Row]) -> str:
    names = text.score_names(rows)
    cells = [[html.breakable(row["agent"]), *text.score_cells(row, names)] for row in rows]
    return html.section("Mean scores", html.table(["agent", *names], cells))


def _tables(report: Report) -> str:
    """Win shares for each set of agents that met at a table; "" for 2 players: `_pairs` shows the same."""
    rows = report["tables"]
    if report["players"] == 2:
        return ""
    cells = [[html.breakable(cell) for cell in text.table_cells(row)] for row in rows]
    return html.section(
        "Tables",
        html.folded(html.table(text.TABLES_HEAD, cells, texts=[1]), len(rows)),
        html.note("Win share: of all seats of the agent together."),
    )


def _forfeits(report: Report) -> str:
    rows, total = report["forfeits"], report["forfeits_total"]
    if not total:
        return html.section(
            "Forfeits", html.note("None: no agent failed, played an illegal move or took too long.")
        )
    head = ["agent", "game", "seed", "seat", "reason"]
    cells = [[html.breakable(str(row[key])) for key in head] for row in rows]
    of = f"The first {len(rows)} of {total:,}." if len(rows) < total else f"{total:,} in all."
    return html.section("Forfeits", html.note(of), html.folded(html.table(head, cells, texts=[4]), len(rows)))


def _models(report: Report) -> str:
    notes = [html.note(f"{row['agent']}: {text.model_words(row)}") for row in report.get("models") or []]
    return html.section("Language models", *notes) if notes else ""


def _records(report: Report) -> str:
    found = report["records"]
    if not found:
        return ""
    cells = [
        [_link(row["file"]), html.breakable(", ".join(row["table"])), text.whole(row["games"])]
        for row in found
    ]
    command = f"spacemission replay {shlex.quote(found[0]['file'])} --number 1"
    return html.section(
        "Games to watch",
        f"<p>In the folder of this page: <code>{escape(command)}</code></p>",
        html.folded(html.table(["record", "agents at the table", "games"], cells, texts=[1]), len(found)),
    )


def _link(file: str) -> str:
    return f'<a href="{escape(quote(file))}">{html.breakable(file)}</a>'


def _settings(report: Report) -> str:
    components = f"{report['components']['name']} ({report['components']['sha256'][:12]}…)"
    labels = zip(report["agents"], report["specs"], strict=True)
    rows = [
        *((f"agent {name}", spec) for name, spec in labels if name != spec),
        ("environment version", report["environment_version"]),
        ("components", components),
        ("seed", str(report["seed"])),
        *((f"rules: {name}", str(value)) for name, value in report["rules"].items()),
    ]
    return html.section(
        "Played with",
        html.table(
            ["setting", "value"], [[html.breakable(a), html.breakable(b)] for a, b in rows], texts=[1]
        ),
    )


# ---------------------------------------------------------------- files


def prepare_folder(folder: str | Path) -> None:
    """Make the report folder; AgentError if it cannot be made or written to."""
    try:
        checked_path(folder, "report folder").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise AgentError(f"report folder {str(folder)!r}: cannot be made: {reason}") from None
    if not os.access(folder, os.W_OK):
        raise AgentError(f"report folder {str(folder)!r}: cannot be written")


def read_pictures(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Names and bytes of PNG files for the report; AgentError if a file is not a PNG."""
    pictures = []
    for path in paths:
        data = read_bytes(path, PICTURE_BYTES, AgentError, f"picture {path!r}")
        if not data.startswith(b"\x89PNG\r\n"):
            raise AgentError(f"picture {path!r}: not a PNG file")
        pictures.append((Path(path).stem, data))
    return pictures


def write_report(folder: str | Path, report: Report, pictures: Sequence[tuple[str, bytes]] = ()) -> None:
    """Write `arena.json` and `report.html` to a folder atomically; AgentError if they cannot be written."""
    folder = Path(folder)
    prepare_folder(folder)
    texts = {
        JSON_FILE: json.dumps(report, indent=2, ensure_ascii=False) + "\n",
        HTML_FILE: html_page(report, pictures),
    }
    try:
        for name, content in texts.items():
            # A file name in the report may contain bytes that are not UTF-8.
            write_whole(folder / name, content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        reason = error.strerror or error
        raise AgentError(f"report folder {str(folder)!r}: cannot be written: {reason}") from None
