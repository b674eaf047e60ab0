"""Typed errors. Each message is one line that names what was refused, where, and why."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 600  # characters of a message


def printable(text: str) -> str:
    """The text with escapes in the place of control characters, which a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class SpaceMissionError(ValueError):
    """Base of everything that this package refuses; the command line prints it and exits with 1."""

    def __init__(self, message: object = "") -> None:
        """Keep the message to one printable line, whatever values it quotes."""
        line = printable(" ".join(str(message).split()))
        super().__init__(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…")


class ComponentsError(SpaceMissionError):
    """A components file that does not describe the game's box."""


class RulesError(SpaceMissionError):
    """A rules option or preset that does not exist or is out of range."""


class SetupError(SpaceMissionError):
    """A set-up or saved state that does not hold together."""


class NotResetError(SetupError, AttributeError):
    """An environment asked about a game before its first `reset`.

    It is an AttributeError too: PettingZoo's tools ask with `hasattr` whether there is a game.
    """


class PicturesError(SetupError, TypeError):
    """A `render_mode` that asks for pictures where there are none.

    It is a TypeError too: SB3 asks for `rgb_array` first, and on a TypeError for none.
    """


class IllegalActionError(SpaceMissionError):
    """A move that the rules do not allow, or one after the end of the game."""


class RecordError(SpaceMissionError):
    """A game record that does not hold; the message names the line."""


class AgentError(SpaceMissionError):
    """An agent name, parameter or model folder that cannot be used."""


class SeedError(SpaceMissionError):
    """A seed that is not an integer from 0 to 2**63 - 1."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a line on an unknown name: the known one that looks most like it, if any does."""
    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def first_line(error: BaseException) -> str:
    """What an error says, in one line; also of one that cannot say it."""
    try:
        return (str(error) or "no message").splitlines()[0]
    except BaseException:
        return "no message"


HOUSE = ("spacemission_env", "spacemission_agents", "spacemission_train")
_STANDARD = sysconfig.get_path("stdlib") + os.sep


def failure(error: BaseException) -> str:
    """An error of somebody's own code in one line: `ZeroDivisionError: division by zero (my_bot.py:12)`."""
    try:
        place = failed_at(error)
    except Exception:  # what calls itself something else than a text
        place = None
    return f"{type(error).__name__}: {first_line(error)}" + (f" ({place})" if place else "")


def failed_at(error: BaseException) -> str | None:
    """File and line where somebody's own code failed: the last of it that ran, not what it called.

    Their code begins at the first frame that is neither of this house nor of Python; what lies in the
    folder of that file is theirs too. None where the error tells it itself (`SyntaxError`), or all is ours.
    """
    if isinstance(error, SyntaxError):
        return None
    root = place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if _not_theirs(file, _module_of(frame.f_globals)):
            continue
        folder = os.path.dirname(file)
        root = folder if root is None else root
        inside = folder == root or (root and folder.startswith(root + os.sep))
        if inside and not _installed(folder[len(root) :]):
            place = f"{os.path.basename(file)}:{line}"
    return place


def _module_of(names: dict[str, object]) -> str:
    spec = names.get("__spec__")  # of what runs by `python -m` too, whose name is "__main__"
    return str(getattr(spec, "name", names.get("__name__", "")))


def _not_theirs(file: str, module: str) -> bool:
    standard = file.startswith(_STANDARD) and not _installed(file)
    return standard or file.startswith("<frozen") or module.partition(".")[0] in HOUSE


def _installed(path: str) -> bool:
    return any(part in path.split(os.sep) for part in ("site-packages", "dist-packages"))


LONGEST_VALUE = 120  # characters of a value that a message quotes


def shown(value: object) -> str:
    """A value as messages quote it: short, and also where it cannot be shown (an integer of 5,000 digits)."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
