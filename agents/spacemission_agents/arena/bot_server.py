"""Runs bots, each in a process of its own: `python -m MODULE SOCKET_NUMBER`.

A bot gets what its seat may know and returns integers. The process contains a bot's failures; docs/agents.md
says how to contain a hostile bot. bots.py is the other side of the connection and measures the time.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import socket
import struct
import sys
from pathlib import Path

import numpy as np

from spacemission_agents.arena.asking import FAILED, WRONG_FORM, ForfeitError, failed, in_form, tell_compiling
from spacemission_agents.models.card import weights_digest
from spacemission_env.core.agents import Agent, Decisions, make_agent, prepare_agents
from spacemission_env.core.errors import failure, first_line, printable
from spacemission_env.core.game_spec import GameSpec, find_game

START, KILL = b"S", b"K"  # requests to the server
ANSWER, FAILURE, COMPILING, COMPILED, READY = b"A", b"F", b"C", b"c", b"R"  # messages of a bot
HEAD = struct.Struct("<II")  # begins a request for moves: number of rows; 1 if worlds follow, else 0
REFUSAL = struct.Struct("<BH")  # begins a failure message: reason, bytes of the text that follows
TEXT = 300  # maximum number of characters of that text

MEMORY = 4 << 30  # maximum bytes of a bot's data segment
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)


def _control(option: int, value: int) -> None:
    """Call prctl(2) on Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_with_parent() -> None:
    """Have the system end this process when its parent ends."""
    _control(PR_SET_PDEATHSIG, signal.SIGKILL)


# ---------------------------------------------------------------- the server


def serve(control: socket.socket) -> None:
    """Start and end bots on request, until the other end closes the socket."""
    end_with_parent()
    _control(PR_SET_CHILD_SUBREAPER, 1)  # processes that bots leave behind become children of this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bots: set[int] = set()
    while True:
        message, handles, _, _ = socket.recv_fds(control, 9, 1)
        if not message:
            break
        if message[:1] == START:
            pid = os.fork()
            if pid == 0:
                control.close()
                _be_a_bot(socket.socket(fileno=handles[0]))
            os.close(handles[0])
            bots.add(pid)
            control.sendall(struct.pack("<q", pid))
        else:
            (pid,) = struct.unpack("<q", message[1:9])
            bots.discard(pid)
            _end(pid, bots)
            control.sendall(KILL)
    for pid in list(bots):
        bots.discard(pid)
        _end(pid, bots)


def _end(pid: int, others: set[int]) -> None:
    """End a bot and all processes that it started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)
    while strays := [child for child in _children() if child not in others]:
        for stray in strays:
            with contextlib.suppress(OSError):
                os.kill(stray, signal.SIGKILL)
                os.waitpid(stray, 0)


def _children() -> list[int]:
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")
    except OSError:  # not Linux: only the processes in the bot's group have been ended
        return []
    return [int(word) for word in text.split()]


# ---------------------------------------------------------------- a bot


def _be_a_bot(pipe: socket.socket) -> None:
    import resource  # not on Windows

    try:
        os.setsid()
        end_with_parent()
        nothing = os.open(os.devnull, os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(nothing, handle)
        for what, most in ((resource.RLIMIT_DATA, MEMORY), (resource.RLIMIT_CORE, 0)):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(what, (most, most))
        _answer(pipe)
    finally:
        os._exit(0)


def _answer(pipe: socket.socket) -> None:
    """Make the agent that the first message names, then answer decisions."""
    (size,) = struct.unpack("<Q", _exactly(pipe, 8))
    spec, info, path, folder = pickle.loads(_exactly(pipe, size))  # sent by the process that asks, so trusted
    sys.path[:] = path
    os.chdir(folder)
    tell_compiling(lambda compiling: pipe.sendall(COMPILING if compiling else COMPILED))
    try:
        game = find_game(info.game)
        agent = make_agent(spec, game)
        prepare_agents([agent], info)
        worlds = bool(agent.wants_worlds)
        weights = (weights_digest(agent) or "").encode("ascii").ljust(64)[:64]
    except BaseException as error:  # also SystemExit: send the reason, then end
        pipe.sendall(_failure(FAILED, first_line(error)))
        return
    pipe.sendall(READY + bytes([worlds]) + weights)
    while True:
        decisions = _decisions(pipe, info.parameters, game)
        pipe.sendall(_played(agent, decisions))


def _decisions(pipe: socket.socket, parameters: np.ndarray, game: GameSpec) -> Decisions:
    rows, worlds = HEAD.unpack(_exactly(pipe, HEAD.size))
    return Decisions(
        _array(pipe, np.dtype(np.float32), (rows, game.observation_size)),
        _array(pipe, np.dtype(np.int8), (rows, game.action_count)),
        _array(pipe, np.dtype(np.int64), (rows,)),
        _array(pipe, game.state, (rows,)) if worlds else None,
        parameters,
        game.name,
    )


def _array(pipe: socket.socket, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(_exactly(pipe, size), dtype).reshape(shape)


def _played(agent: Agent, decisions: Decisions) -> bytes:
    try:
        given = agent.act(decisions)
    except BaseException as error:  # also SystemExit and KeyboardInterrupt, raised by the agent
        return _failure(FAILED, failed(error).forfeit.text)
    try:
        return ANSWER + in_form(given, len(decisions)).astype("<i8").tobytes()
    except ForfeitError as error:
        return _failure(WRONG_FORM, error.forfeit.text)
    except BaseException as error:
        return _failure(WRONG_FORM, f"act: the result cannot become an array: {failure(error)}")


def _failure(reason: int, text: str) -> bytes:
    line = printable((text.splitlines() or [""])[0])[:TEXT]
    data = line.encode("utf-8", "replace")[: 4 * TEXT]
    return FAILURE + REFUSAL.pack(reason, len(data)) + data


def _exactly(pipe: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    got = 0
    while got < size:
        count = pipe.recv_into(view[got:])
        if count == 0:
            os._exit(0)  # the other end has closed the socket
        got += count
    return data


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
