"""Finds the legal move that a text names."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from spacemission_env.core.errors import LONGEST_VALUE, IllegalActionError, shown

NEAREST = 3  # maximum number of legal moves that an error message suggests


def move_key(text: str) -> str:
    """A text without case and blanks, which do not matter."""
    # Upper case first: without it, one letter (the dotless i) would differ from its capital.
    return "".join(text.upper().split()).casefold()


def begins(text: str, beginning: str) -> bool:
    """Whether a move's text begins with these whole words, as "jump Hazard J12" does with "jump hazard"."""
    words, first = text.split(), beginning.split()
    return list(map(move_key, words[: len(first)])) == list(map(move_key, first))


def find_move(text: str, legal: Mapping[int, str]) -> int:
    """Find the action that a text names; `legal`: the texts of the legal moves by action.

    IllegalActionError: it names none; the message says at which word it fails, and gives the nearest moves.
    """
    key, keys = move_key(text), {move_key(own): action for action, own in legal.items()}
    if key in keys:
        return keys[key]
    near = get_close_matches(key[:LONGEST_VALUE], keys, NEAREST, 0.0)
    named = ", ".join(shown(legal[keys[one]]) for one in near)
    count = f" of {len(legal)}" if len(legal) > len(near) else ""
    raise IllegalActionError(f"move {shown(text)}: {fault(text, legal)}; nearest{count}: {named}")


def fault(text: str, legal: Mapping[int, str]) -> str:
    """Why a text names no legal move; `legal`: the texts of the legal moves by action."""
    words = text.split()
    if not words:
        return "is empty"
    for count in range(1, len(words) + 1):
        said = " ".join(words[:count])
        if not any(begins(own, said) for own in legal.values()):
            return f"no legal move begins with {shown(said)}"
    return "is only the beginning of legal moves"
