"""Logs the moves of a game, selects what each viewer may see, and takes moves back.

A viewer is a seat, or `WATCHER` for a spectator. A *step* is a move that the viewer saw. A decision can be
secret from a viewer (a Surprise in Planet Hexx). During such a decision the viewer gets no message, not even
about the move before it, so that the messages do not show whether anybody was asked. `match.py` pauses after
each move that a secret decision may follow, so that the times of the messages do not show it either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from spacemission_agents.web.store import Move
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.errors import RecordError
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import game_of_env
from spacemission_env.core.reading import Json
from spacemission_env.records.writer import GameRecord

WATCHER = -1  # used as an index: the last entry of `Entry.said` and `Entry.secret`
EVERY = 16  # number of moves from one stored clone of the game to the next
WORLDS = 48  # number of determinizations in which `may_undo` tries a move


# ---------------------------------------------------------------- the log


class Said(NamedTuple):
    """What a viewer who sees a move reads about it."""

    move: str  # text of the move, as from `Game.move_seen`
    words: str  # the move as a sentence


@dataclass(frozen=True)
class Entry:
    """A line of the log: a move, or with `undo` the withdrawal of the last move."""

    undo: bool
    player: int
    action: int
    said: tuple[Said | None, ...]  # for each viewer; None if the viewer does not see the move
    secret: tuple[bool, ...]  # for each viewer, whether the next decision is secret from it
    pause: bool  # whether a secret decision may follow, judged by public knowledge

    @property
    def hidden(self) -> bool:
        """Whether there is a seat that did not see the move."""
        return not self.undo and None in self.said[:-1]


@dataclass(frozen=True)
class Event:
    """A line of the log for one viewer; `id`: its number, from 1; `step`: the viewer's step after it."""

    id: int
    step: int
    player: int
    move: str
    words: str
    undo: bool


L = TypeVar("L", Entry, Event)


def said_to(game: Game, action: int) -> tuple[Said | None, ...]:
    """What each viewer is told of a move that will be made; None for viewers who do not see it."""
    assert game.player is not None
    seats = range(game.num_players)
    moves = [game.move_seen(action, j) for j in seats]
    said = [None if move is None else Said(move, game.words(action, j)) for j, move in enumerate(moves)]
    others = {said[j] for j in seats if j != game.player}
    public = others.pop() if len(others) == 1 else None  # spectators see what all other seats see
    return (*said, public)


def secret_from(game: Game) -> tuple[bool, ...]:
    """For each viewer, whether the current decision is secret: the viewer might not see the move."""
    n = game.num_players
    if game.over:
        return (False,) * (n + 1)
    legal = game.legal_actions()
    seats = [j != game.player and any(game.move_seen(a, j) is None for a in legal) for j in range(n)]
    return (*seats, any(seats))


def open_part(log: Sequence[Entry], viewer: int) -> Sequence[Entry]:
    """The part of the log that a viewer may see now."""
    end = len(log)
    while end and log[end - 1].secret[viewer]:
        end -= 1
    return log[:end]


def standing(log: Sequence[L]) -> list[L]:
    """The moves of the log that were not taken back."""
    moves: list[L] = []
    for entry in log:
        if entry.undo:
            moves.pop()
        else:
            moves.append(entry)
    return moves


def events(log: Sequence[Entry], viewer: int) -> list[Event]:
    """All events of a viewer."""
    found: list[Event] = []
    step = 0
    for entry in open_part(log, viewer):
        said = entry.said[viewer]
        if said is not None:
            step += -1 if entry.undo else 1
            found.append(Event(len(found) + 1, step, entry.player, *said, entry.undo))
    return found


def positions(log: Sequence[Entry], viewer: int) -> list[int]:
    """For each step of a viewer, the number of moves before the next move that the viewer sees."""
    moves = standing(open_part(log, viewer))
    before = [i for i, entry in enumerate(moves) if entry.said[viewer] is not None]
    return [*before, len(moves)]


# ---------------------------------------------------------------- the moves


class Timeline:
    """A game and its moves."""

    def __init__(self, dealt: Game) -> None:
        self.now = dealt.clone()  # callers must not change it
        self.moves: list[Move] = []
        self._clones = [dealt.clone()]

    def __len__(self) -> int:
        return len(self.moves)

    def after(self, move: Move | None) -> Game:
        """The game after a move, or before the last move (None); this timeline does not change.

        IllegalActionError, SetupError: the move is not possible.
        """
        if move is None:
            return self.at(len(self.moves) - 1)
        game = self.now.clone()
        _make(game, move)
        return game

    def turn_to(self, move: Move | None, after: Game) -> None:
        """Go to the game that `after` returned for this move."""
        self.now = after
        if move is None:
            del self.moves[-1], self._clones[len(self.moves) // EVERY + 1 :]
            return
        self.moves.append(move)
        if len(self.moves) % EVERY == 0:
            self._clones.append(after.clone())

    def at(self, count: int) -> Game:
        """A copy of the game after `count` moves."""
        if count == len(self.moves):
            return self.now.clone()
        game: Game = self._clones[count // EVERY].clone()
        for move in self.moves[count // EVERY * EVERY : count]:
            _make(game, move)
        return game

    def record(self, names: Sequence[str]) -> str:
        """The game as a record; incomplete if the game has not ended."""
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
    """The game that a record's header describes, just dealt from its seed, or with `laid` from its set-up.

    SpaceMissionError: this version cannot play the game.
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
    """Whether a seat may take the last move back: only if it has learned nothing by the move.

    The move is repeated in determinizations of the game before it. The seat has learned nothing if in all of
    them it knows the same after the move, and the same seat is to act.
    """
    moves = standing(log)
    if not moves or timeline.now.over:
        return False
    last = moves[-1]
    secret_before = len(moves) > 1 and any(moves[-2].secret)
    if last.player != seat or last.pause or None in last.said or secret_before:
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
    """A seed that depends only on what the seat knows, so that determinizations with it reveal no more."""
    digest = hashlib.sha256(game.information_state_key(seat) + number).digest()
    return int.from_bytes(digest[:7], "big")
