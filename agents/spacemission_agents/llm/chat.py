"""Sends questions to a chat-completions server, and sends them again if the server fails."""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from spacemission_env.core.errors import AgentError, StopError, shown
from spacemission_env.core.heartbeat import quiet
from spacemission_env.core.reading import Json

TRIES = 8  # maximum number of tries of one question
SAID_AFTER = 2  # after this number of failed tries in a row, a line says so, once for a connection
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0  # seconds before the second try, then doubled up to the longest
LONGEST_ASKED = 600.0  # longest wait in seconds that a server may ask for (Retry-After)
AGAIN = (408, 409, 425, 429)  # after these statuses, and all from 500 on, the same question may succeed


@dataclass(frozen=True)
class Reply:
    """An answer: text, tokens, cost in dollars (None if the server names none), tries and time."""

    text: str
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None
    tries: int = 1
    seconds: float = 0.0


class _AgainError(Exception):
    """The question may be sent again; `wait`: the seconds to wait that the server names, or None."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Chat:
    """A connection to one server; several threads may ask at once."""

    def __init__(self, url: str, key: str | None, timeout: float, at_once: int) -> None:
        """Raise AgentError if httpx is not installed."""
        try:
            import httpx
        except ImportError:
            raise AgentError("agent llm: needs httpx: pip install 'spacemission-env[llm]'") from None
        self._failures = httpx.TransportError, httpx.DecodingError
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
        self._client = httpx.Client(headers=headers, timeout=timeout, limits=limits)
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._stopped, self._said = threading.Event(), False

    def ask(self, body: Json) -> Reply:
        """Send one question and return the answer; StopError: the server refuses it, or no try succeeds."""
        began, number = time.monotonic(), 0
        while True:
            number += 1
            try:
                return self._try(body, number, began)
            except _AgainError as error:
                why, wait = str(error), error.wait
            if wait is None:  # a random wait, so that many questions are not repeated at the same time
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (number - 1)) * (0.5 + random.random())
            if number == SAID_AFTER and not (self._said or quiet()):
                self._said = True
                print(f"spacemission: {self._url}: {why}; trying again", file=sys.stderr, flush=True)
            if number == TRIES or wait > LONGEST_ASKED:
                raise StopError(f"agent llm: {self._url}: no answer in {number} tries; the last: {why}")
            if self._stopped.wait(wait):
                raise StopError("agent llm: stopped")

    def _try(self, body: Json, number: int, began: float) -> Reply:
        try:
            response = self._client.post(self._url, json=body)
        except self._failures as error:  # there is no connection, or it is too slow, or it breaks off
            raise _AgainError(f"{type(error).__name__}: {error}") from None
        status = response.status_code
        if status in AGAIN or status >= 500:
            raise _AgainError(f"status {status}", _seconds(response.headers.get("retry-after")))
        if status != 200:
            raise StopError(f"agent llm: {self._url}: status {status}: {shown(response.text)}")
        try:
            found = response.json()
            # `content` is None if the model has refused, or has written nothing but thoughts.
            text = str(found["choices"][0]["message"].get("content") or "")
            used = found.get("usage") or {}
            prompt, answer = (int(used.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion"))
            cost = None if used.get("cost") is None else float(used["cost"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise _AgainError(f"no chat completion ({type(error).__name__})") from None
        return Reply(text, prompt, answer, cost, number, time.monotonic() - began)

    def close(self) -> None:
        """End all connections, and all waits before another try."""
        self._stopped.set()
        self._client.close()


def _seconds(header: str | None) -> float | None:
    """The seconds of a Retry-After header: a number or a date."""
    try:
        return max(0.0, float(header or ""))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header or "").timestamp() - time.time())
    except (ValueError, TypeError):
        return None
