"""Declares the numbers of moves, and describes moves in words."""

from __future__ import annotations

from .board import CELLS

PASS = 0
YES = 1
BRANCH = 2
FLY = 6
PLAY = 7
UPLOAD = 19
UPLOAD_OTHERWISE = 31
DISCARD = 43
CELL = 55
DIRECTION = 272
SEAT = 278
NUMBER = 282
POINT = 289
KIND = 313

HAND_LIMIT = 12  # hand slots in the table

SEGMENTS = (
    (KIND, "take kind"),
    (POINT, "delete point"),
    (NUMBER, "collect"),
    (SEAT, "seat"),
    (DIRECTION, "direction"),
    (CELL, "cell"),
    (DISCARD, "discard slot"),
    (UPLOAD_OTHERWISE, "upload at its other cost slot"),
    (UPLOAD, "upload slot"),
    (PLAY, "play slot"),
    (FLY, "move"),
    (BRANCH, "branch"),
    (YES, "yes"),
    (PASS, "pass"),
)


def in_words(move: int) -> str:
    """The move as text, for messages of failed tests."""
    first, word = next((first, word) for first, word in SEGMENTS if move >= first)
    if first in (FLY, YES, PASS):
        return word
    if first == CELL:
        return f"cell {CELLS[move - first]}"
    return f"{word} {move - first}"
