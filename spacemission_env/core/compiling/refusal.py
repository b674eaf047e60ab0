"""Says in one line what numba refused to compile, and where."""

from __future__ import annotations

import os
import re
import traceback

from numba.core.ir import Loc

from spacemission_env.core.errors import CompileError

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|(\S+\.py) \((\d+)\)')
_CALLED = re.compile(r"resolving callee type: type\(\w+\(<function (\w+) at")
_STEP = "Failed in nopython mode pipeline"  # numba's headings; the reason follows


def refusal(name: str, error: Exception) -> CompileError:
    """The error to raise in place of numba's when the function `name` does not compile."""
    text = _COLOUR.sub("", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(_STEP)]
    reason = lines[0] if lines else "no message"
    if not type(error).__module__.startswith("numba"):
        reason = f"{type(error).__name__}: {reason}"
    place = _told(text) or _working_on(error)
    return CompileError(f"{name}: cannot be compiled: {reason}" + (f" ({place})" if place else ""))


def _told(text: str) -> str | None:
    # Numba names the innermost place first.
    for found in _PLACE.finditer(text):
        file, line = found[1] or found[3], found[2] or found[4]
        if _theirs(file):
            called = _CALLED.search(text, 0, found.start())  # then only the place of the call is known
            return f"{os.path.basename(file)}:{line}" + (f", calling {called[1]}" if called else "")
    return None


def _working_on(error: Exception) -> str | None:
    # The last place that numba was working on; some of its errors name none, such as that of a wrong field.
    place = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            where = getattr(value, "__dict__", {}).get("loc", value)
            if isinstance(where, Loc) and _theirs(where.filename):
                place = f"{os.path.basename(where.filename)}:{where.line}"
    return place


def _theirs(file: str) -> bool:
    return "site-packages" not in file and "dist-packages" not in file
