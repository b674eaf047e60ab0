"""Tests of the documentation site without a build: contents, links and reference.

`make site` builds the site and checks all links in it.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.generators import api, site
from docs.generators.check_site import main, problems
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

CONFIG = (ROOT / "mkdocs.yml").read_text("utf-8")
NAV = yaml.safe_load(CONFIG[CONFIG.index("\nnav:") :])["nav"]


def contents(nav: list[Any]) -> list[str]:
    """The pages of a table of contents, in order."""
    found = []
    for one in nav:
        value = next(iter(one.values())) if isinstance(one, dict) else one
        found += contents(value) if isinstance(value, list) else [value]
    return found


def pages() -> dict[str, str]:
    """All pages of the site, with links as in the site."""
    written = {file.name: file.read_text("utf-8") for file in (ROOT / "docs").glob("*.md")}
    return {name: site.led_on(text, f"docs/{name}", name) for name, text in written.items()} | site.made()


def test_every_page_stands_in_the_contents_once() -> None:
    listed = contents(site.with_folders(NAV, list(site.made())))
    assert sorted(listed) == sorted(pages())
    assert listed[0] == "index.md"


def test_links_lead_to_pages_of_the_site() -> None:
    there = set(pages()) | {file.name for file in (ROOT / "docs").iterdir()}
    links = 0
    for name, text in pages().items():
        prose = re.sub(r"^(```|~~~~).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"(?<!`)\]\(([^)\s#]+)", prose):
            if ":" not in target:
                links += 1
                assert posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) in there, name
    assert links > 100


def test_links_are_led_on() -> None:
    text = "[a](../README.md#x) [b](../train/spacemission_train/export.py) [c](#here) [d](rules.md#set-up) [e](http://f)"
    led = site.led_on(text, "docs/play.md", "play.md")
    assert led == (
        "[a](index.md#x) b (`train/spacemission_train/export.py`) [c](#here) [d](rules.md#set-up) [e](http://f)"
    )
    assert site.led_on("[n](../notebooks/01_a.ipynb)", "docs/x.md", "x.md") == "[n](notebooks/01_a.md)"
    assert site.led_on("[r](../docs/rules.md)", "notebooks/a.md", "notebooks/a.md") == "[r](../rules.md)"
    assert site.led_on("[two\nlines](docs/rules.md)", "README.md") == "[two\nlines](rules.md)"
    code = "```python\n[a](../b.py)\n```"
    assert site.led_on(code, "docs/x.md", "x.md") == code


def test_every_public_name_is_in_the_reference() -> None:
    """The reference has the names in docs/stable.md and in `__all__` of their modules."""
    reference = "\n".join(api.pages().values())
    names = [name for listed in api.sections().values() for name in listed]
    assert len(names) > 60
    modules = {api.find(name)[0] for name in names}
    every = {*names, *api.more_of(modules)} - {"spacemission_env.__version__"}
    assert {name.rpartition(".")[0] for name in api.more_of(modules)} >= {"spacemission_env"}
    for name in every:
        module, value, owner = api.find(name)
        written = api.written(name, module, owner if owner is not None else value)
        assert f"::: {written}\n" in reference, name
        assert not callable(value) or value.__doc__, name


def test_broken_links_of_a_built_site_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="c.html">c</a><a href="b.html#no">b</a>'
        '<img src="https://elsewhere/x.png"><img src="data:image/png;base64,//AA"><img src="x.svg">'
        '<a href="#top">t</a>'
    )
    (tmp_path / "b.html").write_text(
        '<p id="there">B</p><a href="a.html">a</a><a href="https://elsewhere">e</a>'
    )
    assert problems(tmp_path.resolve()) == [
        "a.html loads https://elsewhere/x.png",
        "a.html leads to c.html, which is not there",
        "a.html leads to b.html#no: no such place on that page",
        "a.html leads to x.svg, which is not there",
    ]
    assert main([str(tmp_path)]) == 1
    assert "x.svg" in capsys.readouterr().out
