"""A game that is played here: its seats, its moves, and who is told what."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spacemission_agents.web.refusals import WebError, not_there
from spacemission_agents.web.store import Kept, Line, Store
from spacemission_agents.web.story import WATCHER, Entry, events, line_of, positions, secret_from, told_of
from spacemission_agents.web.thinkers import Thinkers
from spacemission_agents.web.timeline import Move, Timeline, dealt_from
from spacemission_agents.web.undo import may_undo
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import version_of
from spacemission_env.records.writer import game_entry

MOST_FOLLOWERS = 64  # of one game


@dataclass(frozen=True)
class Seat:
    """Who sits there: a person with a link, or an agent.

    Attributes:
        name: for the others.
        agent: its spec; None: a person.
        token: of the person's link; None: there is none.
    """

    name: str
    agent: str | None
    token: str | None

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it."""
        return {"name": self.name, "agent": self.agent, "token": self.token}


def new_token() -> str:
    """192 bits that nobody guesses."""
    return secrets.token_urlsafe(24)


def new_kept(game: Game, seats: list[Seat], laid: bool = False, opened: bool = False) -> Kept:
    """What is kept of a game just reset."""
    header = game_entry(game, [seat.name for seat in seats])
    rows = [seat.to_json() for seat in seats]
    return Kept(secrets.token_urlsafe(9), version_of(game.spec), laid, opened, header, rows, new_token())


class Match:
    """One game. Its methods are called in the server's thread only; agents think elsewhere.

    Attributes:
        id: by which links name it.
        seats: who sits where.
        timeline: the game.
        log: all that happened, moves taken back included.
        trouble: why an agent does not move, or None.
    """

    def __init__(self, kept: Kept, lines: list[Line], store: Store, thinkers: Thinkers) -> None:
        """Of what the store keeps; WebError where this version cannot play it."""
        self.id, self._kept = kept.id, kept
        self.seats = [Seat(**row) for row in kept.seats]
        self.log: list[Entry] = []
        self.trouble: str | None = None
        self._store, self._thinkers = store, thinkers
        self._lock = asyncio.Lock()
        self._followers: set[asyncio.Event] = set()
        self._thinking: asyncio.Task[None] | None = None
        try:
            self.timeline = Timeline(dealt_from(kept.header, kept.laid))
            for line in lines:
                self._enter(line)
        except SpaceMissionError as error:
            was = f"this game was begun with version {kept.version}"
            raise WebError(f"{was} and cannot be played by this one: {error}", 409) from None

    # ------------------------------------------------------------ who is who

    def viewer_of(self, token: str) -> int:
        """The seat of a token, or `WATCHER`; WebError for another."""
        found = [j for j, seat in enumerate(self.seats) if seat.token and _same(seat.token, token)]
        if found:
            return found[0]
        if _same(self._kept.watcher, token):
            return WATCHER
        raise not_there()

    @property
    def watcher(self) -> str:
        """Token of those who look on."""
        return self._kept.watcher

    @property
    def kept(self) -> Kept:
        """What the store keeps of it, beside its moves."""
        return self._kept

    @property
    def open(self) -> bool:
        """Whether whoever has a link may see all of it."""
        return self.game.over or self._kept.open

    @property
    def game(self) -> Game:
        """The game as it stands; to be looked at, not changed."""
        return self.timeline.now

    # ------------------------------------------------------------ what happens

    def _enter(self, line: Line) -> None:
        """Carry out a line that is kept, or is about to be."""
        if line.action is None:
            taken = line_of(self.log)[-1]
            self.timeline.pop()
            told = taken.told
            self.log.append(Entry(True, taken.player, taken.action, told, secret_from(self.game)))
            return
        player, told = self.game.player, told_of(self.game, line.action) if not self.game.over else ()
        self.timeline.push(Move(line.action, line.order))
        assert player is not None
        self.log.append(Entry(False, player, line.action, told, secret_from(self.game)))

    async def _keep(self, line: Line) -> None:
        """Put a line on the disk, then carry it out and tell everybody."""
        await asyncio.to_thread(self._store.add_line, self.id, len(self.log) + 1, line)
        self._enter(line)
        for follower in self._followers:
            follower.set()

    async def move(self, seat: int, action: int, step: int) -> None:
        """A person's move; `step`: the last step that the person saw.

        Raises:
            WebError: it is not this seat's turn, or the game has gone on since that step.
            IllegalActionError: the rules do not allow it.
        """
        async with self._lock:
            self._check_turn(seat, step)
            reason = self.game.why_illegal(action)
            if reason:
                raise WebError(reason, 409)
            await self._keep(Line(action))
        self.go_on()

    async def undo(self, seat: int, step: int) -> None:
        """Take the last move back; WebError where that cannot be."""
        async with self._lock:
            if self.step(seat) != step or not self.may_undo(seat):
                raise WebError("this move cannot be taken back any more", 409)
            await self._keep(Line(None))
        self.go_on()

    def _check_turn(self, seat: int, step: int) -> None:
        if self.game.over:
            raise WebError("the game is over", 409)
        if seat == WATCHER or self.game.player != seat:
            raise WebError("it is not your turn", 409)
        if self._kept.open:
            raise WebError("this is a record: play on from one of its moves", 409)
        if self.step(seat) != step:
            raise WebError("the game has gone on meanwhile", 409)

    def may_undo(self, seat: int) -> bool:
        """Whether a seat may take the last move back."""
        return seat != WATCHER and may_undo(self.timeline, self.log, seat)

    def step(self, viewer: int) -> int:
        """The last step that a viewer may see."""
        return len(positions(self.log, viewer)) - 1

    def waiting(self, viewer: int) -> bool:
        """Whether something is held back from a viewer until others have answered."""
        return bool(self.log) and self.log[-1].secret[viewer]

    # ------------------------------------------------------------ agents

    def go_on(self) -> None:
        """Have an agent think, if it is one's turn and none does."""
        if self._to_think() and (self._thinking is None or self._thinking.done()):
            self._thinking = asyncio.create_task(self._think())

    def _to_think(self) -> bool:
        player = self.game.player
        asked = player is not None and self.seats[player].agent is not None
        return asked and self.trouble is None and not self._kept.open

    async def _think(self) -> None:
        while self._to_think():
            player, lines = self.game.player, len(self.log)
            assert player is not None
            agent = self.seats[player].agent
            assert agent is not None
            try:
                action = await self._thinkers.play(agent, self.game.clone())
                async with self._lock:
                    if len(self.log) == lines:  # nothing was taken back meanwhile
                        await self._keep(Line(int(action)))
            except SpaceMissionError as error:
                self.trouble = str(error)
                for follower in self._followers:
                    follower.set()

    @property
    def idle(self) -> bool:
        """Whether nobody follows it and nobody thinks: it may be put away until it is asked for."""
        return not self._followers and (self._thinking is None or self._thinking.done())

    # ------------------------------------------------------------ following

    def follow(self) -> tuple[asyncio.Event, Callable[[], None]]:
        """A flag that is set when something happens, and how to end that."""
        if len(self._followers) >= MOST_FOLLOWERS:
            raise WebError("too many follow this game", 429)
        flag = asyncio.Event()
        self._followers.add(flag)
        return flag, lambda: self._followers.discard(flag)

    def events(self, viewer: int) -> list[Any]:
        """All that a viewer has been told (`story.events`)."""
        return events(self.log, viewer)

    def at_step(self, viewer: int, step: int) -> Game:
        """The game as it stood at a step of a viewer; WebError where there is none."""
        known = positions(self.log, viewer)
        if not 0 <= step < len(known):
            raise WebError(f"step: expected 0 to {len(known) - 1}, not {step}", 404)
        return self.timeline.at(known[step])

    def record(self) -> str:
        """The game as a record, format 1."""
        return self.timeline.record([seat.name for seat in self.seats])


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
