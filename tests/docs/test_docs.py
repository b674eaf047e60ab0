"""Tests that generated pages are up to date, that links work, and that a wheel has all packages."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from setuptools import find_packages

from docs.generators import figures, state
from docs.generators.pages import PAGES, same
from docs.generators.pictures import DOCS, pictures
from spacemission_env.core.game_spec import find_game, game_names
from tests.support.paths import ROOT, TESTS

LINKED = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    TESTS / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert same(name, PAGES[name]()), "run `make docs`"


def test_pictures_in_pages_are_up_to_date() -> None:
    for name, svg in pictures().items():
        assert (DOCS / name).read_text("utf-8") == svg, f"docs/{name}: run `make docs`"


@pytest.mark.parametrize("game", game_names())
def test_every_field_of_a_state_has_its_line(game: str) -> None:
    dtype = find_game(game).state
    rows = state.table(game, "STATE", dtype).splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == state.fields_of(dtype)
    assert all(row.rstrip(" |").count("|") >= 4 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("page", figures.PAGES)
def test_quick_figures_are_what_the_commands_print(page: str) -> None:
    was, now = figures.written(page), figures.measured(figures.PAGES[page][:1])
    assert len(now) > 5
    assert {name: was[name] for name in now} == now, "run `python -m docs.generators.figures --write`"


@pytest.mark.slow
@pytest.mark.parametrize("page", figures.PAGES)
def test_shares_in_the_text_are_all_written_by_a_command(page: str) -> None:
    whole = part = (DOCS / page).read_text("utf-8")
    if page == "leaderboard.md":
        _, heading, rest = whole.partition("\n## Mission to Planet Hexx!\n")
        part = rest.partition("\n## ")[0]
        assert heading and len(figures.FIGURE.findall(part)) == len(figures.FIGURE.findall(whole))
    text = figures.FIGURE.sub("", part)
    assert re.findall(r"[\d.]+ %", text.replace("95 %", "")) == []
    assert len(figures.FIGURE.findall(whole)) == len(figures.written(page)) > 5


@pytest.mark.parametrize("page", LINKED, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page} links to {target}"


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
    find = setuptools["packages"]["find"]
    shipped = {
        name for at in find["where"] for name in find_packages(str(ROOT / at), include=find["include"])
    }
    assert found == shipped
    assert tables <= found
    assert "*.toml" in setuptools["package-data"]["*"]


def imported(file: Path) -> set[str]:
    """The last names of all modules that a file imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.rpartition(".")[2] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found |= {(node.module or "").rpartition(".")[2], *(alias.name for alias in node.names)}
    return found


def test_no_module_imports_a_test_module() -> None:
    files = [*TESTS.rglob("*.py"), *(ROOT / "docs").rglob("*.py")]
    tests = {file.stem for file in files if file.stem.startswith("test_")}
    assert len(tests) > 80
    assert {file.name: both for file in files if (both := tests & imported(file))} == {}
