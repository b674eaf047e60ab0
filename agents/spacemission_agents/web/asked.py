"""What requests hold, and who asks."""

from __future__ import annotations

import hmac
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from pydantic import BaseModel, ConfigDict, Field

from spacemission_agents.web.hall import Asked, Hall
from spacemission_agents.web.match import Match
from spacemission_agents.web.refusals import WebError

Text = Annotated[str, Field(max_length=200)]


class Strict(BaseModel):
    """A body that holds what is named here and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SeatAsked(Strict):
    """Who is to sit in a seat."""

    name: Text = ""
    agent: Text | None = None


class NewGame(Strict):
    """A game to make."""

    game: Text
    seats: Annotated[list[SeatAsked], Field(min_length=1, max_length=16)]
    rules: Annotated[dict[str, bool | int | Text | None], Field(max_length=64)] = {}
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None


class MoveAsked(Strict):
    """A move: its index, and the last step that the person saw."""

    action: Annotated[int, Field(ge=0, le=1_000_000)]
    step: Annotated[int, Field(ge=0, le=10_000_000)]


class StepAsked(Strict):
    """The last step that the person saw."""

    step: Annotated[int, Field(ge=0, le=10_000_000)]


class Place:
    """A game, and who asks: what the id in the address and the token in the header come to."""

    def __init__(self, match: Match, viewer: int) -> None:
        """The viewer's place at the game."""
        self.match, self.viewer = match, viewer


def _token(authorization: str) -> str:
    kind, _, token = authorization.partition(" ")
    return token if kind.lower() == "bearer" else ""


async def _place(id: str, request: Request, authorization: Annotated[str, Header()] = "") -> Place:
    match = await request.app.state.hall.find(id)
    return Place(match, match.viewer_of(_token(authorization)))


async def _host(request: Request, x_host_key: Annotated[str, Header()] = "") -> Hall:
    """The hall, for the host: who may make games in it and stop them."""
    hall: Hall = request.app.state.hall
    key = hall.settings.key
    if key is not None and not hmac.compare_digest(key.encode(), x_host_key.encode()):
        raise WebError("games are made and stopped by who has the link that the server printed", 403)
    return hall


At = Annotated[Place, Depends(_place)]
Host = Annotated[Hall, Depends(_host)]


class Played(Strict):
    """A game to go on with after so many moves of another."""

    at: Annotated[int, Field(ge=0, le=10_000_000)]
    seats: Annotated[list[SeatAsked], Field(min_length=1, max_length=16)]


def seats_asked(seats: list[SeatAsked]) -> list[Asked]:
    """The same as the hall takes them."""
    return [Asked(seat.name, seat.agent) for seat in seats]


def links(match: Match) -> dict[str, Any]:
    """What whoever made a game gets: the links of all its seats."""
    return {
        "id": match.id,
        "seats": [{"name": s.name, "agent": s.agent is not None, "token": s.token} for s in match.seats],
        "watcher": match.watcher,
    }
