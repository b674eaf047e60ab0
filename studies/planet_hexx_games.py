"""Plays games among given agents in all seats, for the studies of Planet Hexx."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from spacemission_env.core.agents import Agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.decisions import Decisions
from spacemission_env.games.planet_hexx.spec import SPEC


def rotated(count: int, set_ups: int) -> np.ndarray:
    """The agent of each seat, int64 (games, seats): each set-up once for each rotation of the agents."""
    seats = np.arange(count)
    return np.tile(np.stack([np.roll(seats, k) for k in range(count)]), (set_ups, 1))


def play_out(
    agents: Sequence[Agent],
    seeds: Sequence[int],
    rules: object = None,
    components: object = None,
    watch: Callable[[BatchedGames, np.ndarray, Decisions, np.ndarray], None] | None = None,
    rotate: bool = True,
) -> tuple[BatchedGames, np.ndarray]:
    """Play each set-up to the end with all rotations of the agents.

    Args:
        agents: one for each seat; an agent may have several seats.
        seeds: of the set-ups.
        rules: as for `Game`.
        components: as for `Game`.
        watch: called before each batch of moves with the games, their indices, decisions and moves.
        rotate: False: each set-up once, agent j in seat j.

    Returns:
        The games, and the agent of each seat: int64 (games, seats).
    """
    n = len(agents)
    lineups = rotated(n, len(seeds)) if rotate else np.tile(np.arange(n), (len(seeds), 1))
    games = BatchedGames(len(lineups), n, rules, components, game=SPEC)
    prepare_agents(agents, games.info)
    for i in range(len(lineups)):
        games.deal(i, seeds[i // n if rotate else i])
    reads = any("observations" in agent.needs for agent in agents)
    first = {id(agent): a for a, agent in reversed(list(enumerate(agents)))}  # one object may sit twice
    place = np.array([first[id(agent)] for agent in agents])
    index = games.everyone
    while len(index):
        asked = games.ask(index, observations=reads)
        who = place[lineups[index, games.players[index]]]
        actions = np.zeros(len(index), np.int64)
        for a in np.unique(who):
            rows = np.flatnonzero(who == a)
            actions[rows] = agents[a].act(asked.part(agents[a], rows))
        if watch is not None:
            watch(games, index, asked, actions)
        games.step(index, actions)
        index = index[games.states["over"][index] == 0]
    return games, lineups
