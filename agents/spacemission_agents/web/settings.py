"""Defines the server's settings and the error of a refused request."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from spacemission_env.core.errors import SpaceMissionError

DEFAULT_PORT = 8765
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class WebError(SpaceMissionError):
    """A request, or the start of the server, is refused; `status`: HTTP status."""

    def __init__(self, message: object = "", status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Settings:
    """The server's settings.

    Attributes:
        data: file of the games.
        host, port: address of the server.
        key: the key that a request needs to make a game; None: no key is needed.
        names: other host names of the server.
        agents: agents that are offered besides the installed ones, each as `label=spec` or `spec`.
        rate: maximum numbers of requests from one address: per second, and at once.
        body: maximum number of bytes of a request, and of an uploaded record.
        pause: seconds to wait after a move that a secret decision may follow, so that the time does not show
            whether one did.
        patience: seconds that a client has to send a request, and to read each part of a response.
    """

    data: Path | str
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    key: str | None = None
    names: frozenset[str] = frozenset()
    agents: tuple[str, ...] = ()
    rate: tuple[float, int] = (100.0, 400)
    body: tuple[int, int] = (64 * 1024, 8 * 1024 * 1024)
    pause: float = 0.4
    patience: float = 15.0

    def knows(self, host: str) -> bool:
        """Whether a request may name this host; unknown names are refused to prevent DNS rebinding.

        IP addresses are safe, because DNS is not involved.
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
    """Whether a host is a loopback address, which other machines cannot reach."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
