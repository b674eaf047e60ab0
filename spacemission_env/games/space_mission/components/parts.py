"""Defines planets, cards and whole sets of components; reads card faces (SM-10 to SM-12)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spacemission_env.core.reading import Json
from spacemission_env.games.space_mission.engine.constants import COLOURS, JOKER, JOKER_MASK, RING

LETTERS = dict(zip("JSL", COLOURS, strict=True))  # the letters of the colours in ids
_COORDINATES = re.compile("([JSL])([1-4?])([JSL])([1-4?])")


@dataclass(frozen=True)
class Planet:
    """One planet: a jump, a scan and two landing numbers, each 1 to 4 (SM-11)."""

    name: str
    jump: int
    scan: int
    landing: tuple[int, int]

    def to_json(self) -> Json:
        """The planet as in the header of a record."""
        return {"name": self.name, "jump": self.jump, "scan": self.scan, "landing": list(self.landing)}


@dataclass(frozen=True)
class Card:
    """One card: two coordinates (SM-10, SM-12).

    Values of a colour: ``()`` absent, ``(3,)`` a number, ``(JOKER,)`` a joker, ``(1, 3)`` two sorted numbers.
    """

    id: str
    jump: tuple[int, ...] = ()
    scan: tuple[int, ...] = ()
    landing: tuple[int, ...] = ()

    def to_json(self) -> Json:
        """The card as in the header of a record, without absent colours; ``"?"`` is a joker."""
        shown = {c: ["?" if v == JOKER else v for v in getattr(self, c)] for c in COLOURS}
        return {"id": self.id, **{c: v if len(v) > 1 else v[0] for c, v in shown.items() if v}}

    @property
    def coordinates(self) -> list[tuple[str, int | str]]:
        """The two coordinates as pairs of a colour and a number or "?", in the order jump, scan, landing."""
        return [(colour, "?" if v == JOKER else v) for colour in COLOURS for v in getattr(self, colour)]

    @property
    def face(self) -> str:
        """The printed coordinates as an id: ``J1S3``, ``J?L2``, ``J1J3``."""
        return "".join(f"{colour[0].upper()}{value}" for colour, value in self.coordinates)

    @classmethod
    def from_face(cls, face: str) -> Card:
        """Make a card from its face: jump before scan before landing, the smaller number first.

        Raises:
            ValueError: the text is no face; the message says why.
        """
        values = read_face(face) or read_face(face.strip().upper())
        if values is None:
            raise ValueError("is no face: expected two coordinates, such as 'J1S3', 'J?L2' or 'J1J3'")
        card = cls(face, **values)
        if len(values) == 1 and (JOKER in (both := next(iter(values.values()))) or both[0] == both[1]):
            raise ValueError("is no face: two coordinates of one colour are two different numbers")
        if card.face != face:
            raise ValueError(f"is written {card.face!r}: J before S before L, the smaller number first")
        return card


def read_face(text: str) -> dict[str, tuple[int, ...]] | None:
    """The values by colour if the text is a face (with its coordinates in either order), else None."""
    found = _COORDINATES.fullmatch(text)
    if found is None:
        return None
    values: dict[str, tuple[int, ...]] = {}
    for letter, value in (found.groups()[:2], found.groups()[2:]):
        colour = LETTERS[letter]
        both = (*values.get(colour, ()), JOKER if value == "?" else int(value))
        values[colour] = tuple(sorted(both))
    return values


def mask_of(values: tuple[int, ...]) -> int:
    """The numbers that a card with these values of a colour serves, as bits: bit n for n, 1 to 4."""
    return JOKER_MASK if JOKER in values else sum(1 << number for number in values)


@dataclass(frozen=True)
class Components:
    """Validated components: 12 planets, 60 cards (hands are sorted in this order), tile counts by kind.

    A smaller box (SM-12) names its `ring`: how many planets are laid.
    """

    name: str
    planets: tuple[Planet, ...]
    cards: tuple[Card, ...]
    tiles: tuple[int, ...] = ()
    sha256: str = ""
    ring: int = RING

    @property
    def pile(self) -> int:
        """How many tiles each planet of the ring gets (SM-03)."""
        return sum(self.tiles) // self.ring

    def to_json(self) -> Json:
        """The entry in the header of a record: name, sha256, planets, cards, and the ring if it is not 8."""
        return {
            **({} if self.ring == RING else {"ring": self.ring}),
            "name": self.name,
            "sha256": self.sha256,
            "planets": [p.to_json() for p in self.planets],
            "cards": [c.to_json() for c in self.cards],
        }
