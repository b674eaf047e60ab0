"""Chooses random moves in several manners."""

from __future__ import annotations

import random

from . import moves

# Weights by kind of move, 1 by default. With equal weights almost no game is won.
MANNERS: dict[str, dict[int, int]] = {
    "uploads": {moves.UPLOAD: 9, moves.PLAY: 5, moves.FLY: 4, moves.DIRECTION: 4, moves.UPLOAD_OTHERWISE: 2},
    "events": {moves.PLAY: 20, moves.YES: 3, moves.UPLOAD: 3},
    "flies": {moves.FLY: 8, moves.DIRECTION: 8, moves.YES: 2, moves.UPLOAD: 4, moves.PLAY: 2},
    "refreshes": {moves.DISCARD: 8, moves.PLAY: 3, moves.UPLOAD_OTHERWISE: 6},
    "even": {},
}


def first_of(move: int) -> int:
    """The first number of the move's kind."""
    return next(first for first, _ in moves.SEGMENTS if move >= first)


def some_move(legal: list[int], rng: random.Random, manner: str = "uploads") -> int:
    """A random kind of move by the weights of the manner, then a random move of this kind."""
    groups: dict[int, list[int]] = {}
    for move in legal:
        groups.setdefault(first_of(move), []).append(move)
    kinds = list(groups)
    weights = MANNERS[manner]
    kind = rng.choices(kinds, [weights.get(k, 1) for k in kinds])[0]
    return rng.choice(groups[kind])
