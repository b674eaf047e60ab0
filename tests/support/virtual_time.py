"""Sends requests to a server in this process, with a clock that jumps to the next timer."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from selectors import SelectorKey
from typing import TypeVar

from spacemission_env.core.reading import Json

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that jumps to the next timer when it is idle."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.set_default_executor(AtOnce())
        select = self._selector.select  # type: ignore[attr-defined]

        def jump(timeout: float | None) -> list[tuple[SelectorKey, int]]:
            found = select(0)
            if not found:
                if timeout is None:  # at the loop's end it waits for a thread
                    return select(1)
                self.now += timeout
            return found

        self._selector.select = jump  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.now


class AtOnce(ThreadPoolExecutor):
    """Runs everything in the caller's thread."""

    def submit(self, call: Callable[..., T], /, *args: object, **more: object) -> Future[T]:
        done: Future[T] = Future()
        try:
            done.set_result(call(*args, **more))
        except BaseException as error:
            done.set_exception(error)
        return done


@dataclass
class Answer:
    """The response to a request.

    Attributes:
        sent: the ASGI messages with the times at which they were sent.
    """

    sent: list[tuple[float, Json]] = field(default_factory=list)

    @property
    def status(self) -> int:
        return self.sent[0][1]["status"]

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for _, message in self.sent)

    def json(self) -> Json:
        return json.loads(self.body)


class Asked:
    """A request in progress that may not end by itself; `end` closes the connection."""

    def __init__(
        self, app: Callable[..., Awaitable[None]], method: str, path: str, body: object = None, **headers: str
    ) -> None:
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

    async def _receive(self) -> Json:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": self._body or b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Json) -> None:
        self.answer.sent.append((round(asyncio.get_running_loop().time(), 6), message))

    async def whole(self) -> Answer:
        await self._task
        return self.answer

    async def end(self) -> Answer:
        """Close the connection; return what has been sent so far."""
        self._gone.set()
        return await self.whole()
