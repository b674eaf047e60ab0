"""All games that are kept here: new ones are made, those asked for are loaded, idle ones put away."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

from spacemission_agents.web.catalogue import offers
from spacemission_agents.web.match import Match, Seat, new_kept, new_token
from spacemission_agents.web.refusals import WebError, not_there
from spacemission_agents.web.settings import Settings
from spacemission_agents.web.store import Kept, Line, Store
from spacemission_agents.web.story import WATCHER
from spacemission_agents.web.thinkers import Thinkers
from spacemission_env.core.errors import shown
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import GameSpec, find_game

IN_MEMORY = 256  # idle games beyond that are put away
MOST_SPECTATORS = 512  # streams of those who look on, in all games together


@dataclass(frozen=True)
class Asked:
    """Who is to sit in a seat: a person by a name, or an agent that is on offer."""

    name: str = ""
    agent: str | None = None


class Hall:
    """The games of one server.

    Attributes:
        settings: of the server.
        store: the games on disk.
        thinkers: who ask the agents.
        background: who ask them where nobody waits for a move: in games of agents alone, and looking back.
    """

    def __init__(self, settings: Settings) -> None:
        """Open the store."""
        self.settings = settings
        self.store = Store(settings.data)
        self.thinkers = Thinkers(settings.threads)
        self.background = Thinkers(1)
        self._matches: OrderedDict[str, Match] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Match]] = {}

    def close(self) -> None:
        """Close the store; games go on where they are when it is opened again."""
        self.thinkers.close()
        self.background.close()
        self.store.close()

    # ------------------------------------------------------------ new games

    async def make(self, game: str, asked: list[Asked], rules: dict[str, Any], seed: int | None) -> Match:
        """A new game; RulesError, AgentError, SetupError or WebError where it cannot be."""
        spec = find_game(game)
        seats = self.seats(spec, asked)
        dealt = await asyncio.to_thread(_deal, spec, len(seats), rules, seed)
        return await self.add(new_kept(dealt, seats), [])

    async def add(self, kept: Kept, lines: list[Line]) -> Match:
        """A game as it is kept, from now on."""
        match = await asyncio.to_thread(self._match, kept, lines)
        others = [other for other in self._matches.values() if other.alone and not other.stopped]
        if match.alone and sum(not other.game.over for other in others) >= self.settings.alone:
            raise WebError(
                f"{self.settings.alone} games of agents alone are under way: stop one, or wait", 429
            )
        await asyncio.to_thread(self.store.add_game, kept, lines)
        self._enter(match)
        return match

    def seats(self, spec: GameSpec, asked: list[Asked]) -> list[Seat]:
        """Seats as they were asked for; WebError where an agent is not on offer."""
        spec.check_num_players(len(asked))
        seats: list[Seat] = []
        for j, one in enumerate(asked):
            seat = self._seat(spec, j, one)
            seats.append(replace(seat, name=_free(seat.name, {other.name for other in seats})))
        return seats

    def _seat(self, spec: GameSpec, number: int, asked: Asked) -> Seat:
        if asked.agent is None:
            name = " ".join(asked.name.split())
            if len(name) > 30 or not name.isprintable():
                raise WebError(
                    f"seat {number}: name: expected at most 30 printable letters, not {shown(name)}"
                )
            return Seat(name or f"Player {number + 1}", None, new_token())
        offered = offers(spec, self.settings.agents)
        if asked.agent not in offered:
            raise WebError(
                f"seat {number}: agent: expected one of {', '.join(offered)}, not {shown(asked.agent)}"
            )
        return Seat(asked.agent, offered[asked.agent][0], None)

    # ------------------------------------------------------------ games that are there

    async def find(self, id: str) -> Match:
        """A game by its id; WebError where there is none."""
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
        kept = await asyncio.to_thread(self.store.game, id)
        if kept is None:
            raise not_there()
        match = await asyncio.to_thread(self._match, *kept)
        self._enter(match)
        return match

    def _match(self, kept: Kept, lines: list[Line]) -> Match:
        match = Match(kept, lines, self.store, self.thinkers, self.settings.pause)
        if match.alone:
            match.thinkers = self.background
        return match

    def check_room(self, match: Match, viewer: int) -> None:
        """WebError where one more stream of a viewer is too many, in its game or here."""
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


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where another seat has it already."""
    number = 1
    while (f"{name} {number}" if number > 1 else name) in taken:
        number += 1
    return f"{name} {number}" if number > 1 else name


def _deal(spec: GameSpec, players: int, rules: dict[str, Any], seed: int | None) -> Game:
    game: Game = spec.game(players, rules or None)
    game.reset(seed)
    return game
