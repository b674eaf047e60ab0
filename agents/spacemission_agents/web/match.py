"""A game that is played here: its seats, its moves, and who is told what."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from spacemission_agents.web.refusals import WebError, damaged, not_there
from spacemission_agents.web.store import Kept, Line, Store
from spacemission_agents.web.story import (
    WATCHER,
    Entry,
    Event,
    events,
    line_of,
    open_part,
    positions,
    secret_from,
    told_of,
)
from spacemission_agents.web.thinkers import Thinkers
from spacemission_agents.web.timeline import Move, Timeline, dealt_from
from spacemission_agents.web.undo import may_undo
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import version_of
from spacemission_env.records.writer import game_entry

MOST_OF_SEAT = 8  # streams of one seat at once
MOST_SPECTATORS = 64  # streams of those who look on at one game
RETRY = 2.0, 60.0  # seconds until an agent that could not move is asked again: at first, at most
STOPPED = "the host has stopped this game"


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

    A move that a hidden decision may follow is shown to nobody, and answered by nobody in public, before a
    pause is over. An agent that is asked in secret answers within the pause, so that the others are sent the
    same at the same time whether it was asked or not.

    Attributes:
        id: by which links name it.
        seats: who sits where.
        timeline: the game.
        log: all that happened, moves taken back included.
        stopped: whether the host has stopped it.
        thinkers: who ask its agents.
    """

    def __init__(
        self, kept: Kept, lines: list[Line], store: Store, thinkers: Thinkers, pause: float = 0.0
    ) -> None:
        """Of what the store keeps; `pause`: in seconds. WebError where this version cannot play it."""
        self.id, self._kept, self.stopped = kept.id, kept, kept.stopped
        self.log: list[Entry] = []
        self.thinkers, self._store, self._seconds = thinkers, store, pause
        self._lock = asyncio.Lock()
        self._followers: dict[asyncio.Event, int] = {}  # and the viewer of each
        self._thinking: asyncio.Task[None] | None = None
        self._trouble: str | None = None
        self._pause: asyncio.TimerHandle | None = None
        try:
            self.seats = [Seat(**row) for row in kept.seats]
            self.timeline = Timeline(dealt_from(kept.header, kept.laid))
            if len(self.seats) != self.game.num_players:
                raise ValueError(f"{len(self.seats)} seats")
            for line in lines:
                self._enter(line)
        except SpaceMissionError as error:
            was = f"this game was begun with version {kept.version}"
            raise WebError(f"{was} and cannot be played by this one: {error}", 409) from None
        except (LookupError, TypeError, ValueError) as error:
            raise damaged(kept.id, error) from None
        self._shown = self._may_be_shown()

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
    def alone(self) -> bool:
        """Whether agents play it among themselves."""
        return not self._kept.open and all(seat.agent is not None for seat in self.seats)

    @property
    def over(self) -> bool:
        """Whether it is over, and everybody has been told."""
        return self.game.over and self._pause is None

    @property
    def open(self) -> bool:
        """Whether whoever has a link may see all of it."""
        return self.over or self._kept.open

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
            self.log.append(replace(taken, undo=True, secret=secret_from(self.game), pause=False))
            return
        player = self.game.player
        if player is None:
            raise WebError("the game is over", 409)
        told, pause = told_of(self.game, line.action), self.game.secret_may_follow(line.action)
        self.timeline.push(Move(line.action, line.order))
        self.log.append(Entry(False, player, line.action, told, secret_from(self.game), pause))

    async def _keep(self, line: Line) -> None:
        """Put a line on the disk, then carry it out, and tell everybody at once or after the pause."""
        await asyncio.to_thread(self._store.add_line, self.id, len(self.log) + 1, line)
        self._enter(line)
        last = self.log[-1]
        if not last.hidden or self.seats[last.player].agent is None:
            if self._pause is not None:
                self._pause.cancel()
            self._pause = None
            if last.pause and self._seconds:
                self._pause = asyncio.get_running_loop().call_later(self._seconds, self._show)
        if self._pause is None:
            self._show()
        self.go_on()

    def _show(self) -> None:
        self._pause = None
        self._shown = self._may_be_shown()
        self._wake()
        self.go_on()

    def _may_be_shown(self) -> list[int]:
        return [len(open_part(self.log, viewer)) for viewer in (*range(len(self.seats)), WATCHER)]

    def _wake(self) -> None:
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

    async def undo(self, seat: int, step: int) -> None:
        """Take the last move back; WebError where that cannot be."""
        async with self._lock:
            if self.stopped:
                raise WebError(STOPPED, 409)
            if self.step(seat) != step or not self.may_undo(seat):
                raise WebError("this move cannot be taken back any more", 409)
            await self._keep(Line(None))

    async def stop(self) -> None:
        """End it for good, where it stands."""
        async with self._lock:
            await asyncio.to_thread(self._store.stop, self.id)
            self.stopped = True
        self._wake()

    def _check_turn(self, seat: int, step: int) -> None:
        if self.stopped:
            raise WebError(STOPPED, 409)
        if self.over:
            raise WebError("the game is over", 409)
        if not self.to_play(seat):
            raise WebError("it is not your turn", 409)
        if self.step(seat) != step:
            raise WebError("the game has gone on meanwhile", 409)

    # ------------------------------------------------------------ what a viewer is told

    def _told(self, viewer: int) -> list[Entry]:
        return self.log[: self._shown[viewer]]

    def events(self, viewer: int) -> list[Event]:
        """All that a viewer has been told (`story.events`)."""
        return events(self._told(viewer), viewer)

    def step(self, viewer: int) -> int:
        """The last step that a viewer may see."""
        return len(positions(self._told(viewer), viewer)) - 1

    def at_step(self, viewer: int, step: int) -> Game:
        """The game as it stood at a step of a viewer; WebError where there is none."""
        known = positions(self._told(viewer), viewer)
        if not 0 <= step < len(known):
            raise WebError(f"step: expected 0 to {len(known) - 1}, not {step}", 404)
        return self.timeline.at(known[step])

    def to_play(self, viewer: int) -> bool:
        """Whether it is a viewer's turn, and the viewer has been told."""
        mine = viewer != WATCHER and self.game.player == viewer and not self._kept.open
        return mine and self._shown[viewer] == len(self.log)

    def moved(self, viewer: int) -> bool:
        """Whether a viewer's own move has not been shown yet."""
        return any(entry.player == viewer for entry in self.log[self._shown[viewer] :])

    def may_undo(self, seat: int) -> bool:
        """Whether a seat may take the last move back."""
        shown = seat != WATCHER and self._shown[seat] == len(self.log)
        return shown and may_undo(self.timeline, self.log, seat)

    def trouble(self, viewer: int) -> str | None:
        """Why the game does not go on, in a line, or None; nothing of who is asked in secret."""
        if self.stopped:
            return STOPPED
        return None if self.log and self.log[-1].secret[viewer] else self._trouble

    # ------------------------------------------------------------ agents

    def go_on(self) -> None:
        """Have an agent think, if it is one's turn and none does."""
        if self._to_think() and (self._thinking is None or self._thinking.done()):
            self._thinking = asyncio.create_task(self._think())

    def _to_think(self) -> bool:
        player = self.game.player
        if player is None or self.seats[player].agent is None or self.stopped or self._kept.open:
            return False
        return self._pause is None or any(self.log[-1].secret)  # in public it is nobody's turn in the pause

    async def _think(self) -> None:
        wait, longest = RETRY
        while self._to_think():
            player, lines = self.game.player, len(self.log)
            assert player is not None
            agent = self.seats[player].agent
            assert agent is not None
            try:
                action = await self.thinkers.play(agent, self.game.clone())
                async with self._lock:
                    if len(self.log) == lines and not self.stopped:  # nothing was taken back meanwhile
                        await self._keep(Line(int(action)))
                self._say(None)
            except SpaceMissionError as error:
                self._say(str(error))
                if not self._followers:
                    break  # `go_on` tries again when somebody looks
                await asyncio.sleep(wait)
                wait = min(2 * wait, longest)

    def _say(self, trouble: str | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            if trouble is not None:
                print(f"game {self.id}: {trouble}", file=sys.stderr, flush=True)
            self._wake()

    @property
    def idle(self) -> bool:
        """Whether nobody follows it and nothing is under way: it may be put away until it is asked for."""
        thinks = self._thinking is not None and not self._thinking.done()
        return not self._followers and not thinks and self._pause is None

    # ------------------------------------------------------------ following

    def followers(self, viewer: int) -> int:
        """How many streams a viewer has open."""
        return sum(one == viewer for one in self._followers.values())

    def check_room(self, viewer: int) -> None:
        """WebError where a viewer has as many streams as it may have."""
        if self.followers(viewer) >= (MOST_SPECTATORS if viewer == WATCHER else MOST_OF_SEAT):
            raise WebError("too many follow this game by this link", 429)

    def follow(self, viewer: int) -> tuple[asyncio.Event, Callable[[], object]]:
        """A flag that is set when something happens, and how to end that."""
        flag = asyncio.Event()
        self._followers[flag] = viewer
        return flag, lambda: self._followers.pop(flag, None)

    def record(self) -> str:
        """The game as a record, format 1."""
        return self.timeline.record([seat.name for seat in self.seats])


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
