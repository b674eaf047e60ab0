"""What each viewer of a game is told of its moves, and which positions it sees.

A viewer is a seat, or `WATCHER`: somebody who looks on and holds nothing. Each sees only the moves that are
shown to it, and counts only those: a *step* is a move that it saw. While somebody decides what a viewer must
not know of (a pass in a window of Planet Hexx), the viewer is told nothing: the move before is held back with
what it leads to, so that the messages are the same as where nobody was asked. `match.py` adds a pause after
every move that such a decision may follow, so that they also come at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spacemission_env.core.game import Game

WATCHER = -1  # its place in `Entry.told` and `Entry.secret` is the last


@dataclass(frozen=True)
class Entry:
    """A line of the log: a move, or the taking back of the move before.

    Attributes:
        undo: whether it takes back.
        player: whose move it is.
        action: its index.
        told: by viewer: the move in words, None where the viewer sees nothing.
        secret: by viewer: whether the decision that follows is hidden from it.
        pause: whether a decision hidden from others may follow, for all that everybody knows.
    """

    undo: bool
    player: int
    action: int
    told: tuple[str | None, ...]
    secret: tuple[bool, ...]
    pause: bool

    @property
    def hidden(self) -> bool:
        """Whether a seat did not see the move."""
        return not self.undo and None in self.told[:-1]


@dataclass(frozen=True)
class Event:
    """A line of the log as one viewer gets it: its number from 1, and the step that it leads to."""

    id: int
    step: int
    player: int
    words: str
    undo: bool


def told_of(game: Game, action: int) -> tuple[str | None, ...]:
    """A move, ahead of it, in words for each viewer; None for those who do not see it."""
    assert game.player is not None
    seats = range(game.num_players)
    words = [game.words(action, j) if _sees(game, action, j) else None for j in seats]
    others = {words[j] for j in seats if j != game.player}
    public = others.pop() if len(others) == 1 else None  # what every seat sees alike
    return (*words, public)


def secret_from(game: Game) -> tuple[bool, ...]:
    """For each viewer: whether the decision at hand is hidden from it, for one of its moves would be."""
    n = game.num_players
    if game.over:
        return (False,) * (n + 1)
    legal = game.legal_actions()
    seats = [j != game.player and not all(_sees(game, a, j) for a in legal) for j in range(n)]
    return (*seats, any(seats))


def _sees(game: Game, action: int, seat: int) -> bool:
    return game.move_seen(action, seat)[1]["kind"] is not None


def open_part(log: Sequence[Entry], viewer: int) -> Sequence[Entry]:
    """The log as far as a viewer may be told of it by now."""
    end = len(log)
    while end and log[end - 1].secret[viewer]:
        end -= 1
    return log[:end]


def line_of(log: Sequence[Entry]) -> list[Entry]:
    """The moves that stand, without those taken back."""
    line: list[Entry] = []
    for entry in log:
        if entry.undo:
            line.pop()
        else:
            line.append(entry)
    return line


def events(log: Sequence[Entry], viewer: int) -> list[Event]:
    """All that a viewer has been told."""
    found: list[Event] = []
    step = 0
    for entry in open_part(log, viewer):
        words = entry.told[viewer]
        if words is not None:
            step += -1 if entry.undo else 1
            found.append(Event(len(found) + 1, step, entry.player, words, entry.undo))
    return found


def positions(log: Sequence[Entry], viewer: int) -> list[int]:
    """For each step of a viewer, from 0: after how many moves the position is that it sees.

    It is the last one before the next move that the viewer sees.
    """
    line = line_of(open_part(log, viewer))
    before = [i for i, entry in enumerate(line) if entry.told[viewer] is not None]
    return [*before, len(line)]
