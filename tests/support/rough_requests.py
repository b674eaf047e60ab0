"""Requests that no page makes: cut off, too large, with wrong addresses, origins and tokens."""

import json
import socket
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

METHODS = (*["GET"] * 9, *["POST"] * 9, "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "get")
WHAT = (
    "", "/events", "/position", "/position?step=0", "/position?step=-1", "/position?step=9999999999999999999",
    "/moves", "/moves", "/moves", "/undo", "/undo", "/why?target=ship-0", "/why", "/why?target=" + "x" * 3000,
    "/record", "/review", "/review/position?seat=0&move=0", "/review/position?seat=1&move=1",
    "/review/position?seat=-5&move=nan", "/review/belief?seat=1&move=0", "/review/belief?seat=0&move=1",
    "/review/opinions?agent=random&first=0&last=9", "/review/values?agent=random&seat=1&first=0&last=3",
    "/continue", "/review/adviser", "/%2e%2e/%2e%2e/etc/passwd", "/moves/../record", "//", "/moves%00",
)  # fmt: skip
ELSEWHERE = (
    "/", "/static/../app.py", "/static/%2e%2e/app.py", "/static/", "/static/vendor", "/docs", "/openapi.json",
    "/api/records", "/api/records?game=0", "/api/records?game=999999999999999999999", "/api/catalogue",
    "/api/games", "/api/games/", "/api/games/../../etc/passwd", "/api/games/%ff%fe", "/metrics", "/.git",
)  # fmt: skip
ODD = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**200, 1.5, float("nan"), float("inf"), "", "0", "null",
    "ä\u0000", "\ud800", "x" * 5000, [], [[]], {}, {"a": {}}, [None] * 50,
)  # fmt: skip
FIELDS = ("action", "step", "game", "seats", "rules", "seed", "at", "name", "agent", "__proto__", "token")


@dataclass
class Rough:
    """Makes such requests to a server and its games."""

    host: str
    port: int
    ids: list[str]
    tokens: list[str]  # valid tokens
    rng: np.random.Generator

    def pick(self, of: tuple | list) -> object:
        return of[int(self.rng.integers(len(of)))]

    def request(self) -> bytes:
        """A whole request, or a part of one."""
        body = self.body()
        path = self.path()
        lines = [f"{self.pick(METHODS)} {path} HTTP/1.1", *self.headers(len(body))]
        data = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body
        chance = self.rng.random()
        if chance < 0.06:  # cut off
            data = data[: int(self.rng.integers(len(data)))]
        elif chance < 0.12:  # changed bytes
            torn = bytearray(data)
            for _ in range(int(self.rng.integers(1, 9))):
                torn[int(self.rng.integers(len(torn)))] = int(self.rng.integers(256))
            data = bytes(torn)
        elif chance < 0.14:
            data = self.rng.bytes(int(self.rng.integers(1, 3000)))
        return data

    def path(self) -> str:
        if self.rng.random() < 0.25:
            return str(self.pick(ELSEWHERE))
        id = self.pick([*self.ids * 5, "none", "a" * 3000, quote("../x"), "%00"])
        return f"/api/games/{id}{self.pick(WHAT)}"

    def headers(self, length: int) -> list[str]:
        host = self.pick([f"{self.host}:{self.port}"] * 40 + ["evil.example", "", "[::1", "a" * 900])
        found = [f"Host: {host}", "Connection: close"]
        token = self.pick([*self.tokens * 5, "", "x", "\xff", "y" * 3000])
        found.append(f"Authorization: {self.pick(['Bearer'] * 9 + ['bearer', 'Basic', ''])} {token}")
        size = self.pick([length] * 40 + [10**9, "x", "-1", "1" * 40, length + 7, max(length - 1, 0)])
        found.append(self.pick([f"Content-Length: {size}"] * 20 + ["Transfer-Encoding: chunked", "X: y"]))
        if self.rng.random() < 0.3:
            found.append(f"Last-Event-ID: {self.pick(['1', '-1', 'x', '9' * 9, '9' * 30, '²'])}")
        if self.rng.random() < 0.05:
            found.append(self.pick(["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: none"]))
        if self.rng.random() < 0.3:
            found.append(
                f"Content-Type: {self.pick(['application/json', 'text/plain', 'multipart/form-data'])}"
            )
        return [str(one) for one in found]

    def body(self) -> bytes:
        """A move or a game with odd values, or unreadable bytes."""
        chance = self.rng.random()
        if chance < 0.1:
            return b""
        if chance < 0.2:
            return self.rng.bytes(int(self.rng.integers(400)))
        if chance < 0.23:
            return b"[" * 30_000
        if chance < 0.26:
            return b"1" * 70_000
        made = {str(self.pick(FIELDS)): self.odd() for _ in range(int(self.rng.integers(4)))}
        if self.rng.random() < 0.5:
            made |= {"action": self.odd(), "step": int(self.rng.integers(30))}
        text = json.dumps(made)
        return text.encode("utf-8", "surrogatepass")

    def odd(self) -> object:
        return int(self.rng.integers(120)) if self.rng.random() < 0.5 else self.pick(ODD)

    def send(self, wait: float = 0.7) -> tuple[bytes, bytes]:
        """Send one request; return it and the response until the server closes or the time is up."""
        data, found = self.request(), b""
        with socket.create_connection((self.host, self.port), timeout=wait) as to:
            try:
                to.sendall(data)
                if self.rng.random() < 0.1:
                    to.shutdown(socket.SHUT_WR)
                while (part := to.recv(65536)) and len(found) < 4_000_000:
                    found += part
            except OSError:  # the server closed the connection or sends nothing more
                pass
        return data, found
