"""Tests of the stored notebooks; the first notebook is run (all: `make notebooks`)."""

import ast
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from docs.generators.notebook_pages import joined, notebooks, page, pages
from tests.support.paths import ROOT

NAMES = [file.name for file in notebooks()]
LARGEST = 300_000  # bytes of a file with its pictures


def cells(name: str, kind: str = "code") -> list[dict[str, Any]]:
    stored = json.loads((ROOT / "notebooks" / name).read_text("utf-8"))
    return [cell for cell in stored["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_stored_as_it_ran(name: str) -> None:
    code = cells(name)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [one for cell in code for one in cell["outputs"]]
    assert {one["output_type"] for one in outputs} <= {"stream", "display_data", "execute_result"}
    assert {one.get("name", "stdout") for one in outputs} == {"stdout"}  # no warnings
    assert any("image/png" in one.get("data", {}) for one in outputs)
    assert (ROOT / "notebooks" / name).stat().st_size < LARGEST
    assert cells(name, "markdown")[0]["source"][0].startswith("# ")


@pytest.mark.parametrize("name", NAMES)
def test_what_it_imports_is_there(name: str) -> None:
    found = 0
    for cell in cells(name):
        for node in ast.walk(ast.parse(joined(cell["source"]))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spacemission_"):
                module = importlib.import_module(str(node.module))
                for alias in node.names:
                    assert hasattr(module, alias.name), f"{node.module}.{alias.name}"
                    found += 1
    assert found


def test_the_first_one_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, Any] = {}
    printed = []
    for cell in cells(NAMES[0]):
        exec(joined(cell["source"]), names)
        printed.append(capsys.readouterr().out)
    stored = [
        "".join(joined(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream")
        for cell in cells(NAMES[0])
    ]
    assert printed == stored


def test_its_page_has_its_code_and_what_it_printed_and_is_listed() -> None:
    text, listed = page(notebooks()[0]), pages()["notebooks/index.md"]
    wanted = (
        "```python\nfrom spacemission_env import Game\n",
        "~~~~text\n",
        "<svg",
        "data:image/png;base64,",
    )
    assert all(part in text for part in (*wanted, "legal moves, the last of them:"))
    assert "output_type" not in text
    assert [int(name[:2]) for name in NAMES] == [1, 2, 3, 4, 5, 6, 7]
    assert all(f"]({Path(name).name})" in listed for name in NAMES)
