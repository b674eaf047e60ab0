"""What stands before every request: host names, sizes, rates, and the headers of every answer."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from typing import Any
from urllib.parse import urlsplit

from spacemission_agents.web.settings import Settings

Scope = dict[str, Any]
MOST_ADDRESSES = 4096
UPLOADS = frozenset({"/api/records"})
SAFE = frozenset({"GET", "HEAD"})
ANSWER_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "x-frame-options": "DENY",
}


class TooLargeError(Exception):
    """The body is larger than is taken."""


class Rates:
    """How often each address asks: a bucket that fills again by the second."""

    def __init__(self, each_second: float, most: int) -> None:
        """`most` at once, then so many each second."""
        self._rate, self._most = each_second, float(most)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, address: str) -> bool:
        """Whether one more is allowed; counts it."""
        now = time.monotonic()
        left, then = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - then) * self._rate)
        self._left[address] = max(left - 1, 0.0), now
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class Guard:
    """An ASGI application around another.

    Attributes:
        inner: the other.
    """

    def __init__(self, app: Any, settings: Settings, policy: str) -> None:
        """`policy`: the content security policy of every answer."""
        self.inner, self._settings = app, settings
        self._rates = Rates(*settings.rate)
        headers = {**ANSWER_HEADERS, "content-security-policy": policy}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer, or hand on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.inner(scope, receive, send)
            return
        began = False

        async def answer(message: Any) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                message = {**message, "headers": self._with_headers(message["headers"])}
            await send(message)

        refused = self._refused(scope)
        if refused:
            await _refuse(answer, *refused)
            return
        try:
            await self.inner(scope, self._limited(scope, receive), answer)
        except TooLargeError:
            if not began:
                await _refuse(answer, 413, "the request is too large")

    def _with_headers(self, headers: Any) -> list[tuple[bytes, bytes]]:
        given = list(headers)
        names = {name.lower() for name, _ in given}
        cache = [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
        return given + cache + self._headers

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host = _host(headers.get("host", ""))
        if not self._settings.knows(host):
            return 421, "this server does not answer to that name"
        client = scope.get("client") or ("", 0)
        if not self._rates.allow(str(client[0])):
            return 429, "too many requests: wait a moment"
        if scope["method"] not in SAFE:
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return 403, "requests from other sites are not answered"
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != headers.get("host"):
                return 403, "requests from other sites are not answered"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > self._most(scope):
            return 413, "the request is too large"
        return None

    def _most(self, scope: Scope) -> int:
        return self._settings.body[scope["path"] in UPLOADS]

    def _limited(self, scope: Scope, receive: Any) -> Any:
        left = self._most(scope)

        async def limited() -> Any:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLargeError
            return message

        return limited


def _host(header: str) -> str:
    """The host of a Host header without its port, or "" where it is none."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


async def _refuse(send: Any, status: int, line: str) -> None:
    body = json.dumps({"error": line}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
