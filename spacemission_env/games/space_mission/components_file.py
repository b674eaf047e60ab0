"""What `spacemission components` says of a box, and the file that it writes to be filled in."""

from __future__ import annotations

from importlib import resources
from typing import Any

from spacemission_env.commands.tables import print_table
from spacemission_env.core.components_files import ComponentsFiles
from spacemission_env.games.space_mission.box_proof import cards_by_face, numbers_on, unserved
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.engine.constants import COLOURS, KIND_NAMES


def new_text(file_name: str) -> str:
    """The file to fill in."""
    data = resources.files("spacemission_env.games.space_mission.data")
    return data.joinpath("new_box.toml").read_text("utf-8").replace("my_box.toml", file_name)


def summary(loaded: Components) -> dict[str, Any]:
    """How often each number stands on cards and planets, and the tiles."""
    on_cards, on_planets = numbers_on(loaded)
    return {
        "cards": on_cards,
        "planets": on_planets,
        "tiles": dict(zip(KIND_NAMES, loaded.tiles, strict=True)),
    }


def print_summary(loaded: Components) -> None:
    """The same as tables."""
    for what, table in zip(("60 cards", "12 planets"), numbers_on(loaded), strict=True):
        columns = list(table["jump"])
        print_table([what, *columns], [[colour, *table[colour].values()] for colour in COLOURS])
        print()
    print_table(["64 tiles", ""], list(zip(KIND_NAMES, loaded.tiles, strict=True)))


def everything(loaded: Components) -> dict[str, Any]:
    """Planets, cards by face, the numbers, and what no card serves."""
    summed = summary(loaded)
    numbers = {"cards": summed.pop("cards"), "planets": summed.pop("planets")}
    return summed | {
        "planets": [planet.to_json() for planet in loaded.planets],
        "cards": cards_by_face(loaded),
        "numbers": numbers,
        "unserved": unserved(loaded),
    }


def print_everything(loaded: Components) -> None:
    """The same for people to compare with the box."""
    rows = [(p.name, p.jump, p.scan, *p.landing) for p in loaded.planets]
    print_table(["planet", "jump", "scan", "landing", ""], rows)
    print("\n60 cards (J jump, S scan, L landing, ? joker)")
    for line in _face_lines(loaded):
        print(f"  {line}")
    print()
    print_summary(loaded)
    lacking = unserved(loaded)
    print("\nEvery planet is served by the cards." if not lacking else "\nNo card serves:")
    for entry in lacking:
        print(f"  {entry['planet']}: {_lack_in_words(entry)}")


def _face_lines(loaded: Components) -> list[str]:
    """The faces with their counts, one line for all that share both colours and the first coordinate."""
    lines: dict[str, list[str]] = {}
    for entry in cards_by_face(loaded):
        face, count = entry["face"], entry["count"]
        lines.setdefault(face[:3], []).append(face if count == 1 else f"{face} x{count}")
    return ["  ".join(line) for line in lines.values()]


def _lack_in_words(entry: dict[str, Any]) -> str:
    numbers = " and ".join(map(str, entry["numbers"]))
    return f"{entry['colour']} {numbers}" + (" together: one card only" if len(entry["numbers"]) == 2 else "")


FILES = ComponentsFiles(
    name="space_mission",
    load=load_components,
    shipped="default.toml",
    new_text=new_text,
    summary=summary,
    print_summary=print_summary,
    everything=everything,
    print_everything=print_everything,
)
