"""Generates pages from tables in the code: `python -m docs.generators.pages --write`."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path

from docs.generators import environment_pages, own_games, planet_hexx, planet_hexx_tables, rules_text, state
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game
from spacemission_env.games.space_mission.actions import ACTION_TABLE
from spacemission_env.games.space_mission.components import load_components
from spacemission_env.games.space_mission.engine.constants import KIND_NAMES, PILE
from spacemission_env.games.space_mission.engine.layout import (
    EXPECTED,
    LAYOUT,
    LAYOUT_VERSION,
    OBSERVATION_SIZE,
)
from spacemission_env.games.space_mission.options import DEFAULT_END, PRESETS, RANDOM, RANGES, Rules

DOCS = Path(__file__).parents[1]
NOTE = "<!-- Made by `make docs` from the tables in the code; do not edit. -->\n\n"


def actions_table() -> str:
    """The action table of Space Mission."""
    rows = ["| index | move | meaning | rules |", "| --- | --- | --- | --- |"]
    for entry in ACTION_TABLE:
        span = str(entry.first) if entry.first == entry.last else f"{entry.first}–{entry.last}"
        rows.append(f"| {span} | `{entry.kind}` | {entry.meaning} | {entry.rules} |")
    return "\n".join(rows) + "\n"


def layout_table() -> str:
    """The observation layout of Space Mission."""
    head = "| piece | indices | shape | whole number | divided by | meaning | rule | recall |"
    rows = [head, "|" + " --- |" * 8]
    for p in LAYOUT.values():
        shape = " × ".join(map(str, p.shape))
        recall = "yes" if p.recall else ""
        span = f"{p.start}–{p.start + p.size - 1}"
        cells = (f"`{p.name}`", span, shape, p.values, str(p.unit), p.meaning, p.rule, recall)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def actions_page() -> str:
    """docs/actions.md."""
    return (
        "# Actions\n\n" + NOTE + "Read this page to find which number stands for which move.\n\n"
        "The flat action space is `Discrete(101)`. Slots are the hand's cards from the left, 0 to 4, "
        "sorted in the order\nof the components file; ring positions are 0 to 7, clockwise. The action mask is exact: an index "
        "is legal if and\nonly if the rules allow the move. Of identical cards, only the form with the lowest slots is legal.\n\n"
        + actions_table()
    )


def observation_page() -> str:
    """docs/observation.md."""
    return (
        f"# The observation\n\n{NOTE}Read this page to find where a fact stands in the observation.\n\n"
        f"Layout version {LAYOUT_VERSION}: float32, {OBSERVATION_SIZE} numbers in [0, 1], "
        "the same for 2 to 5 players. Each number is a whole\nnumber divided by the unit given; where the table says "
        "*expected number* it is a mean over all deals that the\nseat holds possible, each equally likely. Relative seat k "
        "sits k places clockwise from the observer (0 is the\nobserver); absent seats are zero. Pieces marked *recall* are "
        'memory: they are zero with `observation="table"`, but\nfor own reserved tiles, own last looks and the last actions '
        "of all, which the option `reserved_tiles_visible` shows\nthere too. `spacemission_env.games.space_mission.view.decode` gives all of it as "
        "plain values.\n\nIn Python: `from spacemission_env.games.space_mission.engine.layout import LAYOUT`, then "
        '`observation[LAYOUT["hand"].slice]`.\n\n' + layout_table() + compact_section()
    )


def compact_section() -> str:
    """The section about `dtype="uint8"`."""
    means = " and ".join(f"`{name}`" for name in EXPECTED)
    return (
        '\n## The compact observation: `dtype="uint8"`\n\n'
        f"`BatchedGames`, the vector environment and the self-play environment give {OBSERVATION_SIZE} bytes on request: "
        "the whole\nnumbers of the table before the division, a quarter of the memory. `units` of the batch "
        "or vector\nenvironment, float32 ({size},), says what a 1 stands for: `observation * units` is the float "
        "observation, exactly,\nbut for means and long games:\n\n".replace("{size}", str(OBSERVATION_SIZE))
        + f"- Expected numbers ({means}) are in 255ths of the largest that they can be (`copies`, {PILE}), rounded to the "
        "nearest:\n  as floats they are within 1/510.\n"
        "- Where `max_rounds` is above 255, `round` is in 255ths of it, rounded to the nearest, and `max_rounds` is 255. "
        "No\n  other number can be above 255.\n\n"
        "Agents are always given floats (`Decisions.observations`).\n"
    )


def attributes(cls: type) -> list[str]:
    """Lines of a list, from the attributes in the docstring of the class."""
    meaning = (cls.__doc__ or "").split("Attributes:")[1]
    return [
        f"- {line.strip()}"
        if line.startswith(" " * 8) and not line.startswith(" " * 12)
        else f"  {line.strip()}"
        for line in meaning.strip("\n").rstrip().splitlines()
    ]


def options_page() -> str:
    """docs/rules_options.md."""
    rows = [f"| option | {' | '.join(PRESETS)} | range |", "| --- " * (len(PRESETS) + 2) + "|"]
    for option in fields(Rules):
        values = [getattr(preset, option.name) for preset in PRESETS.values()]
        if option.name == "space_tiles_to_end":
            by_players = "by players: " + ", ".join(f"{n}: {end}" for n, end in DEFAULT_END.items())
            values = [by_players if value is None else value for value in values]
        span = "{} to {}".format(*RANGES[option.name]) if option.name in RANGES else "on, off"
        if option.name == "start_player":
            span = f"{RANDOM}, or a seat that plays: {span}"
        rows.append(f"| `{option.name}` | {' | '.join(map(str, values))} | {span} |")
    entries = attributes(Rules)
    return (
        "# Rules options\n\n" + NOTE + "Read this page to play by other rules.\n\n"
        "A preset is a value of `spacemission_env.Rules`. Options can be given on the command "
        'line as\n`--rules printed,max_rounds=50`, in Python as `Rules(max_rounds=50)` or `{"max_rounds": 50}`.\n'
        "The preset `tiny` is for the components file of that name ([exploitability](exploitability.md)).\n\n"
        + "\n".join(rows)
        + "\n\n"
        + "\n".join(entries)
        + "\n"
    )


def box_page() -> str:
    """docs/default_box.md."""
    components = load_components(None)
    planets = "\n".join(
        f"| {p.name} | {p.jump} | {p.scan} | {p.landing[0]} {p.landing[1]} |" for p in components.planets
    )
    cards = " ".join(card.id for card in components.cards)
    return (
        "# The default box\n\n"
        + NOTE
        + "Read this page to see the planets, cards and tiles that Space Mission plays with.\n\n"
        "They stand in `spacemission_env/games/space_mission/data/default.toml` (that file also says where each "
        "value comes from).\n\n| planet | jump | scan | landing |\n| --- | --- | --- | --- |\n"
        + planets
        + "\n\nCards, in the order in which a hand is sorted:\n\n"
        + cards
        + "\n\nTiles: "
        + ", ".join(f"{count} {kind}" for kind, count in zip(KIND_NAMES, components.tiles, strict=True))
        + f"\n\nsha256 of its meaning: `{components.sha256}`\n"
    )


def settings_page() -> str:
    """docs/settings.md."""
    from spacemission_train.settings import NAMES, Settings

    entries = [f"- `{name}`: {Settings.model_fields[name].description}." for name in NAMES]
    tables = [
        f"\n## Presets of {find_game(game).title}\n\n" + presets_table(game)
        for game in sorted(own_games(), key=lambda name: name != DEFAULT_GAME)
    ]
    return (
        "# Settings of a training run\n\n"
        + NOTE
        + "Read this page to find the name and the meaning of a setting, and its value in each preset, for `--set` or an\n"
        "[experiment file](training.md#experiment-files).\n\n"
        + "\n".join(entries)
        + '\n\nThe tables show the settings that differ between the presets of a game. `"none"` stands for no value.\n'
        + "".join(tables)
    )


def presets_table(game: str) -> str:
    """A row for each setting in which the presets of a game differ, a column for each preset."""

    from spacemission_train.presets import presets_of
    from spacemission_train.settings import NAMES, NONE

    runs = {name: run.to_json() for name, run in presets_of(game).items()}
    rows = [f"| setting | {' | '.join(runs)} |", "| --- |" + " --- |" * len(runs)]
    for name in NAMES:
        values = [NONE if run[name] is None else run[name] for run in runs.values()]
        if name != "preset" and any(value != values[0] for value in values):
            rows.append(f"| `{name}` | " + " | ".join(f"`{json.dumps(value)}`" for value in values) + " |")
    return "\n".join(rows) + "\n"


PAGES = {
    "settings.md": settings_page,
    "actions.md": actions_page,
    "observation.md": observation_page,
    "rules_options.md": options_page,
    "default_box.md": box_page,
    "state.md": state.page,
    **environment_pages.PAGES,
    **planet_hexx.PAGES,
    **planet_hexx_tables.PAGES,
    **rules_text.PAGES,
}


def main() -> int:
    """Write the pages, or print which are out of date."""
    stale = [name for name, page in PAGES.items() if not same(name, page())]
    if "--write" in sys.argv:
        DOCS.mkdir(exist_ok=True)
        for name in stale:
            (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
    print(f"{'written' if '--write' in sys.argv else 'out of date'}: {', '.join(stale) or 'none'}")
    return 0


def same(name: str, text: str) -> bool:
    """Whether a page on disk equals the generated text."""
    file = DOCS / name
    return file.exists() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
