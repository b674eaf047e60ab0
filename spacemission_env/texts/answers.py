"""Finds the last JSON object in an answer: what a language model says around it counts for nothing."""

from __future__ import annotations

import json
import re

MOST = 1_000_000  # characters of an answer that is read
MOST_BROKEN = 200  # objects that are no JSON, after which an answer is not read on: time stays linear

# An object can begin only here; "[" before it: a list of objects is a list, not an object.
_BEGINNING = re.compile(r'(?:\[\s{0,9})?\{\s*["}]')


class Pairs(list[tuple[str, object]]):
    """The pairs of a JSON object in their order, so that a key that stands twice is noticed."""


class UnreadableError(ValueError):
    """An answer has no move; the message says why."""


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def said_move(answer: str) -> str:
    """The text of `"move"` in the last object of an answer that is in no other object or list.

    Prose, code fences and earlier objects are skipped. An object that breaks off or is no JSON counts as the
    last one too, with all that it holds: what stands in it was perhaps not meant. Takes linear time.

    Raises:
        UnreadableError: there is no such object, or not one text as its move.
    """
    if len(answer) > MOST:
        raise UnreadableError(f"the answer has more than {MOST:,} characters")
    found, broken, at = None, 0, 0
    while begun := _BEGINNING.search(answer, at):
        at = begun.start()
        try:
            found, at = _DECODER.raw_decode(answer, at)
        except RecursionError:
            raise UnreadableError("the JSON is nested too deeply") from None
        except json.JSONDecodeError as error:
            broken += 1
            if broken > MOST_BROKEN:
                raise UnreadableError(f"more than {MOST_BROKEN} objects are no JSON") from None
            found, at = f"the last object is no JSON: {error.msg}", max(error.pos, at + 1)
    return _move_in(found)


def _move_in(found: object) -> str:
    if found is None:
        raise UnreadableError("there is no JSON object in the answer")
    if isinstance(found, str):
        raise UnreadableError(found)
    if not isinstance(found, Pairs):
        raise UnreadableError("the last JSON value is a list, not one object")
    moves = [value for key, value in found if key == "move"]
    if len(moves) != 1:
        how_often = "twice or more" if moves else "not"
        raise UnreadableError(f'the key "move" stands {how_often} in the last JSON object')
    if not isinstance(moves[0], str):
        raise UnreadableError('"move" is no text')
    return moves[0]
