"""Checks the host, origin, size and rate of requests, and adds headers to responses."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import time
from collections import OrderedDict
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spacemission_agents.web.settings import Settings

MOST_ADDRESSES = 4096
TOO_LARGE = 413, "the request is too large"
ELSEWHERE = 403, "requests from other sites are not answered"
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


def security_policy(index: bytes) -> str:
    """The content security policy: it allows only this server's files and, by digest, the import map."""
    inline = re.findall(rb"<script type=\"importmap\">(.*?)</script>", index, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in inline]
    scripts = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in digests)])
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


class BodyError(Exception):
    """The body is too large or too slow."""


class GoneError(Exception):
    """The client has disconnected."""


class Body:
    """Receives an ASGI request of at most `most` bytes within `patience` seconds."""

    def __init__(self, receive: Receive, most: int, patience: float) -> None:
        self.refused: tuple[int, str] | None = None  # status and message
        self._receive, self._left, self._more = receive, most, True
        self._until = time.monotonic() + patience

    async def receive(self) -> Message:
        """The next part; BodyError if it is too large or too slow."""
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
    """Limits the requests of each address (token bucket)."""

    def __init__(self, each_second: float, most: int) -> None:
        """`each_second`: tokens added each second; `most`: maximum number of tokens."""
        self._rate, self._most = each_second, float(most)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, address: str) -> bool:
        """Count a request and return whether it is allowed."""
        now = time.monotonic()
        left, then = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - then) * self._rate)
        self._left[address] = max(left - 1, 0.0), now
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class Middleware:
    """Wraps an ASGI application, `inner`."""

    def __init__(self, app: ASGIApp, settings: Settings, policy: str) -> None:
        """`policy`: content security policy of all responses."""
        self.inner, self._settings = app, settings
        self._rates = Rates(*settings.rate)
        headers = {**ANSWER_HEADERS, "content-security-policy": policy}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(GoneError):
            if scope["type"] == "http":
                await self._answer(scope, receive, send)
            elif scope["type"] == "lifespan":
                await self.inner(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(receive, self._most(scope), self._settings.patience)
        headed = self._headed(scope, send)
        began = False

        async def answer(message: Message) -> None:
            nonlocal began
            if body.refused and not began:
                return  # `_refuse` sends the refusal below instead
            if message["type"] == "http.response.start":
                began = True
            await headed(message)

        refused = self._refused(scope)
        if refused is None:
            with suppress(BodyError):
                await self.inner(scope, body.receive, answer)
            refused = None if began else body.refused
        if refused:
            await _refuse(headed, *refused)

    def _headed(self, scope: Scope, send: Send) -> Send:
        # Browsers check the page's files each time, and load those that have changed.
        page = scope["path"] == "/" or scope["path"].startswith("/static/")
        added = [*self._headers, (b"cache-control", b"no-cache" if page else b"no-store")]

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *added]}
            try:
                await send(message)
            except Exception as error:  # servers raise different errors after a disconnect
                raise GoneError from error

        return headed

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._settings.knows(_host(headers.get("host", ""))):
            return 421, "this server does not answer to that name"
        client = scope.get("client") or ("", 0)
        if not self._rates.allow(str(client[0])):
            return 429, "too many requests: wait a moment"
        if scope["method"] not in SAFE:
            origin = headers.get("origin")
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return ELSEWHERE
            if origin is not None and urlsplit(origin).netloc != headers.get("host"):
                return ELSEWHERE
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > self._most(scope):
            return TOO_LARGE
        return None

    def _most(self, scope: Scope) -> int:
        return self._settings.body[scope["path"] in UPLOADS]


def _host(header: str) -> str:
    """The host of a Host header without its port; "" if the header is malformed."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


async def _refuse(send: Send, status: int, line: str) -> None:
    body = json.dumps({"error": line}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # otherwise the server would read the rest of the body
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
