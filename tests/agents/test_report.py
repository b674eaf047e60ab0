"""The arena's report: one page, with any names and with missing figures."""

import copy
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from spacemission_agents.report import page as report_module
from spacemission_agents.report.html import Mark, interval_plot
from spacemission_agents.report.page import html_page, write_report
from spacemission_agents.report.text import milliseconds, points, rating_interval, shortened
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json
from tests.support.tournaments import held

AGENTS = ["random", "my.bots.CautiousBot", "policy/early", "another"]
PNG = b"\x89PNG\r\n\x1a\nno picture, but it begins like one"
VOID = {"meta", "img", "wbr"}


def example(players: int = 3) -> Json:
    """A report of the arena, with forfeits and records that it did not have."""
    report = held([f"{name}=random" for name in AGENTS], players, 6, game="kuhn_poker")
    forfeit = {"agent": AGENTS[1], "seed": 6917529027641081856, "seat": 1, "kind": "failed"}
    reason = "failed with ZeroDivisionError: division by zero"
    report["forfeits"] = [{**forfeit, "game": k, "reason": reason} for k in range(5)]
    report["forfeits_total"] = 31
    table = {"table": AGENTS[:players], "games": 2}
    report["records"] = [{"file": f"records/table-{k:03d}.jsonl", **table} for k in range(4)]
    return report


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


@pytest.mark.parametrize("players", [2, 3])
def test_the_page_is_whole_and_stands_alone(players: int) -> None:
    text = html_page(example(players), [("learning curve", PNG)])
    page = Page(text)
    assert page.wrong == []
    for name in AGENTS:
        assert page.text.count(name) >= 4  # ladder, pairs, scores, and the plot's title
    for outside in ("<script", "http:", "https:", "url(", "@import", "<link", "<iframe", "javascript"):
        assert outside not in text
    assert [source[:22] for source in page.sources] == ["data:image/png;base64,"]
    assert ("<h2>Tables</h2>" in text) == (players > 2)


def test_links_are_those_of_the_records() -> None:
    report = example()
    report["records"][0]["file"] = "records/a b#c?d&e.jsonl"
    page = Page(html_page(report))
    files = [record["file"] for record in report["records"]]
    assert [unquote(link) for link in page.links] == files and "b#c" not in page.links[0]
    assert "spacemission replay 'records/a b#c?d&e.jsonl' --number 1" in page.text


@pytest.mark.parametrize("name", ["<b>", '"><script>alert(1)</script>', "a&amp;b", "it's", "</title></svg>"])
def test_names_and_reasons_are_escaped(name: str) -> None:
    plain = Page(html_page(example()))
    report = renamed(example(), AGENTS[1], name)
    report["forfeits"][0]["reason"] = f"failed with {name}"
    report["records"][0]["file"] = f"records/{name}.jsonl"
    page = Page(html_page(report))
    assert page.wrong == []
    assert page.tags == plain.tags
    assert page.text.count(name) >= 6
    assert f"failed with {name}" in page.text


def test_an_agent_without_games_has_dashes_and_stands_last() -> None:
    report = example(2)
    name = report["ratings"][0]["agent"]
    nothing = dict.fromkeys(("rating", "low", "high"))
    report["ratings"] = [*report["ratings"][1:], {**report["ratings"][0], **nothing, "anchor": False}]
    row = next(row for row in report["ladder"] if row["agent"] == name)
    row.update(games=0, win_share=None, low=None, high=None, decisions=None, ms_per_decision=None)
    row["scores"] = dict.fromkeys(row["scores"])
    report["pairs"] = [pair for pair in report["pairs"] if name not in (pair["agent"], pair["other"])]
    text = html_page(report)
    page = Page(text)
    assert page.wrong == [] and "None" not in page.text and "nan" not in page.text
    line = text[text.index("4.&nbsp;") :]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", line[: line.index("</tr>")])
    assert cells == ["–<small>–</small>", "–<small>–</small>", "0", "–", "–", "0"]
    plot = ElementTree.fromstring(re.findall("<svg.*?</svg>", text)[0])
    assert len(plot.findall("circle")) == 3
    assert "<td>–</td>" in text[text.index("Who finishes ahead of whom") :]


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


def test_figures_for_people() -> None:
    assert [points(value) for value in (1394.6, -20.2, None)] == ["1,395", "−20", "–"]
    assert rating_interval({"low": -3.0, "high": 1200.0, "anchor": False}) == "−3 to 1,200"
    assert rating_interval({"low": 0.0, "high": 0.0, "anchor": True}) == "fixed"
    assert rating_interval({"low": None, "high": None, "anchor": False}) == "–"
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
    report = renamed(example(), "another", "policy:\udc80")
    write_report(tmp_path, report)
    assert json.loads((tmp_path / "arena.json").read_text("utf-8")) == report
    assert Page((tmp_path / "report.html").read_text("utf-8")).wrong == []
