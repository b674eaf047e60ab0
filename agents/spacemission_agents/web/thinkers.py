"""Agents that are asked beside the server's own thread, so that pages stay live while they think."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import numpy as np
from starlette.requests import Request

from spacemission_agents.models.scratch import ScratchPool
from spacemission_env.core.agents_api import Agent, act_alone, make_agent, prepare_agents
from spacemission_env.core.cores import cores
from spacemission_env.core.game import Game

T = TypeVar("T")
LISTENS = 0.25  # seconds between two looks whether somebody still waits for an answer


class NobodyListensError(Exception):
    """Whoever asked has gone."""


class Listener:
    """Whoever waits for an answer that takes long.

    Attributes:
        gone: whether they wait no more.
    """

    gone = False

    def check(self) -> None:
        """NobodyListensError where they have gone: called by what takes long, between its parts."""
        if self.gone:
            raise NobodyListensError


def threads_for_agents() -> int:
    """All cores but one; two at least, so that no long thought stops every other game."""
    return max(2, cores() - 1)


class Thinkers:
    """Threads, and agents that are lent to one game at a time. Compiled code runs without Python's lock."""

    def __init__(self, threads: int | None = None) -> None:
        """`threads`: None for all cores but one."""
        self._pool = ThreadPoolExecutor(threads or threads_for_agents(), "thinking")
        self._agents: dict[tuple[str, str], ScratchPool[Agent]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Wait for nobody."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def run(self, call: Callable[..., T], *args: Any) -> T:
        """The result of a call made in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(call, *args))

    async def answer(self, request: Request, call: Callable[..., T], *args: Any) -> T:
        """The same for a request, as long as its sender listens; the call gets a `Listener` as well.

        Raises:
            NobodyListensError: its sender has gone.
        """
        listener = Listener()
        work = asyncio.ensure_future(self.run(_begin, call, args, listener))
        try:
            while not (await asyncio.wait([work], timeout=LISTENS))[0]:
                listener.gone = listener.gone or await request.is_disconnected()
            return work.result()
        finally:
            listener.gone = True

    async def play(self, agent: str, game: Game) -> int:
        """The move of an agent, by its spec, in a game that is the agent's to look at.

        Raises:
            AgentError: one line.
        """
        return await self.run(self.move_of, agent, game)

    def move_of(self, agent: str, game: Game) -> int:
        """The same in the caller's thread."""
        with self.lent(agent, game).lend() as made:
            return made.play(game)

    def opinion_of(self, agent: str, game: Game) -> tuple[int, np.ndarray | None]:
        """The move of an agent, and its probabilities (actions,) or None; in the caller's thread."""
        with self.lent(agent, game).lend() as made:
            tell(made, game)
            asked = game.ask().part(made, np.zeros(1, np.int64))
            told = made.probabilities(asked)
            if told is None:
                return int(act_alone(made, asked)[0]), None
            return int(np.where(asked.masks[0] > 0, told[0], -1.0).argmax()), told[0]

    def lent(self, agent: str, game: Game) -> ScratchPool[Agent]:
        """The agents of a spec for a game: each is lent to one at a time."""
        key = agent, game.spec.name
        with self._lock:
            if key not in self._agents:
                self._agents[key] = ScratchPool(partial(make_agent, agent, game.spec))
            return self._agents[key]


def _begin(call: Callable[..., T], args: tuple[Any, ...], listener: Listener) -> T:
    listener.check()  # the sender may have gone while others' work was done
    return call(*args, listener)


def tell(agent: Agent, game: Game) -> None:
    """Tell an agent which game is played, if it was told another."""
    if agent._worlds is None or not agent._worlds.are_of(game.info):
        prepare_agents([agent], game.info)
