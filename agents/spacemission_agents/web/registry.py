"""Keeps a server's games: makes new ones, loads stored ones, unloads idle ones."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spacemission_agents.web.agent_pool import AgentPool
from spacemission_agents.web.catalogue import offers
from spacemission_agents.web.event_log import WATCHER
from spacemission_agents.web.match import Match, Seat, new_stored_game, new_token, not_there
from spacemission_agents.web.settings import Settings, WebError
from spacemission_agents.web.store import Line, Store, StoredGame
from spacemission_env.core.errors import shown
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.core.reading import Json

IN_MEMORY = 256  # idle games beyond that are put away
MOST_SPECTATORS = 512  # streams of those who look on, in all games together
Text = Annotated[str, Field(max_length=200)]


class Strict(BaseModel):
    """A request body that may hold nothing but what is named here."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SeatRequest(Strict):
    """Who is to sit in a seat: a person by a name, or an agent that is on offer."""

    name: Text = ""
    agent: Text | None = None


class Registry:
    """The games of one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.data)
        self.pool = AgentPool(settings.threads)  # for agents that somebody waits for
        self.background = AgentPool(1)  # for games of agents alone, and for reviews
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Match]] = {}

    def close(self) -> None:
        """Close the store; games go on where they are when it is opened again."""
        self.pool.close()
        self.background.close()
        self.store.close()

    # ------------------------------------------------------------ new games

    async def make(self, game: str, seats: Sequence[SeatRequest], rules: Json, seed: int | None) -> Match:
        """A new game; RulesError, AgentError, SetupError or WebError if it cannot be."""
        spec = find_game(game)
        sitting = self.seats(spec, seats)

        def deal() -> Game:
            dealt: Game = make_game(spec, len(sitting), rules or None)
            dealt.reset(seed)
            return dealt

        return await self.add(new_stored_game(await asyncio.to_thread(deal), sitting), [])

    async def add(self, stored: StoredGame, lines: list[Line]) -> Match:
        """Keep a game from now on."""
        match = await asyncio.to_thread(self._match, stored, lines)
        others = [other for other in self._matches.values() if other.alone and not other.stopped]
        most = self.settings.alone
        if match.alone and sum(not other.game.over for other in others) >= most:
            raise WebError(f"{most} games of agents alone are under way: stop one, or wait", 429)
        await asyncio.to_thread(self.store.add_game, stored, lines)
        self._enter(match)
        return match

    def seats(self, spec: GameSpec, requests: Sequence[SeatRequest]) -> list[Seat]:
        """Seats as they were asked for, each with a name of its own; WebError if an agent is not on offer."""
        spec.check_num_players(len(requests))
        seats: list[Seat] = []
        for j, one in enumerate(requests):
            seat = self._seat(spec, j, one)
            taken, number, name = {other.name for other in seats}, 1, seat.name
            while name in taken:
                number += 1
                name = f"{seat.name} {number}"
            seats.append(replace(seat, name=name))
        return seats

    def _seat(self, spec: GameSpec, number: int, request: SeatRequest) -> Seat:
        if request.agent is None:
            name = " ".join(request.name.split())
            if len(name) > 30 or not name.isprintable():
                expected = f"expected at most 30 printable letters, not {shown(name)}"
                raise WebError(f"seat {number}: name: {expected}")
            return Seat(name or f"Player {number + 1}", None, new_token())
        offered = offers(spec, self.settings.agents)
        if request.agent not in offered:
            expected = f"expected one of {', '.join(offered)}, not {shown(request.agent)}"
            raise WebError(f"seat {number}: agent: {expected}")
        return Seat(request.agent, offered[request.agent][0], None)

    # ------------------------------------------------------------ games that are there

    async def find(self, id: str) -> Match:
        """A game by its id; WebError if there is none."""
        match = self._matches.get(id)
        if match is None:
            task = self._loading.get(id)
            if task is None:
                task = self._loading[id] = asyncio.create_task(self._load(id))
                task.add_done_callback(lambda _: self._loading.pop(id, None))
            match = await asyncio.shield(task)
        if id in self._matches:
            self._matches.move_to_end(id)
        return match

    async def _load(self, id: str) -> Match:
        stored = await asyncio.to_thread(self.store.game, id)
        if stored is None:
            raise not_there()
        match = await asyncio.to_thread(self._match, *stored)
        self._enter(match)
        return match

    def _match(self, stored: StoredGame, lines: list[Line]) -> Match:
        match = Match(stored, lines, self.store, self.pool, self.settings.pause)
        if match.alone:
            match.pool = self.background
        return match

    def check_room(self, match: Match, viewer: int) -> None:
        """WebError if one more stream of a viewer is too many, in its game or here."""
        match.check_room(viewer)
        spectators = sum(one.followers(WATCHER) for one in self._matches.values())
        if viewer == WATCHER and spectators >= MOST_SPECTATORS:
            raise WebError("too many look on at games here", 429)

    def _enter(self, match: Match) -> None:
        self._matches[match.id] = match
        for id, other in list(self._matches.items()):
            if len(self._matches) <= IN_MEMORY:
                break
            if other.idle and other is not match:
                del self._matches[id]
        match.go_on()
