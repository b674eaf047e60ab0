"""What a browser may ask of a game that it looks back on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request

from spacemission_agents.web import review
from spacemission_agents.web.asked import At, Host, Played, links, seats_asked
from spacemission_agents.web.catalogue import offers
from spacemission_agents.web.refusals import WebError
from spacemission_env.core.agents_api import make_agent
from spacemission_env.core.errors import shown

Number = Annotated[int, Query(ge=0, le=10_000_000)]
SeatNumber = Annotated[int, Query(ge=-1, le=100)]
Agent = Annotated[str, Query(max_length=200)]


def add_review(app: FastAPI) -> None:
    """Add the addresses to the application."""

    @app.post("/api/records", status_code=201)
    async def upload(request: Request, hall: Host, game: Annotated[int, Query(ge=1)] = 1) -> Any:
        data = await request.body()
        kept, lines = await asyncio.to_thread(review.uploaded, data, game)
        return links(await hall.add(kept, lines))

    @app.post("/api/games/{id}/continue", status_code=201)
    async def play_on(at: At, asked: Played, hall: Host) -> Any:
        seats = hall.seats(at.match.game.spec, seats_asked(asked.seats))
        return links(await hall.add(*review.played_on(at.match, seats, asked.at)))

    @app.get("/api/games/{id}/review")
    async def moves(at: At) -> Any:
        return review.moves(at.match, at.viewer)

    @app.get("/api/games/{id}/review/position")
    async def position(at: At, seat: SeatNumber, move: Number, tall: bool = False) -> Any:
        return review.seen(at.match, at.viewer, seat, move, tall)

    @app.get("/api/games/{id}/review/belief")
    async def belief(at: At, seat: SeatNumber, move: Number, request: Request) -> Any:
        if seat < 0:
            raise WebError("who looks on holds nothing to believe by", 404)
        game = review.game_at(at.match, at.viewer, seat, move)
        return await request.app.state.hall.background.run(review.expected, game, seat)

    @app.get("/api/games/{id}/review/adviser")
    async def adviser(at: At, request: Request) -> Any:
        if not at.match.open:
            raise _closed()
        hall = request.app.state.hall
        offered = offers(at.match.game.spec, hall.settings.agents)
        return {"agent": await hall.background.run(review.adviser, at.match, hall.background, offered)}

    @app.get("/api/games/{id}/review/opinions")
    async def opinions(at: At, agent: Agent, first: Number, last: Number, request: Request) -> Any:
        spec = _agent(at, agent, request)
        thinkers = request.app.state.hall.background
        return await thinkers.answer(request, review.opinions, at.match, thinkers, spec, first, last)

    @app.get("/api/games/{id}/review/values")
    async def values(
        at: At,
        agent: Agent,
        seat: SeatNumber,
        first: Number,
        last: Number,
        request: Request,
        every: Annotated[int, Query(ge=1, le=1000)] = 1,
    ) -> Any:
        spec = _agent(at, agent, request)
        review.game_at(at.match, at.viewer, seat, 0)
        if seat < 0:
            raise WebError("who looks on holds nothing to judge by", 404)
        thinkers = request.app.state.hall.background
        player = await thinkers.run(_who_plays_on, at, spec, request)
        asked = at.match, thinkers, player, seat, first, last, every
        return await thinkers.answer(request, review.values, *asked)


def _closed() -> WebError:
    return WebError("what an agent thinks of it is shown when the game is over", 403)


def _agent(at: Any, name: str, request: Request) -> str:
    """The spec of an agent on offer, for a game that is open."""
    if not at.match.open:
        raise _closed()
    offered = offers(at.match.game.spec, request.app.state.hall.settings.agents)
    if name not in offered:
        raise WebError(f"agent: expected one of {', '.join(offered)}, not {shown(name)}", 404)
    return offered[name][0]


def _who_plays_on(at: Any, spec: str, request: Request) -> str:
    """The agent itself, or where it searches or tries every move, which would take long, a quick one."""
    game = at.match.game.spec
    offered = offers(game, request.app.state.hall.settings.agents)
    for name in (spec, review.ABLE):
        if name in (spec, *offered) and not make_agent(name, game).wants_worlds:
            return name
    return next(name for name in review.FALLBACKS if name in offered)
