"""Tests that the files and names in comments, docstrings and pages exist."""

import ast
import builtins
import io
import re
import tokenize
from pathlib import Path

from tests.support.paths import ROOT

HOUSE = [
    ROOT / name for name in ["spacemission_env", "agents", "train", "tests", "docs", "studies", "examples"]
]
FILES = {
    str(f.relative_to(ROOT)) for folder in HOUSE for end in ("py", "md") for f in folder.rglob(f"*.{end}")
}
FILES |= {file.name for file in ROOT.glob("*.md")}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# Files that commands make for a user.
A_USERS = {"_picture.py", "my_game_game.py", "my_bot.py", "test_my_bot.py", "NAME.py", "test_NAME.py"}
A_USERS |= {"name.py", "{package}/__init__.py"}
NAMED = re.compile(r"(?:[\w.{},]+/)*\w+\.(?:py|md)\b")
QUOTED = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)*)(?:\(\))?`")
# Names in docstrings that are not in the code: examples, and names of other libraries.
EXAMPLES = {
    "player_0",
    "player_3",
    "player_4",
    "MyBot",
    "hal",
    "HalBot",
    "A2C",
    "PPO",
    "literally",
    "literal_unroll",
}
EXAMPLES |= {"my_package", "my_env_v0", "TerminateIllegalWrapper"}
EXAMPLES |= {"win_greedy", "margin_greedy", "win_greedy_3p"}


def told(file: Path) -> str:
    """The comments and the texts of a Python file."""
    tokens = tokenize.generate_tokens(io.StringIO(file.read_text("utf-8")).readline)
    return "\n".join(one.string for one in tokens if one.type in (tokenize.COMMENT, tokenize.STRING))


def is_there(named: str) -> bool:
    """Whether the path of a file in the repository ends so; NAME is any game."""
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


# ---------------------------------------------------------------- names


def quoted_and_known(source: str) -> tuple[set[str], set[str]]:
    """The names in backquotes in a file's docstrings, and all words of its code."""
    tree, docs = ast.parse(source), list[ast.Constant]()
    quoted, known = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            docs.append(node.body[0].value)  # type: ignore[attr-defined]
            quoted |= set(QUOTED.findall(docs[-1].value))
        words = [getattr(node, name, None) for name in ("id", "attr", "arg", "name", "module", "asname")]
        if isinstance(node, ast.Constant) and node not in docs:
            words.append(node.value)
        known |= {word for text in words if isinstance(text, str) for word in re.findall(r"\w+", text)}
    return quoted, known


def unknown(sources: dict[str, str]) -> list[str]:
    """Names in backquotes that are neither in the code nor names of files or folders."""
    read = {where: quoted_and_known(source) for where, source in sources.items()}
    known = set(dir(builtins)) | EXAMPLES | {"py", "md", "toml", "json"}
    known |= {word for where in sources for word in re.findall(r"\w+", where)}
    known = known.union(*(words for _, words in read.values()))
    return [
        f"{where}: {one}" for where, (names, _) in read.items() for one in names if {*one.split(".")} - known
    ]


def test_every_name_in_backquotes_of_a_docstring_exists() -> None:
    files = [file for folder in HOUSE[:3] for file in sorted(folder.rglob("*.py"))]
    assert unknown({str(file.relative_to(ROOT)): file.read_text("utf-8") for file in files}) == []


def test_a_name_that_is_gone_is_noticed() -> None:
    source = 'def here(x):\n    """As `there`, not `here` or `x`."""\n'
    assert unknown({"a.py": source}) == ["a.py: there"]
