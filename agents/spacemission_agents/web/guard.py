"""What stands before every request: host names, sizes, rates, and the headers of every answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from spacemission_agents.web.settings import Settings

Scope = dict[str, Any]
MOST_ADDRESSES = 4096
TOO_LARGE = 413, "the request is too large"
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


class BodyError(Exception):
    """The body is larger than is taken, or does not come."""


class GoneError(Exception):
    """Nobody is there any more to be answered."""


class Body:
    """What comes in of one request, up to so many bytes in so many seconds.

    Attributes:
        refused: status and line where it was more, or did not come in time; else None.
    """

    def __init__(self, receive: Any, most: int, patience: float) -> None:
        """`receive`: of the ASGI request; `patience`: seconds for all of it."""
        self.refused: tuple[int, str] | None = None
        self._receive, self._left, self._more = receive, most, True
        self._until = time.monotonic() + patience

    async def receive(self) -> Any:
        """The next part; BodyError where it is refused."""
        try:
            async with asyncio.timeout(self._until - time.monotonic() if self._more else None):
                message = await self._receive()
        except TimeoutError:
            self.refused = 408, "the request did not come in time"
            raise BodyError from None
        self._more = message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.refused = TOO_LARGE
            raise BodyError
        return message


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
        with suppress(GoneError):
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.inner(scope, receive, send)
            return
        began, body, headed = (
            False,
            Body(receive, self._most(scope), self._settings.patience),
            self._headed(send),
        )

        async def answer(message: Any) -> None:
            nonlocal began
            if body.refused and not began:
                return  # whatever it was taken for: the answer is given below
            if message["type"] == "http.response.start":
                began = True
            await headed(message)

        refused = self._refused(scope)
        if refused:
            await _refuse(headed, *refused)
            return
        with suppress(BodyError):
            await self.inner(scope, body.receive, answer)
        if body.refused and not began:
            await _refuse(headed, *body.refused)

    def _headed(self, send: Any) -> Any:
        """`send`, with the headers that every answer has."""

        async def headed(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": self._with_headers(message["headers"])}
            try:
                await send(message)
            except Exception as error:  # whatever the server raises where the other end has hung up
                raise GoneError from error

        return headed

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
            return TOO_LARGE
        return None

    def _most(self, scope: Scope) -> int:
        return self._settings.body[scope["path"] in UPLOADS]


def _host(header: str) -> str:
    """The host of a Host header without its port, or "" where it is none."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


async def _refuse(send: Any, status: int, line: str) -> None:
    body = json.dumps({"error": line}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # or all of it would be read, and thrown away
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
