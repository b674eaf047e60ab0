"""Tests that all commands of README, start page and tutorial run, with fewer games and steps.

`LEFT_OUT` lists the commands that are not run, with reasons.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from spacemission_env.terminal import HELP
from tests.support.pages import blocks, shell
from tests.support.paths import ROOT

SHORTER = {
    **{f"--games {count}": "--games 4" for count in (2000, 500, 200, 100)},
    "--preset demo": "--preset demo --steps 2048 --set evaluation_games=8",
    "play --human": "play --human < /dev/null",
    "policy:default,heuristic --players 4": "policy:default,heuristic --players 4 --games 4",
    "policy:runs/mine/model,greedy": "policy:default,greedy",  # the run would take minutes
}
LEFT_OUT = {
    "make web": "does not end; tests/web plays in the page",
    "spacemission web": "the same",
    "make demo": "takes ten minutes; by hand",
    "make test": "is what runs this",
    "make install": "the tests run in what it made",
    "source .venv/bin/activate": "the same",
    "spacemission train --preset demo --players 2 --out runs/mine": "minutes; the tutorial's is shorter",
    "spacemission bench": "minutes; tests/agents run it with fewer steps",
}


# The test that runs the examples of each other page; None: no test.
RUN_BY = {
    "add_a_game.md": "tests/docs/test_add_a_game.py",
    "agents.md": "tests/docs/test_python_names.py",
    "environments.md": "tests/docs/test_python_names.py",
    "openspiel.md": "tests/env/test_openspiel.py",
    "llm.md": "tests/agents/test_llm.py",
    "leaktest.md": "tests/leaktest/test_page.py",
    "exploitability.md": "tests/agents/test_exploitability.py",
    "pictures.md": "tests/docs/test_python_names.py",
    "play.md": "tests/docs/test_long_pages.py",  # but for `make web`; tests/web plays in the page
    "stable.md": "tests/docs/test_python_names.py",
    "recipes.md": "tests/examples/test_recipes.py",
    "records.md": "tests/docs/test_python_names.py",
    "training.md": "tests/train/test_export.py",
    "your_own_bot.md": "docs/generators/figures.py",  # and tests/docs/test_python_names.py
    "planet_hexx_balance.md": None,  # 4,000 games a table; tests/agents has it with fewer
}


def commands(page: str) -> list[str]:
    """The commands of a page, shortened."""
    found = []
    for line in "".join(blocks(page, "(?:ba)?sh")).splitlines():
        command = re.sub(r"\s+#.*", "", line.removeprefix(".venv/bin/")).strip()
        if command and not any(command.startswith(one) for one in LEFT_OUT):
            for long, short in SHORTER.items():
                command = command.replace(long, short)
            found.append(command)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "least"), [("README.md", 0), ("docs/index.md", 10), ("docs/tutorial.md", 7)]
)
def test_the_commands_of_a_page_run(page: str, least: int, tmp_path: Path) -> None:
    found = commands(page)
    assert len(found) >= least
    for command in found:
        shell(command, tmp_path)
    for block in blocks(page):
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{block}: {done.stderr[-500:]}"


def test_what_is_left_out_stands_on_a_page() -> None:
    pages = "".join(
        (ROOT / page).read_text("utf-8") for page in ("README.md", "docs/index.md", "docs/tutorial.md")
    )
    assert all(command in pages for command in LEFT_OUT)
    assert all(long in pages for long in SHORTER)


def test_the_examples_of_every_page_are_run_by_somebody() -> None:
    with_examples = {
        file.name
        for file in (ROOT / "docs").glob("*.md")
        if re.search(r"^```(python|bash|sh)$", file.read_text("utf-8"), re.MULTILINE)
    }
    assert with_examples == {*RUN_BY, "index.md", "tutorial.md"}
    for page, by in RUN_BY.items():
        assert by is None or page in (ROOT / by).read_text("utf-8"), page


def test_what_ci_leaves_out_is_told() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    told = contributing.partition("## Examples in the pages")[2].partition("## ")[0]
    for command in LEFT_OUT:
        assert f"`{command}`" in told, command
    for page in [*(page for page, by in RUN_BY.items() if by is None), "play.md"]:
        found = ["make web"] if page == "play.md" else commands(f"docs/{page}")
        assert found
        assert all(any(f"`{line}" in told for line in (one, one.partition(" --")[0])) for one in found), page
        assert "CI does not run" in (ROOT / "docs" / page).read_text("utf-8"), page


def test_the_start_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("docs/index.md"):
        exec(block, {})
    assert "'total':" in capsys.readouterr().out


def test_playing_in_the_terminal_does_what_the_page_says(tmp_path: Path) -> None:
    printed = shell("set -e\n" + "\n".join(commands("docs/play.md")), tmp_path)
    assert "Stopped. The game is in mine.jsonl" in printed
    assert "jumps to" in printed
    assert "player_0 (you)" in printed
    assert "player_1 holds" in printed  # everything open


def test_the_page_has_every_key_of_the_terminal() -> None:
    page = (ROOT / "docs" / "play.md").read_text("utf-8")
    part = page.partition("\n## In the terminal\n")[2].partition("\n## ")[0]
    assert all(f"`{line.split()[0]}`" in part for line in HELP.splitlines()[3:])
