"""The server's addresses: what a browser may ask, and what it gets."""

from __future__ import annotations

import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from spacemission_agents.web import position
from spacemission_agents.web.asked import At, Host, MoveAsked, NewGame, StepAsked, links, seats_asked
from spacemission_agents.web.catalogue import catalogue, offers
from spacemission_agents.web.guard import GoneError, Guard
from spacemission_agents.web.hall import Hall
from spacemission_agents.web.pages import INDEX, Page, policy, read_pages
from spacemission_agents.web.refusals import WebError
from spacemission_agents.web.review_routes import add_review
from spacemission_agents.web.sample import sample
from spacemission_agents.web.settings import Settings
from spacemission_agents.web.stream import follow
from spacemission_agents.web.thinkers import NobodyListensError
from spacemission_env.core.errors import SpaceMissionError


def create_app(settings: Settings) -> Any:
    """The server as an ASGI application; WebError, one line, where its file of games cannot be had."""
    hall = Hall(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        hall.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.hall = hall
    pages = read_pages()
    _add_pages(app, pages)
    _add_games(app)
    add_review(app)
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

    @app.get("/api/sample")
    def picture(game: Annotated[str, Query(max_length=60)]) -> Any:
        return {"svg": sample(game)}

    @app.post("/api/games", status_code=201)
    async def make(asked: NewGame, hall: Host) -> Any:
        return links(await hall.make(asked.game, seats_asked(asked.seats), dict(asked.rules), asked.seed))

    @app.get("/api/games/{id}")
    async def facts(at: At, request: Request) -> Any:
        game, match = at.match.game, at.match
        return {
            "id": match.id,
            "game": game.spec.name,
            "title": game.spec.title,
            "score_names": game.spec.score_names,
            "seats": [{"name": seat.name, "agent": seat.agent is not None} for seat in match.seats],
            "seat": at.viewer,
            "open": match.open,
            "stopped": match.stopped,
            "agents": list(offers(game.spec, request.app.state.hall.settings.agents)),
            "rules": game.rules.to_json(),
        }

    @app.get("/api/games/{id}/events")
    async def events(at: At, request: Request, last_event_id: Annotated[str, Header()] = "0") -> Response:
        after = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 10 else 0
        request.app.state.hall.check_room(at.match, at.viewer)
        at.match.go_on()
        stream = follow(at.match, at.viewer, after)
        return StreamingResponse(stream, media_type="text/event-stream")

    @app.get("/api/games/{id}/position")
    async def place(at: At, step: Annotated[int | None, Query(ge=0)] = None, tall: bool = False) -> Any:
        return position.live(at.match, at.viewer, step, tall)

    @app.post("/api/games/{id}/moves", status_code=204)
    async def move(at: At, asked: MoveAsked) -> None:
        await at.match.move(at.viewer, asked.action, asked.step)

    @app.post("/api/games/{id}/undo", status_code=204)
    async def undo(at: At, asked: StepAsked) -> None:
        await at.match.undo(at.viewer, asked.step)

    @app.delete("/api/games/{id}", status_code=204)
    async def stop(at: At, host: Host) -> None:
        await at.match.stop()

    @app.get("/api/games/{id}/why")
    async def why(at: At, target: Annotated[str, Query(max_length=60)]) -> Any:
        if not at.match.to_play(at.viewer):
            return {"why": ["it is not your turn"]}
        return {"why": position.why_not(at.match.game, at.viewer, target)}

    @app.get("/api/games/{id}/record")
    async def record(at: At) -> Response:
        if not at.match.over:
            raise WebError("the record shows all hands: it can be had when the game is over", 409)
        name = f"{at.match.game.spec.name}-{at.match.id}.jsonl"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(at.match.record(), media_type="application/jsonl", headers=headers)


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

    @app.exception_handler(NobodyListensError)
    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # to nobody

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        if not isinstance(error, GoneError):
            traceback.print_exception(error, file=sys.stderr)
        return JSONResponse({"error": "something went wrong here; the server's window says what"}, 500)
