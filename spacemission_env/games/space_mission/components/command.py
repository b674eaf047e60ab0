"""Summarises components and writes a file to fill in, for `spacemission components`."""

from __future__ import annotations

from collections import Counter
from importlib import resources

from spacemission_env.commands.shared import print_table
from spacemission_env.core.components_files import ComponentsFiles
from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.components.load import load_components
from spacemission_env.games.space_mission.components.parts import Components, mask_of
from spacemission_env.games.space_mission.engine.constants import COLOURS, JOKER, KIND_NAMES

_ORDER = "JSL1234?"


def cards_by_face(components: Components) -> list[Json]:
    """Faces sorted by colours, then numbers, each as ``{"face": "J1S3", "count": 2, "ids": ["J1S3"]}``."""
    ids: dict[str, list[str]] = {}
    for card in components.cards:
        ids.setdefault(card.face, []).append(card.id)

    def place(face: str) -> tuple[bool, int, int, int, int]:
        first, number, second, other = map(_ORDER.index, face)
        return first == second, first, second, number, other

    return [
        {"face": face, "count": len(ids[face]), "ids": list(dict.fromkeys(ids[face]))}
        for face in sorted(ids, key=place)
    ]


def numbers_on(components: Components) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """How often each number of each colour occurs on the cards (jokers as "?") and on the planets."""
    cards, planets = {}, {}
    for colour in COLOURS:
        counts = Counter(value for card in components.cards for value in getattr(card, colour))
        cards[colour] = {**{str(n): counts[n] for n in range(1, JOKER)}, "?": counts[JOKER]}
        values = [getattr(planet, colour) for planet in components.planets]
        on_planets = Counter(n for value in values for n in (value if colour == "landing" else [value]))
        planets[colour] = {str(n): on_planets[n] for n in range(1, JOKER)}
    return cards, planets


def unserved(components: Components) -> list[Json]:
    """The coordinates that no card serves, each as ``{"planet": name, "colour": "scan", "numbers": [3]}``.

    A card serves a number if it shows that number, or a joker, in that colour. An entry has both landing
    numbers if only one card serves either of them (SM-40 needs two cards).
    """
    lacking: list[Json] = []
    masks = {colour: [mask_of(getattr(card, colour)) for card in components.cards] for colour in COLOURS}

    def servers(colour: str, number: int) -> set[int]:
        return {i for i, mask in enumerate(masks[colour]) if mask >> number & 1}

    for planet in components.planets:
        wanted = {"jump": [planet.jump], "scan": [planet.scan], "landing": sorted(set(planet.landing))}
        for colour, numbers in wanted.items():
            missing = [n for n in numbers if not servers(colour, n)]
            lacking += [{"planet": planet.name, "colour": colour, "numbers": [n]} for n in missing]
        first, second = (servers("landing", n) for n in planet.landing)
        if first and second and len(first | second) < 2:
            lacking.append({"planet": planet.name, "colour": "landing", "numbers": list(planet.landing)})
    return lacking


# ---------------------------------------------------------------- for the command


def new_text(file_name: str) -> str:
    """The text of a components file to fill in."""
    data = resources.files("spacemission_env.games.space_mission.data")
    return data.joinpath("new_components.toml").read_text("utf-8").replace("my_box.toml", file_name)


def summary(components: Components) -> Json:
    """How often each number occurs on cards and planets, and the number of tiles by kind."""
    on_cards, on_planets = numbers_on(components)
    tiles = dict(zip(KIND_NAMES, components.tiles, strict=True))
    return {"cards": on_cards, "planets": on_planets, "tiles": tiles}


def print_summary(components: Components) -> None:
    for what, table in zip(
        (f"{len(components.cards)} cards", f"{len(components.planets)} planets"),
        numbers_on(components),
        strict=True,
    ):
        columns = list(table["jump"])
        print_table([what, *columns], [[colour, *table[colour].values()] for colour in COLOURS])
        print()
    print_table([f"{sum(components.tiles)} tiles", ""], list(zip(KIND_NAMES, components.tiles, strict=True)))


def everything(components: Components) -> Json:
    on_cards, on_planets = numbers_on(components)
    return {
        "tiles": dict(zip(KIND_NAMES, components.tiles, strict=True)),
        "planets": [planet.to_json() for planet in components.planets],
        "cards": cards_by_face(components),
        "numbers": {"cards": on_cards, "planets": on_planets},
        "unserved": unserved(components),
    }


def print_everything(components: Components) -> None:
    """Print all components for comparison by eye; faces that differ only in the last number share a line."""
    rows = [(p.name, p.jump, p.scan, *p.landing) for p in components.planets]
    print_table(["planet", "jump", "scan", "landing", ""], rows)
    print(f"\n{len(components.cards)} cards (J jump, S scan, L landing, ? joker)")
    lines: dict[str, list[str]] = {}
    for entry in cards_by_face(components):
        face, count = entry["face"], entry["count"]
        lines.setdefault(face[:3], []).append(face if count == 1 else f"{face} x{count}")
    for line in lines.values():
        print("  " + "  ".join(line))
    print()
    print_summary(components)
    lacking = unserved(components)
    print("\nEvery planet is served by the cards." if not lacking else "\nNo card serves:")
    for entry in lacking:
        numbers = " and ".join(map(str, entry["numbers"]))
        alone = " together: one card only" if len(entry["numbers"]) == 2 else ""
        print(f"  {entry['planet']}: {entry['colour']} {numbers}{alone}")


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
