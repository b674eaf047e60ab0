"""Every Python file that a comment, a docstring or a page names is there."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

from tests.support.paths import ROOT

HOUSE = [ROOT / "spacemission_env", ROOT / "agents", ROOT / "train", ROOT / "tests", ROOT / "docs"]
FILES = {str(file.relative_to(ROOT)) for folder in HOUSE for file in folder.rglob("*.py")}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# Files that commands make for a user.
A_USERS = {"my_bot.py", "test_my_bot.py", "NAME.py", "test_NAME.py", "name.py", "{package}/__init__.py"}
NAMED = re.compile(r"(?:[\w.{},]+/)*\w+\.py\b")


def told(file: Path) -> str:
    """The comments and the texts of a Python file."""
    tokens = tokenize.generate_tokens(io.StringIO(file.read_text("utf-8")).readline)
    return "\n".join(one.string for one in tokens if one.type in (tokenize.COMMENT, tokenize.STRING))


def is_there(named: str) -> bool:
    """Whether a file of the house ends so; NAME is any game."""
    end = re.escape(named.removeprefix("../")).replace("NAME", r"\w+")
    return any(re.search(rf"(^|/){end}$", file) for file in FILES)


def missing(texts: dict[str, str]) -> list[str]:
    found = []
    for where, text in texts.items():
        named = set(NAMED.findall(text)) - A_USERS
        found += [f"{where} names {one}" for one in sorted(named) if not is_there(one)]
    return found


def test_every_file_that_code_names_is_there() -> None:
    texts = {str(f.relative_to(ROOT)): told(f) for folder in HOUSE[:3] for f in sorted(folder.rglob("*.py"))}
    assert len(texts) > 200
    assert missing(texts) == []


def test_every_file_that_a_page_names_is_there() -> None:
    assert missing({page.name: page.read_text("utf-8") for page in PAGES}) == []


def test_a_file_that_has_moved_is_noticed() -> None:
    assert missing({"a page": "see cabinet.py and core/game.py"}) == ["a page names cabinet.py"]
