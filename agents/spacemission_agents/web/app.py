"""The server's addresses: what a browser may ask, and what it gets."""

from __future__ import annotations

import hmac
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from spacemission_agents.web import position
from spacemission_agents.web.catalogue import catalogue
from spacemission_agents.web.guard import Guard
from spacemission_agents.web.hall import Asked, Hall
from spacemission_agents.web.match import Match
from spacemission_agents.web.pages import INDEX, Page, policy, read_pages
from spacemission_agents.web.refusals import WebError
from spacemission_agents.web.settings import Settings
from spacemission_agents.web.story import WATCHER
from spacemission_agents.web.stream import follow
from spacemission_env.core.errors import SpaceMissionError

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


def _host(request: Request, authorization: Annotated[str, Header()] = "") -> Hall:
    """The hall, for who may make games in it."""
    hall: Hall = request.app.state.hall
    key = hall.settings.key
    if key is not None and not hmac.compare_digest(key.encode(), _token(authorization).encode()):
        raise WebError("games are made by who has the link that the server printed", 403)
    return hall


At = Annotated[Place, Depends(_place)]
Host = Annotated[Hall, Depends(_host)]


def create_app(settings: Settings) -> Any:
    """The server as an ASGI application."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.hall = Hall(settings)
        yield
        app.state.hall.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    pages = read_pages()
    _add_pages(app, pages)
    _add_games(app)
    _add_refusals(app)
    return Guard(app, settings, policy(pages))


def _add_pages(app: FastAPI, pages: dict[str, Page]) -> None:
    def answer(name: str, request: Request) -> Response:
        page = pages.get(name)
        if page is None:
            raise HTTPException(404)
        headers = {"etag": page.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == page.tag:
            return Response(status_code=304, headers=headers)
        return Response(page.body, media_type=page.type, headers=headers)

    @app.get("/")
    async def index(request: Request) -> Response:
        return answer(INDEX, request)

    @app.get("/static/{path:path}")
    async def static(path: str, request: Request) -> Response:
        return answer(path, request)


def _add_games(app: FastAPI) -> None:
    @app.get("/api/catalogue")
    def games(request: Request) -> Any:
        settings = request.app.state.hall.settings
        return {"games": catalogue(settings.agents), "key": settings.key is not None}

    @app.post("/api/games", status_code=201)
    async def make(asked: NewGame, hall: Host) -> Any:
        seats = [Asked(seat.name, seat.agent) for seat in asked.seats]
        return links(await hall.make(asked.game, seats, dict(asked.rules), asked.seed))

    @app.get("/api/games/{id}")
    async def facts(at: At) -> Any:
        game, match = at.match.game, at.match
        return {
            "id": match.id,
            "game": game.spec.name,
            "title": game.spec.title,
            "score_names": game.spec.score_names,
            "seats": [{"name": seat.name, "agent": seat.agent is not None} for seat in match.seats],
            "seat": at.viewer,
            "rules": game.rules.to_json(),
        }

    @app.get("/api/games/{id}/events")
    async def events(at: At, last_event_id: Annotated[str, Header()] = "0") -> Response:
        after = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 10 else 0
        at.match.go_on()
        stream = follow(at.match, at.viewer, after)
        return StreamingResponse(stream, media_type="text/event-stream")

    @app.get("/api/games/{id}/position")
    async def place(at: At, step: Annotated[int | None, Query(ge=0)] = None) -> Any:
        return position.live(at.match, at.viewer, step)

    @app.post("/api/games/{id}/moves")
    async def move(at: At, asked: MoveAsked) -> Any:
        await at.match.move(at.viewer, asked.action, asked.step)
        return {"step": at.match.step(at.viewer)}

    @app.post("/api/games/{id}/undo")
    async def undo(at: At, asked: StepAsked) -> Any:
        await at.match.undo(at.viewer, asked.step)
        return {"step": at.match.step(at.viewer)}

    @app.get("/api/games/{id}/why")
    async def why(at: At, target: Annotated[str, Query(max_length=60)]) -> Any:
        if at.viewer == WATCHER or at.match.game.player != at.viewer:
            return {"why": ["it is not your turn"]}
        return {"why": position.why_not(at.match.game, at.viewer, target)}

    @app.get("/api/games/{id}/record")
    async def record(at: At) -> Response:
        if not at.match.game.over:
            raise WebError("the record shows all hands: it can be had when the game is over", 409)
        name = f"{at.match.game.spec.name}-{at.match.id}.jsonl"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(at.match.record(), media_type="application/jsonl", headers=headers)


def links(match: Match) -> dict[str, Any]:
    """What whoever made a game gets: the links of all its seats."""
    return {
        "id": match.id,
        "seats": [{"name": s.name, "agent": s.agent is not None, "token": s.token} for s in match.seats],
        "watcher": match.watcher,
    }


def _add_refusals(app: FastAPI) -> None:
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

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        traceback.print_exception(error, file=sys.stderr)
        return JSONResponse({"error": "something went wrong here; the server's window says what"}, 500)
