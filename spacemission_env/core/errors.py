"""Defines typed errors; each message is one line that says what is wrong, and where."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 600  # maximum number of characters of a message


def printable(text: str) -> str:
    """Escape control characters, which could send commands to a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class SpaceMissionError(ValueError):
    """Base class of all errors of this package; the command line prints the message and exits with 1."""

    def __init__(self, message: object = "") -> None:
        """Reduce the message to one printable line."""
        line = printable(" ".join(str(message).split()))
        super().__init__(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…")


class ComponentsError(SpaceMissionError):
    """A components file is not valid."""


class RulesError(SpaceMissionError):
    """A rules option or preset is unknown or out of range."""


class SetupError(SpaceMissionError):
    """An argument, set-up or saved state is not valid."""


class NotResetError(SetupError, AttributeError):
    """An environment is used before its first `reset`.

    It is also an AttributeError, because PettingZoo's tools use `hasattr` to find out whether a game exists.
    """


class PicturesError(SetupError, TypeError):
    """A `render_mode` needs pictures that are not available.

    It is also a TypeError: SB3 tries `rgb_array` first, and after a TypeError it renders nothing.
    """


class IllegalActionError(SpaceMissionError):
    """A move is illegal, or the game is over."""


class RecordError(SpaceMissionError):
    """A game record is not valid; the message names the line."""


class CompileError(SpaceMissionError):
    """A function of a game cannot be compiled; the message names its file and line."""


class AgentError(SpaceMissionError):
    """An agent's name, parameter, model folder or result is not valid."""


class StopError(AgentError):
    """An agent stops the whole run, for example if a server does not answer; no game is forfeited."""


class SeedError(SpaceMissionError):
    """A seed is not an integer from 0 to 2**63 - 1."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the most similar known name, if any."""
    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def first_line(error: BaseException) -> str:
    """The first line of an error's message, even if the error's `str` fails."""
    try:
        return (str(error) or "no message").splitlines()[0]
    except BaseException:
        return "no message"


HOUSE = ("spacemission_env", "spacemission_agents", "spacemission_train")
_CALLERS = ("typer", "click")  # they call the commands
_STANDARD = sysconfig.get_path("stdlib") + os.sep


def failure(error: BaseException) -> str:
    """An error in a user's code in one line: `ZeroDivisionError: division by zero (my_bot.py:12)`."""
    try:
        place = failed_at(error)
    except Exception:  # a module name that is not a string
        place = None
    return f"{type(error).__name__}: {first_line(error)}" + (f" ({place})" if place else "")


def failed_at(error: BaseException) -> str | None:
    """File and line of the last frame of the user's own code.

    Look at the frames after this project's last one. The first of them outside Python's own library, typer
    and click is the user's; so are later ones with files in the same folder or below it, except installed
    packages. If none is found, look at all frames in this way. Return None if there is none again, and for a
    `SyntaxError`, whose message names the place.
    """
    if isinstance(error, SyntaxError):
        return None
    frames = [
        (frame.f_code.co_filename, line, _module_of(frame.f_globals))
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    last = max(
        (n for n, (_, _, module) in enumerate(frames) if module.partition(".")[0] in HOUSE), default=-1
    )
    return _last_theirs(frames[last + 1 :]) or _last_theirs(frames)


def _last_theirs(frames: list[tuple[str, int, str]]) -> str | None:
    root = place = None
    for file, line, module in frames:
        if _not_theirs(file, module):
            continue
        folder = os.path.dirname(file)
        root = folder if root is None else root
        inside = folder == root or (root and folder.startswith(root + os.sep))
        if inside and not _installed(folder[len(root) :]):
            place = f"{os.path.basename(file)}:{line}"
    return place


def _module_of(names: dict[str, object]) -> str:
    spec = names.get("__spec__")  # under `python -m`, __name__ is "__main__"
    return str(getattr(spec, "name", names.get("__name__", "")))


def _not_theirs(file: str, module: str) -> bool:
    standard = file.startswith(_STANDARD) and not _installed(file)
    return standard or file.startswith("<frozen") or module.partition(".")[0] in (*HOUSE, *_CALLERS)


def _installed(path: str) -> bool:
    return any(part in path.split(os.sep) for part in ("site-packages", "dist-packages"))


LONGEST_VALUE = 120  # maximum number of characters of a value in a message


def shown(value: object) -> str:
    """A value as messages quote it: shortened, and safe for values whose `repr` fails."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
