"""Tests that docs/stable.md has all public names, and that its examples run."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spacemission_env
from tests.support.command_line import run
from tests.support.pages import blocks
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "stable.md").read_text("utf-8")
NAMES = re.findall(r"^\| `(spacemission_\w+(?:\.\w+)+)`", PAGE, re.MULTILINE)


def test_the_page_has_every_public_name_once() -> None:
    assert len(NAMES) == len(set(NAMES)) > 50
    for name in spacemission_env.__all__:
        assert f"`spacemission_env.{name}`" in PAGE, name
        assert getattr(spacemission_env, name) is not None
    assert set(spacemission_env.__all__) <= set(dir(spacemission_env))


def test_importing_the_package_loads_no_rules() -> None:
    """Public names load when they are used: `import spacemission_env` stays quick."""
    code = (
        "import sys, spacemission_env; heavy = [m for m in sys.modules if m.startswith(('numba', 'torch')) "
        "or m.startswith('spacemission_env.games.')]; print(heavy)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stdout


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"])
def test_an_example_that_names_an_environment_imports_the_package(page: Path) -> None:
    """Importing the package registers the environments; in this process they are always registered."""
    for block in blocks(str(page.relative_to(ROOT))):
        if re.search(r'"\w+-v0"', block):
            assert re.search(r"^(from|import) .*\bspacemission_env\b", block, re.MULTILINE), block


def test_the_examples_of_the_pages_run(capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("arena", "--agents", "random,other=random", "--games", "2", "--out", "report")  # a page queries it
    ran = 0
    pages = ["agents.md", "environments.md", "pictures.md", "stable.md", "records.md", "your_own_bot.md"]
    for page in (*(f"docs/{name}" for name in pages), "README.md"):
        for block in blocks(page):  # each by itself, as a reader copies it
            if block.startswith(" "):  # lines to add to a bot: docs/generators/figures.py adds them
                continue
            exec(block.replace("learn(50_000)", "learn(64)").replace("n_steps=16", "n_steps=2"), {})
            ran += 1
    assert ran >= 16
    assert {file.suffix for file in tmp_path.iterdir()} >= {".svg", ".png"}
    game = spacemission_env.Game(2)
    game.reset(1)
    names: dict[str, Any] = {}
    exec(next(block for block in blocks("docs/agents.md") if "class Rollouts" in block), names)
    assert issubclass(names["Rollouts"], spacemission_env.Agent)
    assert names["Rollouts"]().play(game) in np.flatnonzero(game.mask())
