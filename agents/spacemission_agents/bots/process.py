"""Runs a program that answers lines within time limits, and keeps its last log lines.

If $SPACEMISSION_SANDBOX is set, the command in it runs the program. `keeper.py` limits the program's memory
and ends all processes that the program started. The log is the program's standard error.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

from spacemission_agents.bots.protocol import DIED, LINE_BYTES, TOO_SLOW, WRONG_FORM, BotError
from spacemission_env.core.errors import AgentError, printable, shown

SANDBOX = "SPACEMISSION_SANDBOX"  # environment variable: a command that runs the bots, such as bwrap
KEEPER = str(Path(__file__).with_name("keeper.py"))
LOG_BYTES = 2000  # maximum size of the end of the log that is kept
LOG_SHOWN = 160  # maximum number of characters of a log line in a message
READ_BYTES = 1 << 16
END_SECONDS = 5.0


class LineProcess:
    """A program and its pipes."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        """Start the program; AgentError if the command of $SPACEMISSION_SANDBOX cannot be run."""
        sandbox = os.environ.get(SANDBOX, "")
        life, self._life = os.pipe()
        try:
            whole = [*shlex.split(sandbox), *command]
            if shutil.which(whole[0]) is None:
                raise OSError(f"{whole[0]!r} is no program")
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", KEEPER, str(life), *whole],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=[life], env=environment, bufsize=0, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:  # the sandbox is at fault: `command_of` has found the program
            os.close(self._life)
            raise AgentError(f"${SANDBOX}: {shown(sandbox)} cannot be run: {error}") from None
        finally:
            os.close(life)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe)
        for handle in (self._in, self._out, self._err):
            os.set_blocking(handle, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._to_send, self._got, self._log = bytearray(), bytearray(), b""
        self.close = weakref.finalize(self, _close, self._life, self._process)

    @property
    def closed(self) -> bool:
        return not self.close.alive

    def send(self, line: bytes) -> None:
        """Send as much of a line as the program reads now; later calls send the rest."""
        self._to_send += line
        self._write()

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line; return the answer, one line. BotError: it is late, too long or more than one line."""
        end = time.monotonic() + seconds
        if self._got or self._drain():
            raise self.fault(WRONG_FORM, f"wrote a line that nobody asked for: {_start(bytes(self._got))}")
        self.send(line)
        while (newline := self._got.find(b"\n")) < 0:
            if len(self._got) > LINE_BYTES:
                raise self.fault(WRONG_FORM, f"wrote a line of more than {LINE_BYTES >> 20} MiB")
            left = end - time.monotonic()
            if left <= 0:
                raise self.fault(TOO_SLOW, f"no answer within {seconds:g} s")
            self._wait(left)
        found = bytes(self._got[:newline])
        del self._got[: newline + 1]
        if self._got:
            raise self.fault(WRONG_FORM, f"answered twice: {_start(bytes(self._got))}")
        return found

    def fault(self, kind: str, text: str) -> BotError:
        """End the program; return the reason with the end of its log."""
        log = self.last_lines(1)
        self.close()
        return BotError(kind, f"{text}; its log ends: {log[0]}" if log else text)

    def last_lines(self, count: int) -> list[str]:
        """At most `count` lines, the last ones logged since the last call, printable and short."""
        if not count:
            return []
        self._drain()
        lines = [line for line in self._log.decode("utf-8", "replace").splitlines() if line.strip()]
        self._log = b""
        return [printable(line.strip())[:LOG_SHOWN] for line in lines[-count:]]

    def _drain(self) -> bool:
        """Read what the program has written; return whether some of it was on standard output."""
        if not self.closed:
            while ready := [handle for handle, _ in self._poll.poll(0)]:
                if not self._read(ready) or len(self._got) > LINE_BYTES:
                    break
        return bool(self._got)

    def _wait(self, seconds: float) -> None:
        if self._to_send:
            self._poll.register(self._in, select.POLLOUT)
        try:
            ready = [handle for handle, _ in self._poll.poll(1000 * seconds + 1)]
        finally:
            if self._to_send:
                self._poll.unregister(self._in)
        if self._in in ready:
            self._write()
        if not self._read(ready):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
            status = self._process.poll()
            raise self.fault(DIED, f"its process ended (exit status {status})")

    def _write(self) -> None:
        try:
            while self._to_send:
                del self._to_send[: os.write(self._in, self._to_send)]
        except BlockingIOError:
            pass
        except OSError:
            self._to_send.clear()  # the program reads no more; `_read` finds that it has ended

    def _read(self, ready: Sequence[int]) -> bool:
        """Read from these pipes; return False if standard output is closed."""
        is_open = True
        for handle in ready:  # all of them: the log's last line often comes when the output ends
            if handle == self._in:
                continue
            with contextlib.suppress(BlockingIOError):
                data = os.read(handle, READ_BYTES)
                if handle == self._err:
                    self._log = (self._log + data)[-LOG_BYTES:]
                    if not data:
                        self._poll.unregister(handle)
                elif not data:
                    is_open = False
                else:
                    self._got += data
        return is_open


def _close(life: int, process: subprocess.Popen) -> None:
    os.close(life)
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:  # the bot has stopped its keeper
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            if pipe:
                pipe.close()


def _start(data: bytes) -> str:
    return shown(data[:60].decode("utf-8", "replace").strip())
