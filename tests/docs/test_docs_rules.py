"""Tests that docs/rules.md defines all rule ids in use, with the figures of the engine.

The file is not named test_rules_*, because test_rules.py counts the files of that name.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine import scoring
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES
from spacemission_env.games.space_mission.options import DEFAULT_END, Rules
from tests.support.paths import DOCS, ROOT
from tests.support.positions import position

PAGE = DOCS / "rules.md"
TEXT = PAGE.read_text("utf-8")
READ = (".py", ".md", ".toml", ".ipynb", ".json")  # where ids may stand

# The rows of the tables that count tiles, and the prefixes of their kinds.
TILE_ROWS = {"minerals": "mineral", "aliens": "alien", "matter": "matter"}
PLAIN_ROWS = {"water": "water", "medals": "medal", "space": "space"}


def files_with_ids() -> Iterator[Path]:
    """Every text file of the packages, tests, docs and notebooks, and the pages at the root; not rules.md."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = [*setuptools["package-dir"].values(), "tests", "docs", "notebooks"]
    yield from ROOT.glob("*.md")
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in READ and file not in (PAGE, Path(__file__)):
                yield file


def ids_in_use() -> dict[str, str]:
    """Rule ids in texts and in names of tests, each with the first file that has it."""
    found: dict[str, str] = {}
    for file in files_with_ids():
        for number in re.findall(r"\bSM-(\d\d)\b|_sm_(\d\d)", file.read_text("utf-8")):
            found.setdefault(f"SM-{''.join(number)}", str(file.relative_to(ROOT)))
    return found


def definitions() -> Counter[str]:
    """Bold ids at the beginning of a paragraph or a table row."""
    return Counter(re.findall(r"(?:(?<=\n\n)|(?<=\n\| ))\*\*(SM-\d\d)\*\*", TEXT))


def test_every_id_in_use_is_defined_and_no_other() -> None:
    used, defined = ids_in_use(), definitions()
    assert len(used) > 40  # the files were found
    missing = {name: where for name, where in used.items() if name not in defined}
    assert not missing, f"named, but not defined in docs/rules.md: {missing}"
    assert not set(defined) - set(used), "defined in docs/rules.md, but named nowhere"


def test_an_id_is_bold_once_where_it_is_defined() -> None:
    bold = Counter(re.findall(r"\*\*(SM-[^*]*)\*\*", TEXT))
    assert bold == definitions()
    assert set(bold.values()) == {1}


def test_every_option_stands_at_its_rule() -> None:
    named = [option.name for option in fields(Rules) if not re.search(rf"ption\s`{option.name}`", TEXT)]
    assert not named, f"options that docs/rules.md does not name: {named}"


def table(head: str) -> list[list[str]]:
    """The rows below the head of the table that begins so, as cells."""
    lines = TEXT[TEXT.index(head) :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"-?\d+", text)))


def test_the_scoring_table_has_the_figures_of_the_engine() -> None:
    points = {row[0].strip("*"): numbers(row[2]) for row in table("| rule | what counts |")}
    assert (
        points
        == {
            "SM-60": scoring.GATE_POINTS,
            "SM-61": (0,),
            "SM-62": (scoring.STATION_POINTS,),
            "SM-63": (),  # a product: the example shows it
            "SM-64": (scoring.PAIR_POINTS, scoring.SINGLE_POINTS),
            "SM-65": (*scoring.WATER_POINTS[1:], scoring.MEDAL_POINTS),
            "SM-66": (scoring.SPACE_POINTS,),
        }
    )
    assert scoring.WATER_POINTS[0] == 0


def test_the_end_comes_with_as_many_space_tiles_as_the_page_says() -> None:
    head = "| players | 2 | 3 | 4 | 5 |"
    assert head in TEXT
    (row,) = table(head)
    assert dict(zip(numbers(head), map(int, row[1:]), strict=True)) == DEFAULT_END


def kinds_in(row: str, cell: str) -> Counter[str]:
    """The tiles that a cell names: `3 red, 1 blue` in the row of the minerals, `5` in that of the water."""
    if row in PLAIN_ROWS:
        return Counter({PLAIN_ROWS[row]: 0 if cell == "none" else int(cell)})
    parts = (part.split() for part in cell.split(", "))
    return Counter({f"{TILE_ROWS[row]}_{colour}": int(count) for count, colour in parts})


def test_the_tiles_are_those_of_the_default_box() -> None:
    told: Counter[str] = Counter()
    for row, cell in table("| tiles | by colour |"):
        told.update(kinds_in(row, cell))
    assert told == dict(zip(KIND_NAMES, load_components(None).tiles, strict=True))


# ---------------------------------------------------------------- the worked example

EXAMPLE = table("| | Ana |")


def split(cell: str) -> tuple[str, int]:
    """The tiles in a cell of the example, and the points, which are the last number."""
    has, _, points = cell.partition(":")
    return has, numbers(points)[-1]


def example_scores() -> tuple[list[dict[str, int]], list[int]]:
    """The engine's scores for the example, laid on a table, and the seats that win."""
    has = {row[0]: [split(cell)[0] for cell in row[1:]] for row in EXAMPLE[:-1]}
    of_tiles = [row for row in has if row in TILE_ROWS or row in PLAIN_ROWS]
    held = [[name for row in of_tiles for name in kinds_in(row, has[row][j]).elements()] for j in range(3)]
    owners = [j for j in range(3) for _ in range(int(has["stations"][j]))]
    tiles = [f"{j}:{name}" for j in range(3) for name in held[j]]
    game = position(
        *[""] * 3,
        stations=dict(enumerate(owners)),
        taken={p: " ".join(tiles[p :: len(owners)]) for p in range(len(owners))},
        gate=[int(count) for count in has["gate"]],
    )
    return game.scores_json(), game.winners()


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_worked_example_scores_as_the_engine_does(seat: int) -> None:
    told = {row[0]: split(row[seat + 1])[1] for row in EXAMPLE[:-1]}
    told["total"] = int(EXAMPLE[-1][seat + 1])
    assert told == {name: points for name, points in example_scores()[0][seat].items() if name != "space"}
    assert sum(told.values()) == 2 * told["total"]


def test_the_worked_example_is_won_by_stations() -> None:
    scores, winners = example_scores()
    assert winners == [0]
    assert scores[0]["total"] == scores[1]["total"]
