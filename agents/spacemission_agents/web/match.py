"""Plays one game on the server and sends each viewer what it may see."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from spacemission_agents.web import event_log
from spacemission_agents.web.agent_pool import AgentPool
from spacemission_agents.web.event_log import WATCHER, Entry, Event, Timeline, dealt_from
from spacemission_agents.web.settings import WebError
from spacemission_agents.web.store import Line, Move, Store, StoredGame, damaged
from spacemission_env.core.errors import IllegalActionError, SpaceMissionError, failure
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import version_of
from spacemission_env.core.reading import Json
from spacemission_env.records.writer import game_entry

MOST_OF_SEAT = 8  # maximum number of event streams to one seat
MOST_SPECTATORS = 64  # maximum number of event streams to spectators of one game
RETRY = 2.0, 60.0  # first and longest wait in seconds before a failed agent is asked again
HEARTBEAT = 15.0  # seconds between the comments that keep a stream alive
THEME = "page"  # colours come from the page's style sheet


def not_there() -> WebError:
    """The error for an unknown game or an unknown link; the message does not say which one is unknown."""
    return WebError("there is no such game, or this link is not for it", 404)


@dataclass(frozen=True)
class Seat:
    """A seat, held by an agent or by a person; a person has a link."""

    name: str
    agent: str | None  # spec; None for a person
    token: str | None  # token in the person's link


def new_token() -> str:
    return secrets.token_urlsafe(24)


def new_stored_game(game: Game, seats: list[Seat], laid: bool = False, opened: bool = False) -> StoredGame:
    """The stored form of a game that has just been dealt."""
    header = game_entry(game, [seat.name for seat in seats])
    rows = [asdict(seat) for seat in seats]
    return StoredGame(
        secrets.token_urlsafe(9), version_of(game.spec), laid, opened, header, rows, new_token()
    )


class Match:
    """One game. Its methods must be called in the server's thread; agents run in other threads.

    After a move that a secret decision may follow, viewers get no messages and nobody makes a public decision
    until a pause is over. An agent with a secret decision answers during the pause. So the other viewers get
    the same messages at the same times whether or not the agent was asked.
    """

    def __init__(
        self, stored: StoredGame, lines: list[Line], store: Store, pool: AgentPool, pause: float = 0.0
    ) -> None:
        """Restore a game; `pause`: length of a pause in seconds. WebError if this version cannot play it."""
        self.id, self.stored = stored.id, stored
        self.log: list[Entry] = []  # includes moves that were taken back
        self.pool, self._store, self._seconds = pool, store, pause
        self._lock = asyncio.Lock()
        self._followers: dict[asyncio.Event, int] = {}  # viewers, by the events that wake their streams
        self._thinking: asyncio.Task[None] | None = None
        self._trouble: str | None = None
        self._pause: asyncio.TimerHandle | None = None
        try:
            self.seats = [Seat(**row) for row in stored.seats]
            self.timeline = Timeline(dealt_from(stored.header, stored.laid))
            if len(self.seats) != self.game.num_players:
                raise ValueError(f"{len(self.seats)} seats")
            for line in lines:
                self._enter(line)
        except SpaceMissionError as error:
            was = f"this game was started with version {stored.version}"
            raise WebError(f"{was}, and this version cannot play it: {error}", 409) from None
        except (LookupError, TypeError, ValueError) as error:
            raise damaged(stored.id, error) from None
        self._visible = self._visible_lengths()

    # ------------------------------------------------------------ viewers

    def viewer_of(self, token: str) -> int:
        """The seat of a token, or `WATCHER`; WebError if the token is unknown."""
        found = [j for j, seat in enumerate(self.seats) if seat.token and _same(seat.token, token)]
        if found:
            return found[0]
        if _same(self.stored.watcher, token):
            return WATCHER
        raise not_there()

    @property
    def over(self) -> bool:
        """Whether the game has ended and all viewers know it."""
        return self.game.over and self._pause is None

    @property
    def open(self) -> bool:
        """Whether all viewers may see all hands."""
        return self.over or self.stored.open

    @property
    def game(self) -> Game:
        """The game now; callers must not change it."""
        return self.timeline.now

    # ------------------------------------------------------------ moves

    def _planned(self, line: Line) -> tuple[Entry, Game]:
        """The entry of a line, and the game after it. Only this step may fail, and it changes nothing."""
        player = self.game.player
        if line is not None and player is None:
            raise WebError("the game is over", 409)
        after = self.timeline.after(line)
        secret = event_log.secret_from(after)
        if line is None or player is None:
            return replace(event_log.standing(self.log)[-1], undo=True, secret=secret, pause=False), after
        said, pause = event_log.said_to(self.game, line.action), self.game.secret_may_follow(line.action)
        return Entry(False, player, line.action, said, secret, pause), after

    def _enter(self, line: Line, planned: tuple[Entry, Game] | None = None) -> None:
        """Apply a line of the log."""
        entry, after = planned or self._planned(line)
        self.timeline.turn_to(line, after)
        self.log.append(entry)

    async def _append(self, line: Line) -> None:
        """Store a line, then apply it, and send it to viewers at once or after the pause."""
        planned = last, _ = self._planned(line)
        await asyncio.to_thread(self._store.add_line, self.id, len(self.log) + 1, line)
        self._enter(line, planned)
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
        self._visible = self._visible_lengths()
        self._wake()
        self.go_on()

    def _visible_lengths(self) -> list[int]:
        """Number of lines of the log that each viewer may see."""
        return [len(event_log.open_part(self.log, viewer)) for viewer in (*range(len(self.seats)), WATCHER)]

    def _wake(self) -> None:
        for follower in self._followers:
            follower.set()

    async def move(self, seat: int, action: int, step: int) -> None:
        """Make a person's move; `step`: the last step that the person saw. WebError if it is refused."""
        async with self._lock:
            if self.over:
                raise WebError("the game is over", 409)
            if not self.to_play(seat):
                raise WebError("it is not your turn", 409)
            if self.step(seat) != step:
                raise WebError("another move was made meanwhile", 409)
            reason = self.game.why_illegal(action)
            if reason:
                raise WebError(reason, 409)
            await self._append(Move(action))

    async def undo(self, seat: int, step: int) -> None:
        async with self._lock:
            if self.step(seat) != step or not self.may_undo(seat):
                raise WebError("this move cannot be taken back", 409)
            await self._append(None)

    # ------------------------------------------------------------ views

    def _log_of(self, viewer: int) -> list[Entry]:
        return self.log[: self._visible[viewer]]

    def events(self, viewer: int) -> list[Event]:
        return event_log.events(self._log_of(viewer), viewer)

    def step(self, viewer: int) -> int:
        """The last step that a viewer may see."""
        return len(event_log.positions(self._log_of(viewer), viewer)) - 1

    def at_step(self, viewer: int, step: int) -> Game:
        """The game at a step of a viewer; WebError if there is no such step."""
        known = event_log.positions(self._log_of(viewer), viewer)
        if not 0 <= step < len(known):
            raise WebError(f"step: expected 0 to {len(known) - 1}, not {step}", 404)
        return self.timeline.at(known[step])

    def to_play(self, viewer: int) -> bool:
        """Whether it is a viewer's turn and the viewer knows it."""
        mine = viewer != WATCHER and self.game.player == viewer and not self.stored.open
        return mine and self._visible[viewer] == len(self.log)

    def may_undo(self, seat: int) -> bool:
        """Whether a seat may take the last move back."""
        shown = seat != WATCHER and self._visible[seat] == len(self.log)
        return shown and event_log.may_undo(self.timeline, self.log, seat)

    def trouble(self, viewer: int) -> str | None:
        """Why the game is blocked, or None; the answer does not show that an agent has a secret decision."""
        return None if self.log and self.log[-1].secret[viewer] else self._trouble

    def position(self, viewer: int, step: int | None, tall: bool = False) -> Json:
        """The position at a step (None: the last) for a viewer's browser; WebError for an unknown step."""
        last = self.step(viewer)
        step = last if step is None else step
        now = step == last
        seen = position_json(self.at_step(viewer, step), viewer, now and self.to_play(viewer), tall)
        return {
            "step": step,
            "steps": last,
            "events": len(self.events(viewer)),  # the number of events before this position
            "seat": viewer,
            # Whether the viewer has made a move that is not sent to the viewer yet.
            "moved": now and any(entry.player == viewer for entry in self.log[self._visible[viewer] :]),
            "undo": now and self.may_undo(viewer),
            **seen,
        }

    def why_not(self, viewer: int, target: str) -> list[Json]:
        """Why a viewer's moves with an element of the picture are illegal: `kinds`, `why` and `rules`."""
        if not self.to_play(viewer):
            return [{"kinds": [], "why": "it is not your turn", "rules": ""}]
        view, picture = self.game.seat_json(viewer), self.game.spec.picture
        stopped: dict[str, dict[str, None]] = {}
        for action in range(self.game.spec.action_count):
            if target in picture.targets(view, action) and (reason := self.game.why_illegal(action)):
                kind, why = _kind_and_reason(reason)
                stopped.setdefault(why, {})[kind] = None
        return [{"kinds": list(kinds), **_plain(why)} for why, kinds in stopped.items()]

    # ------------------------------------------------------------ agents

    def go_on(self) -> None:
        """Ask an agent for its move, if the agent is to act and has not been asked."""
        if self._to_think() and (self._thinking is None or self._thinking.done()):
            self._thinking = asyncio.create_task(self._think())

    def _to_think(self) -> bool:
        player = self.game.player
        if player is None or self.seats[player].agent is None or self.stored.open:
            return False
        return self._pause is None or any(self.log[-1].secret)  # in a pause only secret decisions are made

    async def _think(self) -> None:
        wait, longest = RETRY
        while self._to_think():
            player, lines = self.game.player, len(self.log)
            agent = None if player is None else self.seats[player].agent
            assert agent is not None
            try:
                action = await self.pool.play(agent, self.game.clone())
                async with self._lock:
                    if len(self.log) == lines:  # no move was taken back meanwhile
                        await self._append(Move(int(action)))
                self._say(None)
            except Exception as error:  # the agent failed, or the game refused its move and did not change
                known = isinstance(error, SpaceMissionError)
                line = str(error) if known else f"the move of agent {agent!r}: {failure(error)}"
                self._say(f"agent {agent!r}: {line}" if isinstance(error, IllegalActionError) else line)
                if not self._followers:
                    break  # `go_on` tries again when a viewer connects
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
        """Whether the game has no streams and no running work, so that it can leave memory."""
        thinks = self._thinking is not None and not self._thinking.done()
        return not self._followers and not thinks and self._pause is None

    # ------------------------------------------------------------ streams

    def followers(self, viewer: int) -> int:
        return sum(one == viewer for one in self._followers.values())

    def check_room(self, viewer: int) -> None:
        """Raise WebError if a viewer has too many streams."""
        if self.followers(viewer) >= (MOST_SPECTATORS if viewer == WATCHER else MOST_OF_SEAT):
            raise WebError("too many connections by this link", 429)

    async def stream(self, viewer: int, after: int) -> AsyncIterator[str]:
        """Server-sent events of a viewer with numbers above `after`, until the client disconnects."""
        now = asyncio.get_running_loop().time
        flag = asyncio.Event()
        self._followers[flag] = viewer
        trouble: str | None = None
        try:
            yield _message("hello", {"last": len(self.events(viewer))})
            beat = now() + HEARTBEAT  # set by the clock only: what wakes the stream can be secret
            while True:
                flag.clear()
                for event in self.events(viewer)[after:]:
                    yield _message("move", asdict(event), event.id)
                    after = event.id
                if self.trouble(viewer) != trouble:
                    trouble = self.trouble(viewer)
                    yield _message("trouble", {"line": trouble})
                if now() >= beat:
                    beat += HEARTBEAT
                    yield ": still here\n\n"
                with suppress(TimeoutError):
                    await asyncio.wait_for(flag.wait(), max(beat - now(), 0))
        finally:
            self._followers.pop(flag, None)

    def record(self) -> str:
        return self.timeline.record([seat.name for seat in self.seats])


def position_json(game: Game, viewer: int, to_play: bool = True, tall: bool = False) -> Json:
    """A position as a viewer knows it, with its picture.

    `to_play`: whether to list legal moves on the viewer's turn; `tall`: draw in one column.
    """
    view = game.public_json() if viewer == WATCHER else game.picture_view(viewer)
    mine = to_play and view["player_to_act"] == viewer
    actions = game.legal_actions() if mine else []
    picture, targets = game.spec.picture, game.spec.picture.targets
    draw = getattr(picture, "draw_tall", picture.draw) if tall else picture.draw
    return {
        "to_act": view["player_to_act"],
        "over": view["over"],
        "result": view["result"],
        "svg": draw(view, theme=THEME, legal=actions),
        "board": "" if viewer == WATCHER else game.board(viewer),
        "prompt": picture.prompt(view) if mine and hasattr(picture, "prompt") else "",
        "legal": [
            {
                "action": a,
                "move": game.move_text(a),
                "words": game.words(a, viewer),
                "targets": targets(view, a),
            }
            for a in actions
        ],
    }


def _kind_and_reason(illegal: str) -> tuple[str, str]:
    """Kind and reason: ("jump", why) for "player_0: action 3 (jump) is illegal: why"."""
    what, _, why = illegal.partition(" is illegal: ")
    kind = what.rpartition("(")[2].rstrip(")") if "(" in what else "this"
    return kind.replace("_", " "), why or illegal


def _plain(reason: str) -> Json:
    """A reason, split into its words and the rule ids at its end."""
    found = re.fullmatch(r"(.*?)(?: \(([A-Z]+-\d[^()]*)\))?", reason, re.DOTALL)
    assert found is not None
    return {"why": found[1], "rules": found[2] or ""}


def _message(name: str, data: Json, number: int | None = None) -> str:
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
