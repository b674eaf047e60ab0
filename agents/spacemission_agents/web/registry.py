"""Makes, loads and unloads the games of a server."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
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

IN_MEMORY = 256  # if more games are in memory, idle ones are unloaded
MOST_SPECTATORS = 512  # maximum number of event streams to spectators of all games
Text = Annotated[str, Field(max_length=200)]


class Strict(BaseModel):
    """A request body without unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SeatRequest(Strict):
    """A seat of a new game: the name of a person, or of an offered agent."""

    name: Text = ""
    agent: Text | None = None


class Registry:
    """The games of one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.data)
        self.pool = AgentPool()  # for games
        self.background = AgentPool(1)  # for reviews
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Match]] = {}

    def close(self) -> None:
        """Close the store and the pools."""
        self.pool.close()
        self.background.close()
        self.store.close()

    # ------------------------------------------------------------ new games

    async def make(self, game: str, seats: Sequence[SeatRequest], rules: Json, seed: int | None) -> Match:
        """Make a new game; RulesError, AgentError, SetupError or WebError if that is not possible."""
        spec = find_game(game)
        sitting = self.seats(spec, seats)

        def deal() -> Game:
            dealt: Game = make_game(spec, len(sitting), rules or None)
            dealt.reset(seed)
            return dealt

        return await self.add(new_stored_game(await asyncio.to_thread(deal), sitting), [])

    async def add(self, stored: StoredGame, lines: list[Line]) -> Match:
        """Store a new game."""
        match = await asyncio.to_thread(self._match, stored, lines)
        await asyncio.to_thread(self.store.add_game, stored, lines)
        self._enter(match)
        return match

    def seats(self, spec: GameSpec, requests: Sequence[SeatRequest]) -> list[Seat]:
        """The requested seats with different names; WebError if an agent is not offered, or nobody plays.

        Equal names are followed by the number of the seat, from 1 as on the ships in the page.
        """
        spec.check_num_players(len(requests))
        seats = [self._seat(spec, j, one) for j, one in enumerate(requests)]
        if all(seat.agent is not None for seat in seats):
            raise WebError("seats: expected at least one person; agents alone play by spacemission play")
        twice = [name for name, count in Counter(seat.name for seat in seats).items() if count > 1]
        names = [f"{s.name} {j + 1}" if s.name in twice else s.name for j, s in enumerate(seats)]
        while len(set(names)) < len(names):  # still equal names: for example, a person chose "greedy 2"
            names = [f"{name} {j + 1}" for j, name in enumerate(names)]
        return [replace(seat, name=name) for seat, name in zip(seats, names, strict=True)]

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

    # ------------------------------------------------------------ stored games

    async def find(self, id: str) -> Match:
        """The game with this id; WebError if there is no such game."""
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
        return Match(stored, lines, self.store, self.pool, self.settings.pause)

    def check_room(self, match: Match, viewer: int) -> None:
        """Raise WebError if the viewer, or all spectators of the server together, have too many streams."""
        match.check_room(viewer)
        spectators = sum(one.followers(WATCHER) for one in self._matches.values())
        if viewer == WATCHER and spectators >= MOST_SPECTATORS:
            raise WebError("the server has too many spectators", 429)

    def _enter(self, match: Match) -> None:
        self._matches[match.id] = match
        for id, other in list(self._matches.items()):
            if len(self._matches) <= IN_MEMORY:
                break
            if other.idle and other is not match:
                del self._matches[id]
        match.go_on()
