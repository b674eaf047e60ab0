"""Logs the moves of a game, decides what each viewer sees, and takes moves back.

A viewer is a seat, or `WATCHER`: somebody who looks on and holds nothing. A *step* is a move that the viewer
saw. During a decision that a viewer must not know of (a pass in a window of Planet Hexx) it gets nothing: the
move before is held back too, so that the messages are the same as if nobody was asked. `match.py` pauses
after every move that such a decision may follow, so that they also come at the same time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from spacemission_agents.web.store import Move
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.errors import RecordError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import game_of_env
from spacemission_env.core.reading import Json
from spacemission_env.records.writer import GameRecord

WATCHER = -1  # its place in `Entry.words` and `Entry.secret` is the last
EVERY = 16  # moves between two clones that are kept
WORLDS = 48  # in which a move that is to be taken back is tried


# ---------------------------------------------------------------- the log


@dataclass(frozen=True)
class Entry:
    """A line of the log: a move, or (`undo`) the taking back of the move before."""

    undo: bool
    player: int
    action: int
    words: tuple[str | None, ...]  # for each viewer; None for those who see nothing
    secret: tuple[bool, ...]  # for each viewer: whether the decision that follows is hidden from it
    pause: bool  # whether a hidden decision may follow, as far as everybody knows

    @property
    def hidden(self) -> bool:
        """Whether a seat did not see the move."""
        return not self.undo and None in self.words[:-1]


@dataclass(frozen=True)
class Event:
    """A line of the log as one viewer gets it: its number from 1, and the step that it leads to."""

    id: int
    step: int
    player: int
    words: str
    undo: bool


L = TypeVar("L", Entry, Event)


def words_for(game: Game, action: int) -> tuple[str | None, ...]:
    """A move that is about to be made, in words for each viewer; None for those who do not see it."""
    assert game.player is not None
    seats = range(game.num_players)
    words = [game.words(action, j) if _sees(game, action, j) else None for j in seats]
    others = {words[j] for j in seats if j != game.player}
    public = others.pop() if len(others) == 1 else None  # what every seat sees alike
    return (*words, public)


def secret_from(game: Game) -> tuple[bool, ...]:
    """For each viewer, whether the decision at hand is hidden from it, because one of its moves would be."""
    n = game.num_players
    if game.over:
        return (False,) * (n + 1)
    legal = game.legal_actions()
    seats = [j != game.player and not all(_sees(game, a, j) for a in legal) for j in range(n)]
    return (*seats, any(seats))


def _sees(game: Game, action: int, seat: int) -> bool:
    return game.move_seen(action, seat)[1]["kind"] is not None


def open_part(log: Sequence[Entry], viewer: int) -> Sequence[Entry]:
    """The log as far as a viewer may see it by now."""
    end = len(log)
    while end and log[end - 1].secret[viewer]:
        end -= 1
    return log[:end]


def standing(log: Sequence[L]) -> list[L]:
    """The moves that stand, without those taken back."""
    moves: list[L] = []
    for entry in log:
        if entry.undo:
            moves.pop()
        else:
            moves.append(entry)
    return moves


def events(log: Sequence[Entry], viewer: int) -> list[Event]:
    """Everything that a viewer has seen."""
    found: list[Event] = []
    step = 0
    for entry in open_part(log, viewer):
        words = entry.words[viewer]
        if words is not None:
            step += -1 if entry.undo else 1
            found.append(Event(len(found) + 1, step, entry.player, words, entry.undo))
    return found


def positions(log: Sequence[Entry], viewer: int) -> list[int]:
    """For each step of a viewer, the number of moves before the next one that the viewer sees."""
    moves = standing(open_part(log, viewer))
    before = [i for i, entry in enumerate(moves) if entry.words[viewer] is not None]
    return [*before, len(moves)]


# ---------------------------------------------------------------- the moves


class Timeline:
    """A game from its deal to now."""

    def __init__(self, dealt: Game) -> None:
        self.now = dealt.clone()  # not to be changed by others
        self.moves: list[Move] = []
        self._clones = [dealt.clone()]

    def __len__(self) -> int:
        return len(self.moves)

    def push(self, move: Move) -> None:
        """Make a move; IllegalActionError or SetupError, and nothing is changed, if it cannot be made."""
        _make(self.now, move)
        self.moves.append(move)
        if len(self.moves) % EVERY == 0:
            self._clones.append(self.now.clone())

    def pop(self) -> None:
        count = len(self.moves) - 1
        self.now = self.at(count)
        del self.moves[count:], self._clones[count // EVERY + 1 :]

    def at(self, count: int) -> Game:
        """A copy of the game after so many moves."""
        if count == len(self.moves):
            return self.now.clone()
        game: Game = self._clones[count // EVERY].clone()
        for move in self.moves[count // EVERY * EVERY : count]:
            _make(game, move)
        return game

    def record(self, names: Sequence[str]) -> str:
        """The game as a record, format 1; cut short if it is not over."""
        game = self.at(0)
        record = GameRecord(game, names)
        for move in self.moves:
            record.before(move.action)
            _make(game, move)
        if game.over:
            record.finish()
        else:
            record.after()
        return record.text()


def _make(game: Game, move: Move) -> None:
    game.step(move.action, NO_ORDER if move.order is None else game.order_of(list(move.order)))


def dealt_from(header: Json, laid: bool) -> Game:
    """The game of a record's header, just reset: dealt from its seed, or laid by its set-up.

    Raises:
        SpaceMissionError: it cannot be played here.
    """
    spec = game_of_env(header.get("env"))
    if spec is None:
        raise RecordError(f"env: {header.get('env')!r} is not installed here")
    rules, components = header["rules"], spec.recorded_components(header)
    game: Game = make_game(spec, header["num_players"], rules, components)
    game.reset(header["seed"], header["setup"] if laid else None)
    return game


# ---------------------------------------------------------------- undo


def may_undo(timeline: Timeline, log: Sequence[Entry], seat: int) -> bool:
    """Whether a seat may take the last move back: if nothing was drawn, revealed or answered after it.

    For any game: the move is made in worlds that the seat held possible before it. If the seat knows the same
    in all of them, and the same seat is to act, it has learned nothing.
    """
    moves = standing(log)
    if not moves or timeline.now.over:
        return False
    last = moves[-1]
    secret_before = len(moves) > 1 and any(moves[-2].secret)
    if last.player != seat or last.pause or None in last.words or secret_before:
        return False
    before = timeline.at(len(timeline) - 1)
    known = _known(timeline.now, seat)
    for number in range(WORLDS):
        world = before.determinize(seat, seed_of(before, seat, number.to_bytes(4, "big")))
        world.step(last.action)
        if _known(world, seat) != known:
            return False
    return True


def _known(game: Game, seat: int) -> tuple[bool, int | None, bytes]:
    return game.over, game.player, game.information_state_key(seat)


def seed_of(game: Game, seat: int, number: bytes) -> int:
    """A seed from what the seat knows alone, so that what is drawn with it tells nothing else."""
    digest = hashlib.sha256(game.information_state_key(seat) + number).digest()
    return int.from_bytes(digest[:7], "big")
