"""What an owner compares with the printed parts: faces, how often each number stands where, what lacks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from spacemission_env.games.space_mission.box_parts import mask_of
from spacemission_env.games.space_mission.components import Components
from spacemission_env.games.space_mission.engine.constants import COLOURS, JOKER

_ORDER = "JSL1234?"


def cards_by_face(box: Components) -> list[dict[str, Any]]:
    """Each face with its count, sorted: ``{"face": "J1S3", "count": 2, "ids": ["J1S3"]}``.

    By colours first (jump and scan, jump and landing, scan and landing, last of one colour), then by numbers.
    """
    counts = Counter(card.face for card in box.cards)
    ids: dict[str, dict[str, None]] = {}
    for card in box.cards:
        ids.setdefault(card.face, {})[card.id] = None

    def place(face: str) -> tuple[Any, ...]:
        return (face[0] == face[2], *(_ORDER.index(face[i]) for i in (0, 2, 1, 3)))

    faces = sorted(counts, key=place)
    return [{"face": face, "count": counts[face], "ids": list(ids[face])} for face in faces]


def numbers_on(box: Components) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """How often each number stands in each colour: on the cards (jokers as "?"), and on the planets."""
    cards, planets = {}, {}
    for colour in COLOURS:
        counts = Counter(value for card in box.cards for value in getattr(card, colour))
        cards[colour] = {**{str(n): counts[n] for n in range(1, JOKER)}, "?": counts[JOKER]}
        values = [getattr(planet, colour) for planet in box.planets]
        on_planets = Counter(n for value in values for n in (value if colour == "landing" else [value]))
        planets[colour] = {str(n): on_planets[n] for n in range(1, JOKER)}
    return cards, planets


def unserved(box: Components) -> list[dict[str, Any]]:
    """What no card serves: ``{"planet": name, "colour": "scan", "numbers": [3]}``.

    Two landing numbers stand there where each is served, but by the same one card alone (SM-40 takes two).
    """
    lacking: list[dict[str, Any]] = []
    masks = {colour: [mask_of(getattr(card, colour)) for card in box.cards] for colour in COLOURS}

    def servers(colour: str, number: int) -> set[int]:
        return {i for i, mask in enumerate(masks[colour]) if mask >> number & 1}

    for planet in box.planets:
        wanted = {"jump": [planet.jump], "scan": [planet.scan], "landing": sorted(set(planet.landing))}
        for colour, numbers in wanted.items():
            missing = [n for n in numbers if not servers(colour, n)]
            lacking += [{"planet": planet.name, "colour": colour, "numbers": [n]} for n in missing]
        first, second = (servers("landing", n) for n in planet.landing)
        if first and second and len(first | second) < 2:
            lacking.append({"planet": planet.name, "colour": "landing", "numbers": list(planet.landing)})
    return lacking
