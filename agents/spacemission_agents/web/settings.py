"""How the server is set up, by the command line."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 8765
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Settings:
    """All of it.

    Attributes:
        data: file of the games.
        host, port: where it listens.
        key: what whoever makes a game has to know; None on this machine alone: everybody here may.
        names: further host names by which the server may be called.
        agents: specs of agents that are offered beside the installed ones, `label=spec` or `spec`.
        rate: requests a second from one address, and how many at once before that counts.
        body: bytes of a request, and of an uploaded record.
        threads: for agents; None: all cores but one.
        pause: seconds that a move is shown to nobody where a decision hidden from others may follow it.
        alone: games of agents alone that may be under way at once.
        patience: seconds that a client has to send a request, and to take each part of an answer.
    """

    data: Path | str
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    key: str | None = None
    names: frozenset[str] = frozenset()
    agents: tuple[str, ...] = ()
    rate: tuple[float, int] = (100.0, 400)
    body: tuple[int, int] = (64 * 1024, 8 * 1024 * 1024)
    threads: int | None = None
    pause: float = 0.4
    alone: int = 4
    patience: float = 15.0

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    def knows(self, host: str) -> bool:
        """Whether a request may name this host: a page elsewhere whose name leads here must not be answered.

        A number is no name that somebody could let lead here.
        """
        return host in LOCAL_NAMES | self.names | {self.host} or (not self.local and is_address(host))


def is_address(host: str) -> bool:
    """Whether a host is a number."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a host is this machine and nothing else reaches it."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def data_file() -> Path:
    """Where games are kept unless somebody says otherwise: in the user's own data folder."""
    home = os.environ.get("XDG_DATA_HOME", "")
    root = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return root / "spacemission" / "web.sqlite3"
