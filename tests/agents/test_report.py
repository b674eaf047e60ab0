"""The arena's report: one page, with any names and with missing figures."""

from __future__ import annotations

import copy
import json
import re
from html.parser import HTMLParser
from itertools import combinations, permutations
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

from spacemission_agents.arena.report import header
from spacemission_agents.report import page as report_module
from spacemission_agents.report.html import Bar, Mark, interval_plot, stack_plot
from spacemission_agents.report.page import html_page, write_report
from spacemission_agents.report.text import milliseconds, points, rating_interval, shortened
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine.constants import SCORE_NAMES
from spacemission_env.games.space_mission.options import Rules

AGENTS = {  # agent: rating
    "ismcts:runs/demo/model:400?rollouts": 1822.0,
    "policy:runs/demo/model": 1705.0,
    "ismcts:400": 1640.0,
    "heuristic": 1490.0,
    "greedy": 1304.0,
    "my_package.bots:CautiousBot": 930.0,
    "policy:runs/early/model?sample": 410.0,
    "random": 0.0,
}
PNG = b"\x89PNG\r\n\x1a\nno picture, but it begins like one"
VOID = {"meta", "img", "wbr"}


def example(players: int = 3, agents: dict[str, float] | None = None) -> Json:
    """A report in the form of the arena's, with figures that roughly agree with the ratings."""
    ratings = AGENTS if agents is None else agents
    rng = np.random.default_rng(0)
    power = {name: 10 ** (rating / 400) for name, rating in ratings.items()}
    tables = list(combinations(ratings, players))
    wins = {
        a: float(np.mean([power[a] / sum(power[b] for b in t) for t in tables if a in t])) for a in ratings
    }
    return {
        **header("arena", 7, players, Rules(), load_components()),
        "games": 300 * len(tables), "finished": 300 * len(tables) - 12, "truncated": 12, "rounds": 17.3,
        "set_ups": 100, "equal_share": 1 / players, "agents": list(ratings),
        "stopped_by": "interval", "interval_asked": 1.5,
        "ladder": [ladder_row(name, rating, wins[name], rng) for name, rating in ratings.items()],
        "ratings": [
            {"agent": name, "rating": rating, "low": rating - 18.4, "high": rating + 19.2, "anchor": False}
            if name not in ("random", "greedy")
            else {"agent": name, "rating": rating, "low": rating, "high": rating, "anchor": True}
            for name, rating in sorted(ratings.items(), key=lambda item: -item[1])
        ],
        "ratings_note": "Plackett–Luce ratings: 400 points are odds of 10 to 1. Fixed: random at 0.",
        "pairs": [pair_row(a, b, power) for a, b in permutations(ratings, 2)],
        "tables": [
            {"agent": a, "seats": 1, "others": [b for b in table if b != a], "equal": 1 / players,
             "games": 300, "share": 0.4, "low": 0.36, "high": 0.44}
            for table in tables for a in table
        ],
        "forfeits": [
            {"game": 4801 + k, "seed": 6917529027641081856 + k, "agent": "my_package.bots:CautiousBot",
             "seat": k % players, "reason": "failed", "text": "with ZeroDivisionError: division by zero"}
            for k in range(5)
        ],
        "forfeits_total": 31,
        "records": [
            {"file": f"records/table_{k:03d}.jsonl", "table": list(table), "games": 2}
            for k, table in enumerate(tables)
        ],
    }  # fmt: skip


def ladder_row(name: str, rating: float, share: float, rng: np.random.Generator) -> Json:
    scores = dict(zip(SCORE_NAMES, rng.uniform(0.5, 4 + rating / 120, 9).tolist(), strict=True))
    scores["space"] = 0.0
    scores["total"] = sum(scores[part] for part in SCORE_NAMES[:-1])
    own = name.startswith("my_package")
    return {
        "agent": name, "games": 6300, "win_share": share, "low": max(0.0, share - 0.012),
        "high": min(1.0, share + 0.013), "scores": scores, "decisions": 31.2 + rating / 200,
        "ms_per_decision": None if own else 10 ** (rating / 500 - 2.5), "forfeits": 31 if own else 0,
    }  # fmt: skip


def pair_row(a: str, b: str, power: dict[str, float]) -> Json:
    share = power[a] / (power[a] + power[b])
    low, high = max(0.0, share - 0.021), min(1.0, share + 0.02)
    return {"agent": a, "other": b, "games": 1800, "share": share, "low": low, "high": high}


class Page(HTMLParser):
    """Reads the text, links and tags of a page; `wrong`: tags that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "wbr":  # depends on the names
            self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        given = dict(attrs)
        assert len(given) == len(attrs), f"{tag}: an attribute twice"
        self.links += [given["href"] or ""] if "href" in given else []
        self.sources += [given["src"] or ""] if "src" in given else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def renamed(report: Json, old: str, new: str) -> Json:
    return json.loads(json.dumps(report).replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1]))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_page_is_whole_and_stands_alone(players: int) -> None:
    report = example(players)
    text = html_page(report, [("learning curve", PNG)])
    page = Page(text)
    assert page.wrong == []
    for name in AGENTS:
        assert page.text.count(name) >= 4  # ladder, pairs, scores, and a plot's title
    for outside in ("<script", "http:", "https:", "url(", "@import", "<link", "<iframe", "javascript"):
        assert outside not in text
    assert [source[:22] for source in page.sources] == ["data:image/png;base64,"]
    assert all(
        re.search(rf"{quote}{heading}<", text) for quote, heading in [("<h2>", "Ladder"), (">", "Forfeits")]
    )
    assert ("<h2>Tables</h2>" in text) == (players > 2)


def test_every_link_is_relative_and_of_the_report() -> None:
    report = example()
    report["records"][0]["file"] = "records/a b#c?d&e.jsonl"
    report["records"][1]["file"] = "../elsewhere.jsonl"
    report["records"][2]["file"] = "/etc/hosts"
    report["records"][3]["file"] = "javascript:alert(1)"
    page = Page(html_page(report))
    files = [record["file"] for record in report["records"]]
    assert [unquote(link) for link in page.links] == [files[0], *files[3:]]
    assert all(re.fullmatch(r"[\w%./-]+", link) and not link.startswith("/") for link in page.links)
    assert all(file in page.text for file in files)
    assert "spacemission replay 'records/a b#c?d&e.jsonl' --number 1" in page.text


@pytest.mark.parametrize("name", ["<b>", '"><script>alert(1)</script>', "a&amp;b", "it's", "</title></svg>"])
def test_names_and_reasons_are_escaped(name: str) -> None:
    plain = Page(html_page(example()))
    report = renamed(example(), "my_package.bots:CautiousBot", name)
    report["forfeits"][0]["text"] = f"with {name}"
    report["records"][0]["file"] = f"records/{name}.jsonl"
    page = Page(html_page(report))
    assert page.wrong == []
    assert page.tags == plain.tags
    assert page.text.count(name) >= 6
    assert f"failed: with {name}" in page.text


def test_what_is_missing_is_a_dash_or_left_out() -> None:
    report = example(2)
    for key in ("ratings", "ratings_note", "forfeits", "forfeits_total", "stopped_by", "records"):
        del report[key]
    del report["interval_asked"]
    for row in report["ladder"]:
        del row["ms_per_decision"], row["forfeits"]
    report["pairs"] = report["pairs"][1:]
    last = report["ladder"][-1]
    last.update(games=0, win_share=None, low=None, high=None, decisions=None, scores=None)
    text = html_page(report)
    page = Page(text)
    assert page.wrong == []
    assert "None" not in page.text and "nan" not in page.text
    for heading in ("Ratings", "Forfeits", "Games to watch", "Tables"):
        assert f"<h2>{heading}</h2>" not in text
    line = text[text.index("8.&nbsp;random") :]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", line[: line.index("</tr>")])
    assert cells == ["–<small>–</small>", "–", "–<small>–</small>", "0", "–", "–", "–"]
    assert "<td>–</td>" in text[text.index("Who finishes ahead of whom") :]


def test_agents_without_a_rating_stand_last_and_outside_the_plot() -> None:
    report = example()
    report["ratings"] = [row for row in report["ratings"] if row["agent"] != "heuristic"]
    report["ratings"].append(
        {"agent": "heuristic", "rating": None, "low": None, "high": None, "anchor": False}
    )
    page = Page(html_page(report))
    assert page.wrong == []
    assert "8.\xa0heuristic" in page.text and "4.\xa0greedy" in page.text
    plot = ElementTree.fromstring(re.findall("<svg.*?</svg>", html_page(report))[0])
    assert len(plot.findall("circle")) == 7
    assert [dot.get("class") for dot in plot.findall("circle")].count("fixed") == 2


@pytest.mark.parametrize(
    ("stopped_by", "asked", "words"),
    [
        ("games", None, "after the requested number of games."),
        ("interval", 1.5, "narrow enough. Requested: intervals within ± 1.5 percentage points."),
        ("minutes", 0.5, "after the requested time. Requested: intervals within ± 0.5 percentage points."),
    ],
)
def test_why_it_ended_is_said(stopped_by: str, asked: float | None, words: str) -> None:
    report = {**example(2), "stopped_by": stopped_by, "interval_asked": asked}
    text = Page(html_page(report)).text
    assert words in text
    assert ("Requested" in text) == (asked is not None)


def test_forfeits_are_counted_and_explained() -> None:
    report = example()
    text = Page(html_page(report)).text
    assert "The first 5 of 31." in text
    assert "31 forfeited" in text
    assert text.count("division by zero") == 5
    del report["forfeits"][0]["text"]
    assert Page(html_page(report)).text.count("division by zero") == 4
    report.update(forfeits=[], forfeits_total=0)
    assert "None: no agent failed" in Page(html_page(report)).text


# ---------------------------------------------------------------- plots and figures


def per_cent(element: ElementTree.Element, key: str) -> float:
    value = element.get(key)
    assert value is not None and value.endswith("%")
    return float(value[:-1])


def test_the_interval_plot_puts_values_in_place() -> None:
    marks = [
        Mark("top", 1000, 900, 1200, "", False),
        Mark("fixed", 0, 0, 0, "", True),
        Mark("x", 500, None, None, ""),
    ]
    plot = ElementTree.fromstring(interval_plot(marks, "a & b", points))
    x = [per_cent(dot, "cx") for dot in plot.findall("circle")]
    assert x[2] - x[1] == pytest.approx(x[0] - x[2], abs=0.02)
    whiskers = [line for line in plot.findall("line") if line.get("class") == "whisker"]
    assert len(whiskers) == 3
    unit = (x[0] - x[1]) / 1000
    ends = sorted(per_cent(line, "x1") for line in whiskers[:2])
    assert ends == pytest.approx([x[0] - 100 * unit, x[0] + 200 * unit], abs=0.02)
    places = [per_cent(e, key) for e in plot.iter() for key in ("x1", "x2", "cx") if e.get(key)]
    assert min(places) >= 0 and max(places) <= 100
    assert interval_plot([], "none", points) == ""
    assert interval_plot([Mark("only", 3, 3, 3, "")], "one", points).count("<circle") == 1


def test_stacks_are_as_long_as_their_parts_and_go_below_zero() -> None:
    bars = [
        Bar("one", {"a": 3, "b": 1, "c": 0, "not shown": 90}, "4"),
        Bar("two", {"a": 2, "b": -2, "c": 4}, "4"),
    ]
    plot = ElementTree.fromstring(stack_plot(bars, "scores", {"a": "c0", "b": "c1", "c": "c2"}))
    parts = [
        (per_cent(rect, "x"), per_cent(rect, "width"), rect.get("class")) for rect in plot.findall("rect")
    ]
    assert [kind for *_, kind in parts] == ["c0", "c1", "c0", "c1", "c2"]
    unit = parts[0][1] / 3
    assert [width / unit for _, width, _ in parts] == pytest.approx([3, 1, 2, 2, 4], abs=0.01)
    zero = parts[0][0]
    assert max(x + width for x, width, _ in parts) > 95  # the longest nearly fills the width
    assert [(x - zero) / unit for x, *_ in parts] == pytest.approx([0, 3, 0, -2, 2], abs=0.01)
    for empty in ([Bar("zero", {}, "0")], []):
        assert "<rect" not in stack_plot(empty, "nothing", {"a": "c0"})


def test_figures_for_people() -> None:
    assert [points(value) for value in (1394.6, -20.2, None)] == ["1,395", "−20", "–"]
    assert rating_interval({"low": -3.0, "high": 1200.0, "anchor": False}) == "−3 to 1,200"
    assert rating_interval({"low": 0.0, "high": 0.0, "anchor": True}) == "fixed"
    assert rating_interval({}) == "–"
    assert [milliseconds(value) for value in (None, 0.01234, 3.21, 1234.5)] == ["–", "0.012", "3.2", "1,234"]
    assert (shortened("policy:a/b", 10), shortened("policy:a/bc", 10)) == ("policy:a/b", "…licy:a/bc")


# ---------------------------------------------------------------- files


def test_files_are_whole_or_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = example()
    write_report(tmp_path / "out", report, [("curve", PNG)])
    files = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    assert sorted(files) == ["arena.json", "report.html"]
    assert json.loads(files["arena.json"]) == report
    assert files["report.html"].decode() == html_page(report, [("curve", PNG)])
    changed = {**copy.deepcopy(report), "seed": 8}

    def full(source: Path, target: Path) -> None:
        assert Path(source).parent == Path(target).parent  # a rename within one folder
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report_module.os, "replace", full)
    with pytest.raises(AgentError, match="cannot be written: No space left on device"):
        write_report(tmp_path / "out", changed)
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == files


def test_a_folder_is_made_or_refused(tmp_path: Path) -> None:
    write_report(tmp_path / "deep" / "out", example(2))
    (tmp_path / "file").write_text("")
    with pytest.raises(AgentError, match="cannot be made"):
        write_report(tmp_path / "file" / "out", example(2))


def test_a_name_with_stray_bytes_is_written(tmp_path: Path) -> None:
    report = renamed(example(), "heuristic", "policy:\udc80")
    write_report(tmp_path, report)
    assert json.loads((tmp_path / "arena.json").read_text("utf-8")) == report
    assert Page((tmp_path / "report.html").read_text("utf-8")).wrong == []
