"""Runs a command; ends it and all its processes when the parent's pipe closes.

The call is `python -I -S keeper.py PIPE COMMAND…`. The module imports nothing of this package,
so that it starts fast with each bot.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from types import FrameType

MEMORY = 4 << 30  # maximum bytes of a bot's data segment
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)


def control(option: int, value: int) -> None:
    """Call prctl(2) on Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def run(command: list[str]) -> None:
    """Replace this process by the command, in a session of its own and with limited memory."""
    import resource  # not on Windows

    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
        for what, most in ((resource.RLIMIT_DATA, MEMORY), (resource.RLIMIT_CORE, 0)):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(what, (most, most))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def children() -> list[int]:
    """Processes that this process started, and those that it adopted because their parents have ended."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:  # not Linux: only the processes in the command's group are ended
        return []


def end(pid: int) -> None:
    """End the command and all processes that descend from it."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    while left := children():
        for child in left:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def main() -> None:
    """Start the command, and wait until the command or the parent ends."""
    pipe, command = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control(PR_SET_CHILD_SUBREAPER, 1)  # this process adopts what the command leaves behind
    ready, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(pipe)
        os.read(ready, 1)
        run(command)

    def ended(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == pid:
                    end(pid)
                    code = os.waitstatus_to_exitcode(found[1])
                    os._exit(code if code >= 0 else 128 - code)

    signal.signal(signal.SIGCHLD, ended)
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):  # else these pipes would stay open after the command has ended
        os.dup2(nothing, handle)
    os.write(go, b"x")
    os.close(go)
    os.read(pipe, 1)  # returns when the parent has closed the pipe, or has ended
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    end(pid)


if __name__ == "__main__":
    main()
