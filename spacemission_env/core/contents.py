"""What lies where in a game, hidden things too: what a belief is about.

Nobody is shown the contents of the true game. In worlds that a seat holds possible (`Game.determinize`) they
tell what it may expect where: `belief`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacemission_env.core.arguments import check_number

if TYPE_CHECKING:
    from spacemission_env.core.game import Game

MOST = 1_000_000  # determinizations


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
    """What a seat may expect: the same, with numbers over determinizations.

    Attributes:
        name, kinds, places: as in `Contents`.
        mean: expected number, float64 (places, kinds).
        any: probability of at least one, float64 (places, kinds).
        certain: whether the place holds the same in all of them, bool (places,).
    """

    name: str
    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    mean: np.ndarray
    any: np.ndarray
    certain: np.ndarray


def belief(game: Game, seat: int, n: int, salt: bytes = b"") -> list[Belief]:
    """Summarise n determinizations: what a seat may expect to lie where, one `Belief` a sort of things.

    Each determinization (a world that the seat holds possible) is drawn evenly by `Game.determinize`. They
    depend on what the seat knows alone: the same for all games that it cannot tell apart. A share has a
    standard error of at most 0.5 / √n.

    Args:
        game: one under way.
        seat: whose view.
        n: determinizations, 1 to 1,000,000.
        salt: secret bytes, at most 64, so that nobody else can tell which worlds are drawn.

    Returns:
        Empty for a game that does not say what lies where (`GameSpec.contents_module`).

    Raises:
        SetupError: no such seat, or n out of its range.
    """
    n = check_number("n", n, 1, MOST)
    known = hashlib.blake2b(game.information_state_key(seat), key=salt).digest()
    first = int.from_bytes(known[:7], "big")
    if game.spec.contents_module is None:
        return []
    drawn = [game.spec.contents(game.determinize(seat, first + i)) for i in range(n)]
    return [_of_sort([contents[k] for contents in drawn]) for k in range(len(drawn[0]))]


def _of_sort(drawn: list[Contents]) -> Belief:
    counts = np.stack([contents.counts for contents in drawn])
    one = drawn[0]
    same = (counts == counts[0]).all((0, 2))
    return Belief(one.name, one.kinds, one.places, counts.mean(0), (counts > 0).mean(0), same)
