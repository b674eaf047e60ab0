"""Asks bots in processes of their own for their moves (bot_server.py runs them), and keeps the clock.

This side reads bytes of a fixed form from a bot and calls nothing that a bot has made, so no answer can stop
it. Agents of this package play in the process of the games instead, which is faster.
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
from collections.abc import Callable
from typing import Any

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
SANDBOX = "SPACEMISSION_SANDBOX"  # a command to run the bots in, such as bwrap with its options
START_SECONDS = 60.0  # for a bot to import, to be made and to prepare
COMPILING_SECONDS = 120.0  # in all: what a bot says of its compiling is believed up to this
MOST_STARTS = 3  # in vain, one after the other: then it is not tried again
MOST_LIVE = 24  # bot processes of one playing process


def plays_in_process(spec: str, game: str = DEFAULT_GAME) -> bool:
    """Whether an agent is of this package, so that its code is ours and what it reads never runs.

    Where the system cannot fork (Windows), every agent is asked in the process of the games.
    """
    if not hasattr(os, "fork"):
        return True
    entry = agent_entries(game).get(spec.strip().partition(":")[0])
    return entry is not None and entry.dist is not None and entry.dist.name == OWN_PACKAGE


class BotServer:
    """A process that starts bots; `close` ends it and all of them."""

    def __init__(self) -> None:
        """Start it. AgentError, one line: the command of $SPACEMISSION_SANDBOX cannot be run."""
        self._control, other = socket.socketpair()
        python = [sys.executable, "-m", there.__name__, str(other.fileno())]
        sandbox = os.environ.get(SANDBOX, "")
        try:
            with other:
                self._process = subprocess.Popen(
                    [*shlex.split(sandbox), *python],
                    pass_fds=[other.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,  # a sandbox may say on standard error why it does not start
                    start_new_session=True,
                    env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                )
        except (OSError, ValueError) as error:
            self._control.close()
            raise AgentError(f"${SANDBOX}: {shown(sandbox)} cannot be run: {error}") from None
        self.close = weakref.finalize(self, _close, self._control, self._process)

    @property
    def alive(self) -> bool:
        """Whether it runs (a bot may have ended it)."""
        return self.close.alive and self._process.poll() is None

    def start(self) -> tuple[socket.socket, int]:
        """A new process for a bot: the socket to it, and its number. OSError: the server is gone."""
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
        """End a bot's process and all that it started."""
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
    """One bot in its process: it plays one seat of games that it has not seen from another.

    Attributes:
        agent: says only whether it wants worlds.
        weights: sha256 of its weights, where it has a model card; else "".
    """

    def __init__(self, server: BotServer, spec: str, info: GameInfo) -> None:
        """Start it. ForfeitError: it cannot be made, or takes too long over it."""
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
        self.agent = Agent()  # stands for it where its worlds are drawn
        self.agent.wants_worlds = data[0] != 0
        self.weights = data[1:].decode("ascii", "replace").strip()

    def act(self, part: Decisions, allowed: float) -> tuple[np.ndarray, float]:
        """Its answer, int64 (n,), and the seconds that it took, without those of compiling.

        ForfeitError: no answer in time, or none in form. Unless it reported a failure itself, it has been
        ended.
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

    def _send(self, data: Any) -> None:
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
        """Read what comes up to the kind that is expected."""
        while (kind := self._read(1)) != expected:
            if kind == there.COMPILING:
                self._compile()
            elif kind == there.FAILURE:
                reason, size = there.REFUSAL.unpack(self._read(there.REFUSAL.size))
                text = self._read(min(size, 4 * there.TEXT)).decode("utf-8", "replace")
                raise ForfeitError(reason if reason == WRONG_FORM else FAILED, printable(text))
            else:
                raise self._died()  # bytes of its own: no way to go on with it

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
    """Asking a bot in a process of its own, in the games of one line-up and seat."""

    def __init__(self, bots: Bots, spec: str, place: Any, seconds: float, first_extra: float) -> None:
        """Ask the bot of this spec and place (line-up and seat); the numbers as for `Asker`."""
        super().__init__(Agent(), seconds, first_extra)
        self._bots, self._spec, self._place, self._first_extra = bots, spec, place, first_extra
        self._known: BotProcess | None = None

    def _call(
        self, decisions: Decisions, rows: np.ndarray, note: Callable[[int, int], object]
    ) -> tuple[np.ndarray, float]:
        note(int(rows[0]), 0)  # no rows: the clock is kept here
        try:
            bot = self._bots.get(self._spec, self._place)
            first, self._known = bot is not self._known, bot
            allowed = self.seconds * min(len(rows), MOST_ROWS) + (self._first_extra if first else 0.0)
            actions, took = bot.act(decisions.part(bot.agent, rows), allowed)
        except ForfeitError as refused:
            if refused.forfeit.reason == TOO_SLOW and not refused.forfeit.text:
                raise ForfeitError(TOO_SLOW, f"no answer within {self.seconds:g} s") from None
            raise
        finally:
            note(-1, 0)
        return actions, 0.0 if first else took / len(rows)


class Bots:
    """The bots of a playing process: for each agent, line-up and seat a process of its own.

    All line-ups play the same set-ups, so one process for two seats would be sent what both of them know.
    """

    def __init__(self, info: GameInfo) -> None:
        self._info = info
        self._server: BotServer | None = None
        self._live: OrderedDict[tuple[str, Any], BotProcess] = OrderedDict()
        self._vain: dict[str, tuple[int, ForfeitError]] = {}

    def get(self, spec: str, place: Any) -> BotProcess:
        """The bot of this spec for this place. ForfeitError: it cannot be started."""
        bot = self._live.pop((spec, place), None)
        if bot is None or bot.closed:
            while len(self._live) >= MOST_LIVE:
                self._live.popitem(last=False)[1].close()
            bot = self._start(spec)
        self._live[spec, place] = bot
        return bot

    def _start(self, spec: str) -> BotProcess:
        starts, why = self._vain.get(spec, (0, None))
        if why is not None and starts >= MOST_STARTS:
            raise why
        if self._server is None or not self._server.alive:
            self.close()
            self._server = BotServer()
        try:
            bot = BotProcess(self._server, spec, self._info)
        except ForfeitError as error:
            self._vain[spec] = starts + 1, error
            raise
        self._vain.pop(spec, None)
        return bot

    def close(self) -> None:
        while self._live:
            self._live.popitem()[1].close()
        if self._server is not None:
            self._server.close()
            self._server = None


def try_bot(spec: str, info: GameInfo) -> str:
    """Start a bot once, before a tournament; the sha256 of its weights, or "".

    AgentError, one line: why it cannot be made or play this game.
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
