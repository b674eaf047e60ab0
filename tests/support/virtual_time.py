"""Asks a server in this very process, by a clock that jumps to the next timer: times are exact."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that jumps to the next timer where nothing is left to do."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.set_default_executor(AtOnce())
        select = self._selector.select  # type: ignore[attr-defined]

        def jump(timeout: float | None) -> Any:
            found = select(0)
            if not found:
                if timeout is None:  # at its end: for a thread
                    return select(1)
                self.now += timeout
            return found

        self._selector.select = jump  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.now


class AtOnce(ThreadPoolExecutor):
    """Runs everything in the caller's thread."""

    def submit(self, call: Any, /, *args: Any, **more: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(call(*args, **more))
        except BaseException as error:
            done.set_exception(error)
        return done


@dataclass
class Answer:
    """All that comes back for a request.

    Attributes:
        sent: the ASGI messages, each with the time at which it was sent.
    """

    sent: list[tuple[float, Any]] = field(default_factory=list)

    @property
    def status(self) -> int:
        status: int = self.sent[0][1]["status"]
        return status

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for _, message in self.sent)

    def json(self) -> Any:
        return json.loads(self.body)


class Asked:
    """A request under way, for one that may not end by itself: `end` hangs up."""

    def __init__(self, app: Any, method: str, path: str, body: Any = None, **headers: str) -> None:
        self.answer = Answer()
        self._gone = asyncio.Event()
        self._body = None if body is None else json.dumps(body).encode()
        where, _, query = path.partition("?")
        named = {"host": "localhost", "content-type": "application/json", **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": where,
            "raw_path": where.encode(),
            "query_string": query.encode(),
            "headers": [(name.replace("_", "-").encode(), text.encode()) for name, text in named.items()],
            "client": ("127.0.0.1", 1),
            "server": ("localhost", 80),
        }
        self._task = asyncio.ensure_future(app(scope, self._receive, self._send))
        self._asked = False

    async def _receive(self) -> Any:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": self._body or b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.answer.sent.append((round(asyncio.get_running_loop().time(), 6), message))

    async def whole(self) -> Answer:
        await self._task
        return self.answer

    async def end(self) -> Answer:
        """Hang up; what had come by then."""
        self._gone.set()
        return await self.whole()
