"""Steps through a recorded game on the screen with keys."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from spacemission_env.core.game import Game
from spacemission_env.records.reader import ReplayedGame

SHUFFLED = "the discard pile is shuffled and becomes the draw pile"
LOG = 5  # number of last moves to list
HELP = """\
right, space, n    one move on                left, b     one move back
down, ]            to the next round          up, [       to the round before
home, g            the beginning              end, G      the end
0 to 9             as this seat knew it       a           everything open
j, k               scroll down, up            + -         the next, the previous game of the file
?                  this help                  q           quit"""
# Keys that act like another, named key.
SAME_KEY = {
    **dict.fromkeys((" ", "n", "\r", "\n"), "right"),
    **{"b": "left", "]": "down", "[": "up", "g": "home", "G": "end"},
}
# Escape sequences of special keys, without the escape character.
NAMED = {
    "[A": "up", "[B": "down", "[C": "right", "[D": "left", "[H": "home", "[F": "end",
    "[1~": "home", "[4~": "end", "[5~": "up", "[6~": "down",
}  # fmt: skip
ESCAPE = "\x1b"
SOON = 0.05  # seconds to wait for the rest of an escape sequence
LONGEST = 6  # maximum number of bytes of a key


class Film:
    """The positions of a recorded game: place 0 is the deal, place k comes after k moves."""

    def __init__(self, replayed: ReplayedGame) -> None:
        """Replay the record; RecordError if a line is invalid."""
        self.number, self.agents, self._game = replayed.number, replayed.agents, replayed.game
        self._states: list[np.ndarray] = []
        self._actions: list[int] = []
        self.rounds: list[int] = []  # number of the round at each place
        for decision in replayed:
            self._keep()
            self._actions.append(decision.action)
        self._keep()
        self.cut = replayed.cut
        self.players, self.seed = self._game.num_players, self._game.seed

    def _keep(self) -> None:
        self._states.append(self._game.states.copy())
        self.rounds.append(self._game.rounds)

    def __len__(self) -> int:
        return len(self._actions)

    def game(self, place: int) -> Game:
        """The game at a place, until the next call."""
        self._game.states[:] = self._states[place]
        return self._game

    def board(self, place: int, seat: int | None) -> str:
        """The table at a place as a seat knew it; None: all hands open."""
        game = self.game(place)
        return game.open_board() if seat is None else game.board(seat)

    def move(self, place: int, seat: int | None) -> str:
        """The move before a place, as a seat saw it; None: all of it."""
        words = self.game(place - 1).words(self._actions[place - 1], seat)
        shuffles = self._game.shuffles
        return f"{words}; {SHUFFLED}" if self.game(place).shuffles > shuffles else words

    def result(self) -> str:
        game = self.game(len(self))
        if self.cut:
            return f"{self.cut}\n"
        return f"{game.reason} after {game.rounds} rounds\n\n{game.result_words(self.agents)}"

    def round_from(self, place: int, step: int) -> int:
        """The first place of the next round (step 1), or of this or the previous round (step -1)."""
        if step > 0:
            later = range(place + 1, len(self._states))
            return next((k for k in later if self.rounds[k] > self.rounds[place]), len(self))
        return next((k for k in range(place - 1, 0, -1) if self.rounds[k] > self.rounds[k - 1]), 0)


@dataclass
class Viewer:
    """The state of the viewer: handles keys and returns the text to show."""

    film: Film
    seat: int | None = None  # whose view; None: everything
    place: int = 0  # number of moves made
    scroll: int = 0  # first line to show
    help: bool = False
    wants: int = 0  # 1 or -1: go to the next or previous game
    done: bool = False

    def press(self, key: str) -> None:
        """Handle a key; ignore unknown keys."""
        film, self.help = self.film, key == "?" and not self.help
        places = {"home": 0, "end": len(film), "right": self.place + 1, "left": self.place - 1}
        name = SAME_KEY.get(key, key)
        if name in places:
            self.go(places[name])
        elif name in ("down", "up"):
            self.go(film.round_from(self.place, 1 if name == "down" else -1))
        elif key == "a":
            self.seat = None
        elif key.isdecimal() and int(key) < film.players:
            self.seat = int(key)
        elif key in ("j", "k"):
            self.scroll = max(0, self.scroll + (1 if key == "j" else -1))
        elif key in ("+", "-"):
            self.wants = 1 if key == "+" else -1
        elif key in ("q", "\x03", "\x04", ""):
            self.done = True

    def go(self, place: int) -> None:
        self.place = min(max(place, 0), len(self.film))

    def head(self) -> str:
        """The game, the move, and the seat whose view is shown."""
        film = self.film
        names = ", ".join(f"player_{j} {name}" for j, name in enumerate(film.agents))
        seen = "everything open" if self.seat is None else f"as player_{self.seat} knew it"
        return (
            f"Game {film.number}, seed {film.seed}: {names}\n"
            f"move {self.place} of {len(film)}, round {film.rounds[self.place]}, {seen}; ? for help"
        )

    def body(self) -> str:
        """The last moves, the table, and the result at the end; or the help."""
        if self.help:
            return HELP
        film, first = self.film, max(1, self.place - LOG + 1)
        moves = [f"{k:4}  {film.move(k, self.seat)}" for k in range(first, self.place + 1)]
        parts = ["\n".join(moves), film.board(self.place, self.seat)]
        if self.place == len(film):
            parts.append(film.result())
        return "\n\n".join(part.strip("\n") for part in parts if part)


@contextmanager
def single_keys() -> Iterator[None]:
    """Deliver each key press without Enter during the block, if the system supports it."""
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
