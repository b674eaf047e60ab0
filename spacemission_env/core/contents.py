"""What lies where in a game, hidden things too: what a belief is about.

Nobody is shown the contents of the true game. In worlds that a seat holds possible (`Game.determinize`) they
tell what it may expect where: `belief`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spacemission_env.core.game import Game


@dataclass(frozen=True)
class Place:
    """Where hidden things can lie: an id (of the picture, where it has one), and what it is in words."""

    id: str
    title: str


@dataclass(frozen=True)
class Contents:
    """Things of one sort, such as tiles.

    Attributes:
        name: of the sort.
        kinds: what they can be.
        places: where they can lie.
        counts: how many of each kind lie in each place: int64 (places, kinds).
    """

    name: str
    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    counts: np.ndarray


@dataclass(frozen=True)
class Belief:
    """What a seat may expect: the same, with numbers over worlds.

    Attributes:
        name, kinds, places: as in `Contents`.
        mean: expected number, float64 (places, kinds).
        any: share of worlds with at least one, float64 (places, kinds).
        certain: whether the place holds the same in all of them, bool (places,).
    """

    name: str
    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    mean: np.ndarray
    any: np.ndarray
    certain: np.ndarray


def belief(game: Game, seat: int, worlds: int, salt: bytes = b"") -> list[Belief]:
    """What a seat may expect where, by so many worlds that it holds possible.

    The worlds are drawn by what the seat knows: the same for all games that it cannot tell apart. With a
    secret `salt` (at most 64 bytes) nobody knows which worlds are drawn.
    """
    known = hashlib.blake2b(game.information_state_key(seat), key=salt).digest()
    first = int.from_bytes(known[:7], "big")
    if game.spec.contents_module is None:
        return []
    drawn = [game.spec.contents(game.determinize(seat, first + i)) for i in range(worlds)]
    return [_of_sort([contents[k] for contents in drawn]) for k in range(len(drawn[0]))]


def _of_sort(drawn: list[Contents]) -> Belief:
    counts = np.stack([contents.counts for contents in drawn])
    one = drawn[0]
    same = (counts == counts[0]).all((0, 2))
    return Belief(one.name, one.kinds, one.places, counts.mean(0), (counts > 0).mean(0), same)
