"""Server-sent events of one viewer: each line of its log, numbered, so that reconnecting is replay."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from spacemission_agents.web.match import Match

HEARTBEAT = 15.0  # seconds after which a silent connection is told that it lives


def message(name: str, data: Any, number: int | None = None) -> str:
    """One event as it goes over the wire."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"


async def follow(match: Match, viewer: int, after: int) -> AsyncIterator[str]:
    """Events of a viewer that come after number `after`; goes on until the reader leaves."""
    flag, leave = match.follow()
    trouble: str | None = None
    try:
        yield message("hello", {"last": len(match.events(viewer))})
        while True:
            flag.clear()
            for event in match.events(viewer)[after:]:
                yield message("move", asdict(event), event.id)
                after = event.id
            if match.trouble != trouble:
                trouble = match.trouble
                yield message("trouble", {"line": trouble})
            try:
                await asyncio.wait_for(flag.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        leave()
