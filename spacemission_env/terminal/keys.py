"""Single keys from a terminal, without Enter."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# What terminals send for keys that are no letter, after the escape sign.
NAMED = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
    "[1~": "home",
    "[4~": "end",
    "[5~": "up",
    "[6~": "down",
}
ESCAPE = "\x1b"
SOON = 0.05  # seconds within which the rest of a key follows its escape sign
LONGEST = 6  # bytes of a key


@contextmanager
def single_keys() -> Iterator[None]:
    """Keys come as they are pressed while the block runs; by line where the system has no such terminals."""
    try:
        import termios
        import tty
    except ImportError:
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def read_key() -> str:
    """The next key: a letter, or a name of `NAMED`; empty at the end of the input."""
    terminal = sys.stdin.fileno()
    first = os.read(terminal, 1).decode(errors="replace")
    if first != ESCAPE:
        return first
    rest = ""
    while len(rest) < LONGEST and select.select([terminal], [], [], SOON)[0]:
        rest += os.read(terminal, 1).decode(errors="replace")
        if rest[-1].isalpha() or rest[-1] == "~":
            break
    return NAMED.get(rest.replace("O", "[", 1) if rest.startswith("O") else rest, ESCAPE + rest)
