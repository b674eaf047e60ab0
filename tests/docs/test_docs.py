"""Pages made from tables are up to date, the files that people are pointed to exist, a wheel holds all."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from docs.generators.pages import PAGES, same
from tests.support.paths import ROOT

LINKED = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert same(name, PAGES[name]()), "run `make docs`"


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_a_wheel_holds_every_package_and_its_data() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    found, tables = set(), set()
    for name, folder in setuptools["package-dir"].items():
        for file in (ROOT / folder).rglob("*"):
            package = ".".join([name, *file.relative_to(ROOT / folder).parts[:-1]])
            if file.suffix == ".py":
                found.add(package)
            if file.suffix == ".toml":
                tables.add(package)
    assert sorted(found) == sorted(setuptools["packages"])
    assert tables <= found
    assert "*.toml" in setuptools["package-data"]["*"]
