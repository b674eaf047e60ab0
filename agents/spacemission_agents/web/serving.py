"""Runs the web server."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import socket
import sys
import threading
import webbrowser
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from spacemission_agents.web.app import create_app
from spacemission_agents.web.catalogue import check_agents
from spacemission_agents.web.middleware import Middleware
from spacemission_agents.web.settings import Settings, WebError, is_loopback
from spacemission_env.core.private_folder import make_private, temporary_folder, user_folder

END_SECONDS = 1  # for open connections to finish when the server ends


def serve(
    host: str,
    port: int,
    data: Path | None = None,
    names: frozenset[str] = frozenset(),
    agents: tuple[str, ...] = (),
    show: bool = False,
) -> None:
    """Serve until Ctrl-C; SpaceMissionError if the server cannot start."""
    check_agents(agents)
    with bound(host, port) as listener:
        key = None if is_loopback(host) else secrets.token_urlsafe(12)
        lower = frozenset(name.lower() for name in names)
        settings = Settings(_file() if data is None else data, host, port, key, lower, agents)
        config = configured(create_app(settings), settings)
        address = _address(settings)
        print(f"Play at {address} (Ctrl-C ends the server; games are kept in {settings.data})", flush=True)
        if show and _has_screen():
            threading.Timer(0.5, webbrowser.open, [address]).start()
        uvicorn.Server(config).run(sockets=[listener])


class Prompt(H11Protocol):
    """uvicorn's HTTP, but it closes a connection if a request's head is slow or the client stops reading.

    Its keep-alive timer also runs before the first request, and until the head is complete.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        wait = self.timeout_keep_alive
        self.timeout_keep_alive_task = self.loop.call_later(wait, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:  # unlike uvicorn's, keeps the timer running
        self.conn.receive_data(data)
        self.handle_events()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stuck = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stuck.cancel()


def configured(app: Middleware, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Prompt,
        ws="none",
        log_config=None,  # uvicorn's would close the handlers of others, and the streams that they write to
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=settings.patience,  # type: ignore[arg-type]
        timeout_graceful_shutdown=END_SECONDS,
        limit_concurrency=2000,
    )


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; WebError if that fails."""
    try:
        family, kind, protocol, _, at = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise WebError(f"--host {host}: {error.strerror or error}") from None
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_USER_TIMEOUT", 45_000)):
            if hasattr(socket, option):  # close dead connections within a minute
                listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
        listener.bind(at)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise WebError(f"port {port} is taken by another program: choose one with --port") from None
        raise WebError(f"{host}, port {port}: {error.strerror}") from None
    return listener


def _file() -> Path:
    """The default file of the games: in the user's data folder, or else in the system's temporary folder."""
    root = user_folder("XDG_DATA_HOME", ".local", "share")
    reasons = [] if root else ["this user has no home folder"]
    for folder in [*([root / "spacemission"] if root else []), *temporary_folder()]:
        why = make_private(folder) or (None if os.access(folder, os.W_OK) else f"{folder} is read-only")
        if why is None:
            if reasons:
                print(
                    f"{reasons[0]}: the games are kept in {folder} (--data FILE: elsewhere)", file=sys.stderr
                )
            return folder / "web.sqlite3"
        reasons.append(why)
    raise WebError(f"{reasons[0]}: choose another place with --data")


def _address(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
    at = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/"
    return at if settings.key is None else f"{at}#/key/{settings.key}"


def _has_screen() -> bool:
    """Whether a browser would open a window rather than run in this terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
