"""Runs agents in threads, so that the server answers while they think."""

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
from spacemission_env.core.agents import Agent, act_alone, make_agent, prepare_agents
from spacemission_env.core.compiling import cores
from spacemission_env.core.game import Game

T = TypeVar("T")
POLL = 0.25  # seconds between two checks whether somebody still waits for an answer


class CallerGoneError(Exception):
    """Whoever asked has gone."""


class Caller:
    """Whoever waits for a long answer; `gone` says that they wait no more."""

    gone = False

    def check(self) -> None:
        """CallerGoneError if they have gone; long work calls it between its parts."""
        if self.gone:
            raise CallerGoneError


class AgentPool:
    """Threads, and agents that each serve one game at a time. Compiled code runs without Python's lock."""

    def __init__(self, threads: int | None = None) -> None:
        """`threads`: None for all cores but one, at least two: one long thought stops no other game."""
        self._threads = ThreadPoolExecutor(threads or max(2, cores() - 1), "thinking")
        self._agents: dict[tuple[str, str], ScratchPool[Agent]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """End without waiting for anybody."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, call: Callable[..., T], *args: Any) -> T:
        """The result of a call made in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args))

    async def answer(self, request: Request, call: Callable[..., T], *args: Any) -> T:
        """The same for a request; the call gets a `Caller` too. CallerGoneError if its sender has gone."""
        caller = Caller()

        def begin() -> T:
            caller.check()  # the sender may have gone while others' work was done
            return call(*args, caller)

        work = asyncio.ensure_future(self.run(begin))
        try:
            while not (await asyncio.wait([work], timeout=POLL))[0]:
                caller.gone = caller.gone or await request.is_disconnected()
            return work.result()
        finally:
            caller.gone = True

    async def play(self, agent: str, game: Game) -> int:
        """The move of an agent, by its spec; AgentError, one line, if it has none. It may change the game."""

        def move() -> int:
            with self.agents(agent, game).lend() as made:
                return made.play(game)

        return await self.run(move)

    def opinion_of(self, agent: str, game: Game) -> tuple[int, np.ndarray | None]:
        """The move of an agent, and its probabilities (actions,) or None; in the caller's thread."""
        with self.agents(agent, game).lend() as made:
            prepare(made, game)
            question = game.ask().part(made, np.zeros(1, np.int64))
            probabilities = made.probabilities(question)
            if probabilities is None:
                return int(act_alone(made, question)[0]), None
            legal = np.where(question.masks[0] > 0, probabilities[0], -1.0)
            return int(legal.argmax()), probabilities[0]

    def agents(self, agent: str, game: Game) -> ScratchPool[Agent]:
        """The agents of a spec for a game; each serves one caller at a time."""
        key = agent, game.spec.name
        with self._lock:
            if key not in self._agents:
                self._agents[key] = ScratchPool(partial(make_agent, agent, game.spec))
            return self._agents[key]


def prepare(agent: Agent, game: Game) -> None:
    """Tell an agent which game is played, if it was told another."""
    if agent._worlds is None or not agent._worlds.are_of(game.info):
        prepare_agents([agent], game.info)
