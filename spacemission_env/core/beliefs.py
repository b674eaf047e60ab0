"""Estimates where hidden things are, from states that a seat considers possible."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from spacemission_env.core.arguments import check_number
from spacemission_env.core.game import Contents, Game, Place

MOST = 1_000_000  # maximum number of determinizations


@dataclass(frozen=True)
class Belief:
    """Where a seat expects the things of one sort (`Contents`), estimated from determinizations.

    Attributes:
        name, kinds, places: as in `Contents`.
        mean: expected number, float64 (places, kinds).
        any: probability of at least one, float64 (places, kinds).
        certain: whether the place has the same contents in all determinizations, bool (places,).
    """

    name: str
    kinds: tuple[str, ...]
    places: tuple[Place, ...]
    mean: np.ndarray
    any: np.ndarray
    certain: np.ndarray


def belief(game: Game, seat: int, n: int, salt: bytes = b"") -> list[Belief]:
    """Estimate from n determinizations where a seat expects things to be; one `Belief` per sort.

    The result depends only on what the seat knows: it is equal in all games that the seat cannot tell apart.
    A probability has a standard error of at most 0.5 / √n.

    Args:
        game: a game that has been dealt.
        seat: whose knowledge counts.
        n: number of determinizations, 1 to 1,000,000.
        salt: secret bytes, at most 64, so that other people cannot tell which determinizations are sampled.

    Returns:
        An empty list for a game without `Game.contents`.

    Raises:
        SetupError: no such seat, or n is out of range.
    """
    n = check_number("n", n, 1, MOST)
    known = hashlib.blake2b(game.information_state_key(seat), key=salt).digest()
    first = int.from_bytes(known[:7], "big")
    if not game.contents():
        return []
    drawn = [game.determinize(seat, first + i).contents() for i in range(n)]
    return [_of_sort([contents[k] for contents in drawn]) for k in range(len(drawn[0]))]


def _of_sort(drawn: list[Contents]) -> Belief:
    counts = np.stack([contents.counts for contents in drawn])
    one = drawn[0]
    same = (counts == counts[0]).all((0, 2))
    return Belief(one.name, one.kinds, one.places, counts.mean(0), (counts > 0).mean(0), same)
