"""Tests that names, layouts and formats change only with their number (docs/stable.md).

`stable.txt` has a line for each: what it is, its number, and a digest of its declaration; for a name its
arguments. After a change raise the number, then `python -m tests.docs.test_stable --write`. It refuses a
change without a new number; `--unreleased` writes it all the same, for a number that no release has had.
"""

import hashlib
import inspect
import json
import re
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from docs.generators.api import find, sections
from spacemission_agents.bots import protocol
from spacemission_agents.models import card
from spacemission_env import __version__
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.games.planet_hexx.actions import SEGMENTS
from spacemission_env.games.planet_hexx.components import parse
from spacemission_env.games.space_mission.actions import ACTION_TABLE
from spacemission_env.games.space_mission.components import load
from spacemission_env.records import writer
from tests.support.paths import DOCS, ROOT

FILE = Path(__file__).with_name("stable.txt")
GAMES = ("space_mission", "planet_hexx", "kuhn_poker")
MOVES = {"space_mission": ACTION_TABLE, "planet_hexx": SEGMENTS}
MINOR = ".".join(__version__.split(".")[:2])
# The constructor behind `env(...)` of every game.
MORE = ("spacemission_env.frontends.aec.GameAEC",)
ROWS = {  # the row of docs/stable.md
    "layout space_mission": "observation of [Space Mission]",
    "layout planet_hexx": "observation of [Planet Hexx]",
    "layout kuhn_poker": "observation of [Kuhn poker]",
    "record": "[game record]",
    "card": "[model folder]",
    "components": "[components file]",
    "deck": "[deck file]",
    "protocol": "[lines of bots]",
}


class Thing(NamedTuple):
    number: str
    form: str


def digest(declared: object) -> str:
    return hashlib.sha256(json.dumps(declared, sort_keys=True, default=str).encode()).hexdigest()[:16]


def shape(value: Any) -> Any:
    """The names and types of a JSON value; of a list, those of its first entry."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    return [shape(one) for one in value[:1]] if isinstance(value, list) else type(value).__name__


def environment(spec: GameSpec) -> Thing:
    moves = [(one.first, one.last, getattr(one, "kind", "")) for one in MOVES.get(spec.name, ())]
    counts = (spec.min_players, spec.max_players, spec.action_count, spec.reward_names, spec.score_names)
    return Thing(spec.env.rpartition("_v")[2], digest([counts, moves]))


def layout(spec: GameSpec) -> Thing:
    pieces = [(p.name, p.start, p.shape, p.unit, p.values) for p in spec.layout.values()]
    return Thing(str(spec.layout_version), digest(pieces))


def record() -> Thing:
    """The lines of a game of Kuhn poker, and the first line in each game; rules may get more options."""
    game = make_game("kuhn_poker", 2)
    game.reset(seed=1)
    lines = []
    while not game.over:
        lines.append(shape(writer.action_entry(game, 0)))
        game.step(0)
    for name in GAMES:
        first = make_game(name, 2)
        first.reset(seed=1)
        lines.append(shape({**writer.game_entry(first, ["a", "b"]), "rules": {}}))
    return Thing(str(writer.FORMAT), digest([*lines, shape(writer.result_entry(game))]))


def data(path: str) -> Any:
    return shape(tomllib.loads((ROOT / "spacemission_env" / "games" / path).read_text("utf-8")))


def arguments(value: Any) -> str:
    """The arguments of a function or class: `name`, `name=` if it may be left out; else the type."""
    value = getattr(value, "py_func", value)
    if not callable(value):
        return type(value).__name__
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return type(value).__name__
    found: list[str] = []
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not any(name.startswith("*") for name in found):
            found.append("*")
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        found.append(f"{stars}{one.name}{'' if one.default is one.empty else '='}")
    return " ".join(found)


def declared() -> dict[str, Thing]:
    """Everything that docs/stable.md promises, as this version declares it."""
    schema = json.loads((ROOT / "agents/spacemission_agents/bots/protocol.schema.json").read_text("utf-8"))
    found = {
        "record": record(),
        "card": Thing(str(card.FORMAT), digest([card.KEYS, card.NETWORK_KEYS, card.ACTIVATIONS])),
        "components": Thing(str(load.FORMAT), digest(data("space_mission/data/default.toml"))),
        "deck": Thing(str(parse.FORMAT), digest(data("planet_hexx/data/deck.toml"))),
        "protocol": Thing(str(protocol.VERSION), digest([schema["$defs"], protocol.OFFERS])),
    }
    for spec in map(find_game, GAMES):
        found[f"environment {spec.env}"] = environment(spec)
        found[f"layout {spec.name}"] = layout(spec)
    for entry in distribution("spacemission-env").entry_points:
        group = entry.group.removeprefix("spacemission.")
        if group == "commands":
            found[f"name command {entry.name}"] = Thing(MINOR, arguments(entry.load()))
        elif group.startswith("agents"):
            game = group.removeprefix("agents").removeprefix(".") or "every game"
            found[f"name agent {entry.name}, {game}"] = Thing(MINOR, "agent")
    for name in [*MORE, *(name for names in sections().values() for name in names)]:
        found[f"name {name}"] = Thing(MINOR, arguments(find(name)[1]))
    return found


def read() -> dict[str, Thing]:
    lines = (line.split(" | ") for line in FILE.read_text("utf-8").splitlines())
    return {thing: Thing(number, form) for thing, number, form in lines}


def fits(thing: str, was: str, now: str) -> bool:
    """Whether what worked still works: the same; of a name, also with more arguments that may be left out."""
    old, new = ([one.rstrip("=") for one in form.split()] for form in (was, now))
    more = [one for one in now.split() if one.rstrip("=") not in old]
    required = {one for one in was.split() if not one.endswith("=")}
    return was == now or (
        thing.startswith("name ")
        and [one for one in new if one in old] == old
        and all(one.endswith("=") or one.startswith("*") for one in more)
        and {one for one in now.split() if not one.endswith("=")} - required <= {"*"}
        and (not more or new.index(more[0].rstrip("=")) >= len([one for one in old if one[0] != "*"]))
    )


def problems(was: dict[str, Thing], now: dict[str, Thing]) -> tuple[list[str], list[str]]:
    """What changed without its number, and what else is not in the list as it is."""
    broken, stale = [], []
    for thing in sorted(was.keys() | now.keys()):
        if thing not in was:
            stale.append(f"{thing} is new")
        elif was[thing] == now.get(thing):
            continue
        elif thing in now and fits(thing, was[thing].form, now[thing].form):
            if was[thing].form != now[thing].form or not thing.startswith("name "):
                stale.append(f"{thing} is otherwise")
        elif (now[thing].number if thing in now else MINOR) == was[thing].number:
            broken.append(f"{thing} has changed or is gone, but its number is still {was[thing].number}")
        else:
            stale.append(f"{thing} has changed or is gone")
    return broken, stale


def test_nothing_public_changes_without_its_number() -> None:
    broken, stale = problems(read(), declared())
    assert broken == [], "raise the number (docs/stable.md)"
    assert stale == [], "run `python -m tests.docs.test_stable --write`"


@pytest.mark.parametrize("thing", ROWS)
def test_the_page_has_every_number(thing: str) -> None:
    table = (DOCS / "stable.md").read_text("utf-8").partition("| format | number |")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines() if ROWS[thing] in line]
    assert [re.split(r" *\| *", row)[2] for row in rows] == [read()[thing].number], thing


def test_the_page_and_the_list_have_the_same() -> None:
    kinds = {thing for thing in read() if not thing.startswith(("name ", "environment "))}
    assert kinds == set(ROWS)
    page = (DOCS / "stable.md").read_text("utf-8")
    assert all(f"`{find_game(name).env}`" in page for name in GAMES)


def test_the_version_and_its_day_are_the_same_everywhere() -> None:
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    day = re.search(r"^date-released: (.+)$", cited, re.MULTILINE)
    assert f"\nversion: {__version__}\n" in cited and day is not None
    assert f"\n## {__version__} ({day[1]})\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"version {__version__}." in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("thing", "was", "now", "broken"),
    [
        ("record", "ab", "cd", True),
        ("name f", "a b=", "a b= c=", False),
        ("name f", "a b= **more", "a b= c= **more", False),
        ("name f", "a b=", "a b= * c=", False),
        ("name f", "a", "a=", False),
        ("name f", "a b=", "a", True),
        ("name f", "a b=", "b= a", True),
        ("name f", "a b=", "a c= b=", True),
        ("name f", "a b=", "a * b=", True),
        ("name f", "a b=", "a b= c", True),
        ("name f", "a b=", "a b", True),
    ],
)
def test_a_change_that_breaks_programs_is_noticed(thing: str, was: str, now: str, broken: bool) -> None:
    number = MINOR if thing.startswith("name") else "2"
    found = problems({thing: Thing(number, was)}, {thing: Thing(number, now)})
    assert [bool(one) for one in found] == [broken, not broken]
    assert problems({thing: Thing("0", was)}, {thing: Thing(number, now)})[0] == []  # its number was raised


def test_what_is_gone_is_noticed() -> None:
    assert problems({"name f": Thing(MINOR, "a")}, {})[0] == [
        f"name f has changed or is gone, but its number is still {MINOR}"
    ]
    assert problems({"name f": Thing("0.0", "a")}, {}) == ([], ["name f has changed or is gone"])


def main(options: list[str]) -> int:
    was, now = read() if FILE.exists() else {}, declared()
    broken, stale = problems(was, now)
    print("\n".join(broken + stale) or "nothing has changed")
    if "--write" not in options or (broken and "--unreleased" not in options):
        return bool(broken)
    kept = {thing: was[thing].number for thing in was.keys() & now.keys() if thing.startswith("name ")}
    same = {thing for thing in kept if fits(thing, was[thing].form, now[thing].form)}
    lines = (
        f"{thing} | {kept[thing] if thing in same else one.number} | {one.form}\n"
        for thing, one in sorted(now.items())
    )
    FILE.write_text("".join(lines), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
