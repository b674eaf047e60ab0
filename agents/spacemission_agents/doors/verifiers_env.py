"""Opens the games to verifiers (v1), where models play any seats, each with its own reward.

The environment's id in verifiers is `spacemission_verifiers`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Literal

import verifiers.v1 as vf

from spacemission_agents.doors.table import MODEL, RETRIES, Table


def _player() -> vf.AgentConfig:
    """A seat's default: the run's model, asked for plain answers, without tools and without a sandbox."""
    return vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())


class SeatsConfig(vf.TasksetConfig):
    """Which game is played, who has its seats, and how many deals are played."""

    game: str = "space_mission"
    seats: str = f"{MODEL},{MODEL}"
    """For each seat "model" or an agent such as `greedy`, separated by commas."""
    rotate: bool = True
    """Whether the list turns by one seat from game to game."""
    games: int = 100
    seed: int = 0
    """The first deal's; each later deal has the next seed."""


class SeatsData(vf.TaskData):
    """One deal; no model is told its seed."""

    game: str
    seats: list[str]
    seed: int


class SeatsTask(vf.Task[SeatsData, vf.State, vf.TaskConfig]):
    """One deal."""


class SeatsTaskset(vf.Taskset[SeatsTask, SeatsConfig]):
    """The deals."""

    def load(self) -> Iterator[SeatsTask]:
        """A task for each deal."""
        seats = [name.strip() for name in self.config.seats.split(",")]
        for i in range(self.config.games):
            turned = -i % len(seats) if self.config.rotate else 0
            seed, now = self.config.seed + i, seats[turned:] + seats[:turned]
            data = SeatsData(name=f"{self.config.game}#{seed}", game=self.config.game, seats=now, seed=seed)
            yield SeatsTask(data, self.config.task)


class SeatsEnvConfig(vf.EnvConfig):
    """Who plays the seats; a player is unused if the game has no such seat, or if an agent has it."""

    player_0: vf.AgentConfig = _player()
    player_1: vf.AgentConfig = _player()
    player_2: vf.AgentConfig = _player()
    player_3: vf.AgentConfig = _player()
    player_4: vf.AgentConfig = _player()
    taskset: SeatsConfig = SeatsConfig()
    rules: Literal["short", "long"] = "long"
    names: Literal["own", "neutral"] = "own"
    """Neutral: other words for the game's, so that a model cannot recognise it."""
    illegal_retries: int = RETRIES
    """Number of illegal answers in a row that a model may correct; one more forfeits the game."""


class SeatsEnv(vf.Env[SeatsEnvConfig]):
    """A game in which each model gets the rules once, and at each of its turns the table and new moves."""

    async def run(self, task: SeatsTask, agents: vf.Agents) -> None:
        """Play the deal; each model gets the reward of its seat in the game, or -1 if it forfeits."""
        table = await asyncio.to_thread(self._dealt, task.data)
        talks: dict[int, vf.Interaction] = {}
        async with AsyncExitStack() as stack:
            for j, text in table.texts.items():
                told = vf.Task(vf.TaskData(name=task.data.name, system_prompt=text.rules(self.config.rules)))
                agent = getattr(agents, f"player_{j}")
                talks[j] = await stack.enter_async_context(agent.interaction(told))
            refused = ""
            while (seat := table.to_play()) is not None:
                segment = await talks[seat].turn(refused or table.tell(seat, new=True))
                if talks[seat].trace.errors:  # an error of the server or the harness: no seat forfeits
                    raise RuntimeError(f"player_{seat} could not be asked")
                if segment.terminated:  # a limit of turns or tokens has ended it
                    table.forfeit(seat, "it gave no answer")
                else:
                    refused = await asyncio.to_thread(table.answer, seat, segment.last_reply)
        for j, talk in talks.items():
            talk.trace.record_reward("win", table.rewards()[j])
            talk.trace.record_metric("forfeited", float(table.loser == j))

    def _dealt(self, data: SeatsData) -> Table:
        table = Table(data.game, data.seats, self.config.illegal_retries, self.config.names)
        table.deal(data.seed)
        return table
