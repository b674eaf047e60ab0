"""Server-sent events of one viewer: each line of its log, numbered, so that reconnecting is replay."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from spacemission_agents.web.match import Match

HEARTBEAT = 15.0  # seconds between two signs of life


def message(name: str, data: Any, number: int | None = None) -> str:
    """One event as it goes over the wire."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"


async def follow(match: Match, viewer: int, after: int) -> AsyncIterator[str]:
    """Events of a viewer that come after number `after`; goes on until the reader leaves."""
    now = asyncio.get_running_loop().time
    flag, leave = match.follow(viewer)
    trouble: str | None = None
    try:
        yield message("hello", {"last": len(match.events(viewer))})
        beat = now() + HEARTBEAT  # by the clock alone: what wakes the stream may be a secret
        while True:
            flag.clear()
            for event in match.events(viewer)[after:]:
                yield message("move", asdict(event), event.id)
                after = event.id
            if match.trouble(viewer) != trouble:
                trouble = match.trouble(viewer)
                yield message("trouble", {"line": trouble})
            if now() >= beat:
                beat += HEARTBEAT
                yield ": still here\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(flag.wait(), max(beat - now(), 0))
    finally:
        leave()
