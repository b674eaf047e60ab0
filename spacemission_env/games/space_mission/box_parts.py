"""The parts of a box as values, and a card's face as its id (SM-10 to SM-12)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from spacemission_env.games.space_mission.engine.constants import COLOURS, JOKER, JOKER_MASK

LETTERS = dict(zip("JSL", COLOURS, strict=True))  # as ids name the colours
_COORDINATES = re.compile("([JSL])([1-4?])([JSL])([1-4?])")


@dataclass(frozen=True)
class Planet:
    """One planet: a jump, a scan and two landing numbers, each 1 to 4 (SM-11)."""

    name: str
    jump: int
    scan: int
    landing: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """The planet as the record header writes it."""
        return {"name": self.name, "jump": self.jump, "scan": self.scan, "landing": list(self.landing)}


@dataclass(frozen=True)
class Card:
    """One card: two coordinates, of two colours or two numbers of one colour (SM-10, SM-12).

    Each colour has a tuple of values: empty where it is absent, ``(3,)`` a number, ``(JOKER,)`` a joker,
    ``(1, 3)`` two numbers of one colour, ascending.
    """

    id: str
    jump: tuple[int, ...] = ()
    scan: tuple[int, ...] = ()
    landing: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The card as the record header writes it.

        Absent colours are left out; ``"?"`` is a joker; two numbers of one colour are a list of both.
        """
        shown = {c: ["?" if v == JOKER else v for v in getattr(self, c)] for c in COLOURS}
        return {"id": self.id, **{c: v if len(v) > 1 else v[0] for c, v in shown.items() if v}}

    @property
    def face(self) -> str:
        """What is printed on it, as an id: ``J1S3``, ``J?L2``, ``J1J3``."""
        return "".join(
            f"{letter}{'?' if value == JOKER else value}"
            for letter, colour in LETTERS.items()
            for value in getattr(self, colour)
        )

    @classmethod
    def from_face(cls, face: str) -> Card:
        """The card whose id is its face; jump stands before scan before landing, the smaller number first.

        Raises:
            ValueError: it is no face; the message says why.
        """
        values = read_face(face) or read_face(face.strip().upper())
        if values is None:
            raise ValueError("is no face: expected two coordinates, such as 'J1S3', 'J?L2' or 'J1J3'")
        card = cls(face, **{c: tuple(sorted(v)) for c, v in values.items()})
        if len(values) == 1 and (JOKER in values_of(card) or len(set(values_of(card))) < 2):
            raise ValueError("is no face: two coordinates of one colour are two different numbers")
        if card.face != face:
            raise ValueError(f"is written {card.face!r}: J before S before L, the smaller number first")
        return card


def values_of(card: Card) -> tuple[int, ...]:
    """All values of a card: those for jump, then scan, then landing."""
    return card.jump + card.scan + card.landing


def mask_of(values: tuple[int, ...]) -> int:
    """The values of a card's colour as bits: bit n is set where it serves the number n, 1 to 4."""
    return JOKER_MASK if JOKER in values else sum(1 << number for number in values)


def read_face(text: str) -> dict[str, tuple[int, ...]] | None:
    """The values by colour that a text names as two coordinates, in whichever order; None: it names none."""
    found = _COORDINATES.fullmatch(text)
    if found is None:
        return None
    first, a, second, b = found.groups()
    values: dict[str, tuple[int, ...]] = {}
    for letter, value in ((first, a), (second, b)):
        colour = LETTERS[letter]
        values[colour] = (*values.get(colour, ()), JOKER if value == "?" else int(value))
    return values


@dataclass(frozen=True)
class Components:
    """A validated box: 12 planets, 60 cards (in hand-sorting order), and the count of each tile kind."""

    name: str
    planets: tuple[Planet, ...]
    cards: tuple[Card, ...]
    tiles: tuple[int, ...] = field(default=())
    sha256: str = ""

    def to_json(self) -> dict[str, Any]:
        """The header entry of a game record: name, sha256, planets, cards."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "planets": [p.to_json() for p in self.planets],
            "cards": [c.to_json() for c in self.cards],
        }
