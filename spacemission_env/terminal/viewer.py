"""A record on the screen, stepped through with keys."""

from __future__ import annotations

from dataclasses import dataclass

from spacemission_env.terminal.film import Film

LOG = 5  # moves that are told, the one that led here last
HELP = """\
right, space, n    one move on                left, b     one move back
down, ]            to the next round          up, [       to the round before
home, g            the beginning              end, G      the end
0 to 9             as this seat knew it       a           everything open
j, k               scroll down, up            + -         the next, the previous game of the file
?                  this help                  q           quit"""


@dataclass
class Viewer:
    """Where a person is in a film: what a key does, and what is then to be seen.

    Attributes:
        film: the game.
        seat: whose knowledge is shown; None: everything.
        place: how many moves have been made.
        scroll: lines that are above the screen.
        help: whether the keys are explained.
        wants: 0, or the step to another game of the file.
        done: whether the person has had enough.
    """

    film: Film
    seat: int | None = None
    place: int = 0
    scroll: int = 0
    help: bool = False
    wants: int = 0
    done: bool = False

    def press(self, key: str) -> None:
        """Do what the key says; one that says nothing changes nothing."""
        film, self.help = self.film, key == "?" and not self.help
        if key in ("right", " ", "n", "\r", "\n"):
            self.go(self.place + 1)
        elif key in ("left", "b"):
            self.go(self.place - 1)
        elif key in ("down", "]"):
            self.go(film.round_from(self.place, 1))
        elif key in ("up", "["):
            self.go(film.round_from(self.place, -1))
        elif key in ("home", "g"):
            self.go(0)
        elif key in ("end", "G"):
            self.go(len(film))
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
        """To the place, or the nearest that there is."""
        self.place = min(max(place, 0), len(self.film))

    def head(self) -> str:
        """Which game, which move, and who sees it."""
        film = self.film
        names = ", ".join(f"player_{j} {name}" for j, name in enumerate(film.agents))
        seen = "everything open" if self.seat is None else f"as player_{self.seat} knew it"
        return (
            f"Game {film.number}, seed {film.seed}: {names}\n"
            f"move {self.place} of {len(film)}, round {film.rounds[self.place]}, {seen}; ? for help"
        )

    def body(self) -> str:
        """The table, the last moves, and at the end how it ended; or the help."""
        if self.help:
            return HELP
        film, first = self.film, max(1, self.place - LOG + 1)
        moves = [f"{k:4}  {film.move(k, self.seat)}" for k in range(first, self.place + 1)]
        parts = ["\n".join(moves), film.board(self.place, self.seat)]
        if self.place == len(film):
            parts.append(film.result())
        return "\n\n".join(part.strip("\n") for part in parts if part)
