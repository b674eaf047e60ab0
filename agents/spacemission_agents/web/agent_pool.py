"""Runs agents in threads, so that the server stays responsive."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import numpy as np
from starlette.requests import Request

from spacemission_agents.models.policy import ScratchPool
from spacemission_env.core.agents import Agent, act_alone, make_agent, prepare_agents
from spacemission_env.core.cores import cores
from spacemission_env.core.errors import AgentError, SpaceMissionError, failure
from spacemission_env.core.game import Game

T = TypeVar("T")
POLL = 0.25  # seconds between checks whether the client is still connected


class CallerGoneError(Exception):
    """The client has disconnected."""


class Caller:
    """A client that waits for a long answer; `gone`: whether it has disconnected."""

    gone = False

    def check(self) -> None:
        """Raise CallerGoneError if the client has disconnected; called between parts of long work."""
        if self.gone:
            raise CallerGoneError


class AgentPool:
    """Threads, and agents that serve one call at a time. Compiled code runs in parallel, without the GIL."""

    def __init__(self, threads: int | None = None) -> None:
        """`threads`: by default all cores but one, and at least two, so that a slow agent blocks no game."""
        self._threads = ThreadPoolExecutor(threads or max(2, cores() - 1), "thinking")
        self._agents: dict[tuple[str, str], ScratchPool[Agent]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the threads without waiting for running calls."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, call: Callable[..., T], *args: object) -> T:
        """Make a call in one of the threads and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args))

    async def answer(self, request: Request, call: Callable[..., T], *args: object) -> T:
        """Make a call with a `Caller` as its last argument; CallerGoneError if the client disconnects."""
        caller = Caller()

        def begin() -> T:
            caller.check()  # the client may have disconnected while this call waited for a thread
            return call(*args, caller)

        work = asyncio.ensure_future(self.run(begin))
        try:
            while not (await asyncio.wait([work], timeout=POLL))[0]:
                caller.gone = caller.gone or await request.is_disconnected()
            return work.result()
        finally:
            caller.gone = True

    async def play(self, agent: str, game: Game) -> int:
        """The move of the agent that a spec names; AgentError if it fails. The agent may change `game`."""

        def move() -> int:
            try:
                with self.agents(agent, game).lend() as made:
                    return made.play(game)
            except SpaceMissionError:
                raise
            except (
                BaseException
            ) as error:  # for example KeyboardInterrupt from the agent, which would end the server
                raise AgentError(f"agent {agent!r}: failed with {failure(error)}") from error

        return await self.run(move)

    def opinion_of(self, agent: str, game: Game) -> tuple[int, np.ndarray | None]:
        """An agent's move, and its `probabilities` (actions,) or None; runs in the thread that calls it."""
        with self.agents(agent, game).lend() as made:
            prepare(made, game)
            question = game.ask().part(made, np.zeros(1, np.int64))
            probabilities = made.probabilities(question)
            if probabilities is None:
                return int(act_alone(made, question)[0]), None
            legal = np.where(question.masks[0] > 0, probabilities[0], -1.0)
            return int(legal.argmax()), probabilities[0]

    def agents(self, agent: str, game: Game) -> ScratchPool[Agent]:
        """The pool of agents with this spec for a game."""
        key = agent, game.spec.name
        with self._lock:
            if key not in self._agents:
                self._agents[key] = ScratchPool(partial(make_agent, agent, game.spec))
            return self._agents[key]


def prepare(agent: Agent, game: Game) -> None:
    """Prepare an agent for a game, unless it is prepared already."""
    if agent._worlds is None or not agent._worlds.are_of(game.info):
        prepare_agents([agent], game.info)
