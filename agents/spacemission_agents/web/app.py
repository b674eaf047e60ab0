"""Defines the HTTP API of the server."""

from __future__ import annotations

import asyncio
import hmac
import mimetypes
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from spacemission_agents.web import review
from spacemission_agents.web.agent_pool import CallerGoneError
from spacemission_agents.web.catalogue import catalogue, offers
from spacemission_agents.web.match import Match
from spacemission_agents.web.middleware import GoneError, Middleware, security_policy
from spacemission_agents.web.registry import Registry, SeatRequest, Strict, Text
from spacemission_agents.web.settings import Settings, WebError
from spacemission_env.core.errors import SpaceMissionError, shown
from spacemission_env.core.reading import Json
from spacemission_env.pictures.themes import style_sheet

STATIC = files("spacemission_agents.web") / "static"
mimetypes.add_type("text/javascript", ".mjs")  # some systems know it by a type that browsers refuse

Step = Annotated[int, Field(ge=0, le=10_000_000)]
Number = Annotated[int, Query(ge=0, le=10_000_000)]
SeatNumber = Annotated[int, Query(ge=-1, le=100)]
AgentName = Annotated[str, Query(max_length=200)]
Seats = Annotated[list[SeatRequest], Field(min_length=1, max_length=16)]


class NewGame(Strict):
    game: Text
    seats: Seats
    rules: Annotated[dict[str, bool | int | Text | None], Field(max_length=64)] = {}
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None


class NewMove(Strict):
    """A move: its action index, and the last step that the person saw."""

    action: Annotated[int, Field(ge=0, le=1_000_000)]
    step: Step


class Undo(Strict):
    step: Step


class Continuation(Strict):
    """A new game that continues another game after `at` moves."""

    at: Step
    seats: Seats


class Viewer(NamedTuple):
    """A game, and the seat of the request's token, or `WATCHER`."""

    match: Match
    seat: int


async def _registry(request: Request) -> Registry:
    registry: Registry = request.app.state.registry
    return registry


Games = Annotated[Registry, Depends(_registry)]


async def _viewer(id: str, games: Games, authorization: Annotated[str, Header()] = "") -> Viewer:
    match = await games.find(id)
    kind, _, token = authorization.partition(" ")
    return Viewer(match, match.viewer_of(token if kind.lower() == "bearer" else ""))


async def _host(games: Games, x_host_key: Annotated[str, Header()] = "") -> Registry:
    """The registry, for requests with the host's key; WebError without the key."""
    key = games.settings.key
    if key is not None and not hmac.compare_digest(key.encode(), x_host_key.encode()):
        raise WebError("making a game needs the link that the server printed", 403)
    return games


At = Annotated[Viewer, Depends(_viewer)]
Host = Annotated[Registry, Depends(_host)]
api = APIRouter(prefix="/api")


def create_app(settings: Settings) -> Middleware:
    """The server as an ASGI application; WebError if its file of games cannot be used."""
    registry = Registry(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        registry.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.registry = registry
    index, colours = str(STATIC / "index.html"), style_sheet()

    @app.get("/")
    async def home() -> Response:
        return FileResponse(index)

    @app.get("/static/colours.css")
    async def colours_css() -> Response:
        return Response(colours, media_type="text/css")

    app.mount("/static", StaticFiles(directory=str(STATIC)))
    app.include_router(api)
    _add_error_handlers(app)
    return Middleware(app, settings, security_policy((STATIC / "index.html").read_bytes()))


# ---------------------------------------------------------------- games


def _links(match: Match) -> Json:
    """The links of all seats, for the person who made the game."""
    return {
        "id": match.id,
        "seats": [{"name": s.name, "agent": s.agent is not None, "token": s.token} for s in match.seats],
        "watcher": match.stored.watcher,
    }


@api.get("/catalogue")
def list_games(games: Games) -> Json:
    return {"games": catalogue(games.settings.agents), "key": games.settings.key is not None}


@api.post("/games", status_code=201)
async def make(new: NewGame, games: Host) -> Json:
    return _links(await games.make(new.game, new.seats, dict(new.rules), new.seed))


@api.get("/games/{id}")
async def facts(at: At, games: Games) -> Json:
    match, game = at.match, at.match.game
    return {
        "id": match.id,
        "game": game.spec.name,
        "title": game.spec.title,
        "score_names": game.spec.score_names,
        "seats": [{"name": seat.name, "agent": seat.agent is not None} for seat in match.seats],
        "seat": at.seat,
        "open": match.open,
        "agents": list(offers(game.spec, games.settings.agents)),
        "rules": game.rules.to_json(),
        "how_to_play": game.spec.how_to_play,
        "glossary": game.glossary(),
    }


@api.get("/games/{id}/events")
async def events(at: At, games: Games, last_event_id: Annotated[str, Header()] = "0") -> Response:
    after = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 10 else 0
    games.check_room(at.match, at.seat)
    at.match.go_on()
    return StreamingResponse(at.match.stream(at.seat, after), media_type="text/event-stream")


@api.get("/games/{id}/position")
async def position(at: At, step: Annotated[int | None, Query(ge=0)] = None, tall: bool = False) -> Json:
    return at.match.position(at.seat, step, tall)


@api.post("/games/{id}/moves", status_code=204)
async def move(at: At, new: NewMove) -> None:
    await at.match.move(at.seat, new.action, new.step)


@api.post("/games/{id}/undo", status_code=204)
async def undo(at: At, new: Undo) -> None:
    await at.match.undo(at.seat, new.step)


@api.get("/games/{id}/why")
async def why(at: At, target: Annotated[str, Query(max_length=60)]) -> Json:
    return {"why": at.match.why_not(at.seat, target)}


@api.get("/games/{id}/record")
async def record(at: At) -> Response:
    if not at.match.over:
        raise WebError("the record shows all hands; it is available at the end of the game", 409)
    name = f"{at.match.game.spec.name}-{at.match.id}.jsonl"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(at.match.record(), media_type="application/jsonl", headers=headers)


# ---------------------------------------------------------------- reviews


@api.post("/records", status_code=201)
async def upload(request: Request, games: Host, game: Annotated[int, Query(ge=1)] = 1) -> Json:
    return _links(await games.add(*await asyncio.to_thread(review.uploaded, await request.body(), game)))


@api.post("/games/{id}/continue", status_code=201)
async def continue_game(at: At, new: Continuation, games: Host) -> Json:
    seats = games.seats(at.match.game.spec, new.seats)
    return _links(await games.add(*review.continued(at.match, seats, new.at)))


@api.get("/games/{id}/review")
async def review_moves(at: At) -> Json:
    return review.moves(at.match, at.seat)


@api.get("/games/{id}/review/position")
async def review_position(at: At, seat: SeatNumber, move: Number, tall: bool = False) -> Json:
    return review.position(at.match, at.seat, seat, move, tall)


@api.get("/games/{id}/review/belief")
async def belief(at: At, seat: SeatNumber, move: Number, games: Games) -> Json:
    if seat < 0:
        raise WebError("a spectator has no cards, so no beliefs", 404)
    game = review.game_at(at.match, at.seat, seat, move)
    return await games.background.run(review.beliefs, game, seat)


@api.get("/games/{id}/review/adviser")
async def adviser(at: At, games: Games) -> Json:
    _check_open(at.match)
    offered = offers(at.match.game.spec, games.settings.agents)
    return {"agent": await games.background.run(review.adviser, at.match, games.background, offered)}


@api.get("/games/{id}/review/opinions")
async def opinions(
    at: At, agent: AgentName, first: Number, last: Number, games: Games, request: Request
) -> list[Json]:
    spec, pool = _agent(at.match, agent, games), games.background
    return await pool.answer(request, review.opinions, at.match, pool, spec, first, last)


@api.get("/games/{id}/review/values")
async def values(
    at: At,
    agent: AgentName,
    seat: SeatNumber,
    first: Number,
    last: Number,
    games: Games,
    request: Request,
    every: Annotated[int, Query(ge=1, le=1000)] = 1,
) -> Json:
    spec, pool = _agent(at.match, agent, games), games.background
    review.game_at(at.match, at.seat, seat, 0)
    if seat < 0:
        raise WebError("a spectator has no cards, so no estimates", 404)
    game = at.match.game.spec
    player = await pool.run(review.rollout_agent, game, spec, offers(game, games.settings.agents))
    return await pool.answer(request, review.values, at.match, pool, player, seat, first, last, every)


def _check_open(match: Match) -> None:
    if not match.open:
        raise WebError("opinions of agents are available at the end of the game", 403)


def _agent(match: Match, name: str, games: Registry) -> str:
    """The spec of an offered agent; WebError if it is not offered, or hands are still hidden."""
    _check_open(match)
    offered = offers(match.game.spec, games.settings.agents)
    if name not in offered:
        raise WebError(f"agent: expected one of {', '.join(offered)}, not {shown(name)}", 404)
    return offered[name][0]


# ---------------------------------------------------------------- errors


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(SpaceMissionError)
    async def refused(request: Request, error: SpaceMissionError) -> Response:
        return JSONResponse({"error": str(error)}, getattr(error, "status", 400))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return JSONResponse({"error": f"{where or 'body'}: {first['msg']}"}, 422)

    @app.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> Response:
        return JSONResponse({"error": str(error.detail)}, error.status_code)

    @app.exception_handler(CallerGoneError)
    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # the client has gone: nobody reads this

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        if not isinstance(error, GoneError):
            traceback.print_exception(error, file=sys.stderr)
        return JSONResponse({"error": "the server failed; its terminal shows the error"}, 500)
