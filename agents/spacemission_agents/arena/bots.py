"""Asks bots for moves within a time limit; each bot has its own process.

bot_server.py starts the processes. This side reads bytes of a fixed form and never unpickles a bot's message,
so no message can run code here. This package's own agents need no bot process: they are called in the same
process as the games, which is faster.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time
import weakref
from collections import OrderedDict

import numpy as np

from spacemission_agents.arena import bot_server as there
from spacemission_agents.arena.asking import (
    DIED,
    DIED_TEXT,
    FAILED,
    MOST_ROWS,
    TOO_SLOW,
    WRONG_FORM,
    Asker,
    ForfeitError,
)
from spacemission_env.core.agents import Agent, Decisions, GameInfo, agent_entries
from spacemission_env.core.errors import AgentError, printable, shown
from spacemission_env.core.game_spec import DEFAULT_GAME

OWN_PACKAGE = "spacemission-env"
SANDBOX = "SPACEMISSION_SANDBOX"  # environment variable: a command that runs the bots, such as bwrap
START_SECONDS = 60.0  # time limit for a bot's import, constructor and `prepare`
COMPILING_SECONDS = 120.0  # maximum total time that a bot may report as compilation
MOST_STARTS = 3  # after this number of failed starts in a row, a bot is not started again
MOST_LIVE = 24  # maximum number of live bot processes per worker


def plays_in_process(spec: str, game: str = DEFAULT_GAME) -> bool:
    """Whether an agent is called in the same process as the games, because its code is in this package or
    this system cannot fork (Windows).
    """
    if not hasattr(os, "fork"):
        return True
    entry = agent_entries(game).get(spec.strip().partition(":")[0])
    return entry is not None and entry.dist is not None and entry.dist.name == OWN_PACKAGE


class BotServer:
    """A process that starts bots; `close` ends it and all bots."""

    def __init__(self) -> None:
        """Start the process; AgentError if the command of $SPACEMISSION_SANDBOX cannot be run."""
        self._control, other = socket.socketpair()
        python = [sys.executable, "-m", there.__name__, str(other.fileno())]
        sandbox = os.environ.get(SANDBOX, "")
        try:
            with other:
                self._process = subprocess.Popen(
                    [*shlex.split(sandbox), *python],
                    pass_fds=[other.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,  # standard error stays: a sandbox reports there
                    start_new_session=True,
                    env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                )
        except (OSError, ValueError) as error:
            self._control.close()
            raise AgentError(f"${SANDBOX}: {shown(sandbox)} cannot be run: {error}") from None
        self.close = weakref.finalize(self, _close, self._control, self._process)

    @property
    def alive(self) -> bool:
        """Whether the process still runs; a bot may have ended it."""
        return self.close.alive and self._process.poll() is None

    def start(self) -> tuple[socket.socket, int]:
        """Start a process for a bot and return its socket and its pid; OSError if the server has ended."""
        here, other = socket.socketpair()
        with other:
            socket.send_fds(self._control, [there.START + bytes(8)], [other.fileno()])
        self._control.settimeout(START_SECONDS)
        data = self._control.recv(8, socket.MSG_WAITALL)
        if len(data) < 8:
            here.close()
            raise OSError("the server of bots has ended")
        return here, struct.unpack("<q", data)[0]

    def end(self, pid: int) -> None:
        """End a bot and all processes that it started."""
        with contextlib.suppress(OSError):
            self._control.sendall(there.KILL + struct.pack("<q", pid))
            self._control.recv(1)


def _close(control: socket.socket, process: subprocess.Popen) -> None:
    control.close()
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class BotProcess:
    """One bot in its process.

    Attributes:
        agent: a plain `Agent` with the bot's `wants_worlds`, for `Decisions.part`.
        weights: sha256 of the weights of a bot with a model card; else "".
    """

    def __init__(self, server: BotServer, spec: str, info: GameInfo) -> None:
        """Start the bot; ForfeitError if it cannot be made or takes too long."""
        self._server, self._compiling = server, 0.0
        try:
            self._pipe, self._pid = server.start()
        except OSError:
            raise ForfeitError(DIED, DIED_TEXT) from None
        start = pickle.dumps((spec, info, sys.path, os.getcwd()))
        try:
            self._end_at(START_SECONDS)
            self._send(struct.pack("<Q", len(start)) + start)
            self._read_until(there.READY)
            data = self._read(65)
        except TimeoutError:
            self.close()
            raise ForfeitError(TOO_SLOW, f"was not made within {START_SECONDS:g} s") from None
        except ForfeitError:
            self.close()
            raise
        self.agent = Agent()
        self.agent.wants_worlds = data[0] != 0
        self.weights = data[1:].decode("ascii", "replace").strip()

    def act(self, part: Decisions, allowed: float) -> tuple[np.ndarray, float]:
        """The bot's answer, int64 (n,), and the seconds that it took, without compilation.

        ForfeitError: the answer is late or malformed, or the bot failed. A bot that is late, has died or sent
        unknown bytes is ended; one that reported its own failure continues.
        """
        rows = len(part)
        began, compiled = time.monotonic(), self._compiling
        self._end_at(allowed)
        try:
            self._send(there.HEAD.pack(rows, part.worlds is not None))
            for array in (part.observations, part.masks, part.keys, part.worlds):
                if array is not None:
                    self._send(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            self._read_until(there.ANSWER)
            actions = np.frombuffer(self._read(8 * rows), "<i8").astype(np.int64)
        except TimeoutError:
            self.close()
            raise ForfeitError(TOO_SLOW, "") from None
        return actions, time.monotonic() - began - (self._compiling - compiled)

    def close(self) -> None:
        self._pipe.close()
        self._server.end(self._pid)

    @property
    def closed(self) -> bool:
        return self._pipe.fileno() < 0

    # -------------------------------------------------------- bytes, and the clock

    def _end_at(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def _set_clock(self) -> None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._pipe.settimeout(left)

    def _send(self, data: bytes | memoryview) -> None:
        self._set_clock()
        try:
            self._pipe.sendall(data)
        except TimeoutError:
            raise
        except OSError:
            raise self._died() from None

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            self._set_clock()
            try:
                part = self._pipe.recv(size - len(data))
            except TimeoutError:
                raise
            except OSError:
                part = b""
            if not part:
                raise self._died()
            data += part
        return data

    def _read_until(self, expected: bytes) -> None:
        """Read messages until one of the expected kind begins."""
        while (kind := self._read(1)) != expected:
            if kind == there.COMPILING:
                self._compile()
            elif kind == there.FAILURE:
                reason, size = there.REFUSAL.unpack(self._read(there.REFUSAL.size))
                text = self._read(min(size, 4 * there.TEXT)).decode("utf-8", "replace")
                raise ForfeitError(reason if reason == WRONG_FORM else FAILED, printable(text))
            else:
                raise self._died()  # unknown bytes: the protocol is broken

    def _compile(self) -> None:
        began, left = time.monotonic(), self._end - time.monotonic()
        self._end_at(max(COMPILING_SECONDS - self._compiling, 0.0))
        if self._read(1) != there.COMPILED:
            raise self._died()
        self._compiling += time.monotonic() - began
        self._end_at(left)

    def _died(self) -> ForfeitError:
        self.close()
        return ForfeitError(DIED, DIED_TEXT)


class BotAsker(Asker):
    """Asks a bot in a process of its own, in the games of one line-up and seat."""

    def __init__(
        self, bots: Bots, spec: str, place: tuple[int, int], seconds: float, first_extra: float
    ) -> None:
        """`place`: line-up and seat; `seconds` and `first_extra`: as for `Asker`."""
        super().__init__(Agent(), seconds, first_extra)
        self._bots, self._spec, self._place, self._first_extra = bots, spec, place, first_extra
        self._known: BotProcess | None = None

    def _call(self, decisions: Decisions, rows: np.ndarray) -> tuple[np.ndarray, float]:
        try:
            bot = self._bots.get(self._spec, self._place)
            first, self._known = bot is not self._known, bot
            allowed = self.seconds * min(len(rows), MOST_ROWS) + (self._first_extra if first else 0.0)
            actions, took = bot.act(decisions.part(bot.agent, rows), allowed)
        except ForfeitError as refused:
            if refused.forfeit.reason == TOO_SLOW and not refused.forfeit.text:
                raise ForfeitError(TOO_SLOW, f"no answer within {self.seconds:g} s") from None
            raise
        return actions, 0.0 if first else took / len(rows)


class Bots:
    """The bots of one worker process: each agent has a process of its own for each line-up and seat.

    All line-ups play the same deals, so one process for two seats would learn what both seats know.
    """

    def __init__(self, info: GameInfo) -> None:
        self._info = info
        self._server: BotServer | None = None
        self._live: OrderedDict[tuple[str, tuple[int, int]], BotProcess] = OrderedDict()
        self._failed_starts: dict[str, tuple[int, ForfeitError]] = {}

    def get(self, spec: str, place: tuple[int, int]) -> BotProcess:
        """The bot of this spec for this line-up and seat; ForfeitError if it cannot be started."""
        bot = self._live.pop((spec, place), None)
        if bot is None or bot.closed:
            while len(self._live) >= MOST_LIVE:
                self._live.popitem(last=False)[1].close()
            bot = self._start(spec)
        self._live[spec, place] = bot
        return bot

    def _start(self, spec: str) -> BotProcess:
        starts, why = self._failed_starts.get(spec, (0, None))
        if why is not None and starts >= MOST_STARTS:
            raise why
        if self._server is None or not self._server.alive:
            self.close()
            self._server = BotServer()
        try:
            bot = BotProcess(self._server, spec, self._info)
        except ForfeitError as error:
            self._failed_starts[spec] = starts + 1, error
            raise
        self._failed_starts.pop(spec, None)
        return bot

    def close(self) -> None:
        while self._live:
            self._live.popitem()[1].close()
        if self._server is not None:
            self._server.close()
            self._server = None


def try_bot(spec: str, info: GameInfo) -> str:
    """Start and end a bot; return the sha256 of its weights, or "".

    AgentError: the bot cannot be made, or cannot play this game.
    """
    server = BotServer()
    try:
        bot = BotProcess(server, spec, info)
        bot.close()
        return bot.weights
    except ForfeitError as error:
        text = error.forfeit.text
        raise AgentError(text if text.startswith("agent ") else f"agent {spec!r}: {text}") from None
    finally:
        server.close()
