"""Holds the server's settings, and defines the error of a refused request."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError

DEFAULT_PORT = 8765
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class WebError(SpaceMissionError):
    """A request, or a start of the server, that is refused in one line; `status` is that of HTTP."""

    def __init__(self, message: object = "", status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Settings:
    data: Path | str  # file of the games
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    key: str | None = None  # needed to make a game; None: everybody on this machine may
    names: frozenset[str] = frozenset()  # further host names by which the server may be called
    agents: tuple[str, ...] = ()  # offered beside the installed ones: `label=spec` or `spec`
    rate: tuple[float, int] = (100.0, 400)  # requests a second from one address, and as many at once
    body: tuple[int, int] = (64 * 1024, 8 * 1024 * 1024)  # bytes of a request, of an uploaded record
    threads: int | None = None  # for agents; None: all cores but one
    pause: float = 0.4  # seconds after a move that a decision hidden from others may follow
    alone: int = 4  # games of agents alone that may be under way at once
    patience: float = 15.0  # seconds to send a request, and to take each part of an answer

    def knows(self, host: str) -> bool:
        """Whether a request may name this host: no other site's name can lead here (DNS rebinding).

        Numbers are safe: nobody can make them lead here.
        """
        if host in LOCAL_NAMES | self.names | {self.host}:
            return True
        return not is_loopback(self.host) and is_address(host)


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, and no other machine reaches it."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
