"""Games between agents, and what the value of luck is to learn from them.

Kept are some of the moves in which chance has a part: the position behind it, and others that might have come
instead (`chances.py`), each as every seat knows it; with the share of the win that each had in the end, its
points and its lead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.afterstate.features import FEATURES
from spacemission_agents.games.space_mission.afterstate.network import TOLD
from spacemission_agents.games.space_mission.luck.chances import exchange_tiles, has_chance, order_pile
from spacemission_agents.games.space_mission.luck.judge import SpaceMissionLuck
from spacemission_agents.games.space_mission.luck.value import read_seats, turn_of
from spacemission_env.core.agents_api import Agent, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.space_mission.engine.constants import MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_train.games.space_mission.afterstate.play import write_outcome
from spacemission_train.games.space_mission.kernels import njit

TAKEN = 1.0  # share of those moves that are kept
WORLDS = 4  # positions of each: that which came, and others


class Examples(NamedTuple):
    """Moves in games of one number of players."""

    x: np.ndarray  # uint8 (n, WORLDS, seats, FEATURES)
    turns: np.ndarray  # uint8 (n, WORLDS, seats)
    told: np.ndarray  # float32 (n, seats, TOLD): share, points, lead, in the units of the afterstate network
    games: np.ndarray  # (n,): of which game each is; a game's moves stand in their order


@njit
def find_chances(states, boxes, index, actions, found):
    """Whether chance has a part in these moves, not made yet."""
    for n in range(len(index)):
        found[n] = has_chance(states[index[n]], boxes[0], int(actions[n]))


@njit
def write_chances(states, boxes, index, actions, dice, scratch, seen, means, x, turns, over):
    """Write what the value reads behind these moves, as it came and as it might have; where one is over."""
    t = boxes[0]
    for n in range(len(index)):
        for i in range(WORLDS):
            scratch[0] = states[index[n]]
            s, action = scratch[0], int(actions[n])
            if i > 0:
                exchange_tiles(s, dice[0])
                order_pile(s, below(dice[0], max(1, int(s.draw_size))), dice[0])
            apply(s, t, action, NO_ORDER)
            if s.over:
                over[n] = True
                break
            read_seats(s, t, seen, means, x[n, i])
            for seat in range(s.num_players):
                turns[n, i, seat] = turn_of(s, seat)


@njit
def write_ends(states, boxes, scores, told):
    """Write what each seat is told of games that are over."""
    for n in range(len(states)):
        write_outcome(states[n], boxes[0], scores, told[n])


def moves(
    table: BatchedGames, agents: list[Agent], seated: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Games played to their ends: which go on and their actions, each time before these are made.

    `seated`: who sits where, (games, seats).
    """
    index = table.everyone
    while len(index):
        asked = table.ask(index)
        actions = np.zeros(len(index), np.int64)
        to_act = seated[index, table.players[index]]
        for a in np.unique(to_act):
            rows = np.flatnonzero(to_act == a)
            actions[rows] = agents[a].act(asked.part(agents[a], rows))
        yield index, actions
        table.step(index, actions)
        index = index[table.states["over"][index] == 0]


def begin(
    names: list[str], players: int, games: int, rng: np.random.Generator
) -> tuple[BatchedGames, list[Agent]]:
    """Games that are dealt, and the agents."""
    agents = [make_agent(name) for name in names]
    table = BatchedGames(games, players)
    prepare_agents(agents, table.info)
    for i in range(games):
        table.deal(i, int(rng.integers(2**62)))
    return table, agents


def ends(table: BatchedGames) -> np.ndarray:
    """What each seat is told of games that are over, float32 (games, seats, TOLD)."""
    told = np.zeros((table.count, table.num_players, len(TOLD)), np.float32)
    write_ends(table.states, table.template.boxes, np.zeros((MAX_PLAYERS, SCORES), np.int64), told)
    return told


def gather(names: list[str], players: int, games: int, seed: int, taken: float = TAKEN) -> Examples:
    """Moves of games in which every seat is drawn anew; half of them have one agent in all seats."""
    rng = np.random.default_rng(seed)
    table, agents = begin(names, players, games, rng)
    seated = rng.integers(len(agents), size=(games, players))
    same = rng.random(games) < 0.5  # near-equal players are what the value is for
    seated[same] = seated[same, :1]
    dice, scratch = table.spec.new_states(1), table.spec.new_states(1)
    seed_rng(dice[0], seed)
    room = dice, scratch, np.zeros(1, COMPACT), np.zeros(1, OBSERVATION)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for index, actions in moves(table, agents, seated):
        found = np.zeros(len(index), np.bool_)
        find_chances(table.states, table.template.boxes, index, actions, found)
        rows = np.flatnonzero(found & (rng.random(len(index)) < taken))
        x = np.zeros((len(rows), WORLDS, players, FEATURES), np.uint8)
        turns, over = np.zeros((len(rows), WORLDS, players), np.uint8), np.zeros(len(rows), np.bool_)
        some = index[rows], actions[rows]
        write_chances(table.states, table.template.boxes, *some, *room, x, turns, over)
        parts.append((x[~over], turns[~over], index[rows][~over]))
    x, turns, sources = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Examples(x, turns, ends(table)[sources], sources)


def luck_of_games(
    names: list[str], weights: bytes, players: int, games: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Games of one agent in all seats: shares of the win, luck by the value; each (games, seats)."""
    rng, judge = np.random.default_rng(seed), SpaceMissionLuck(weights)
    table, agents = begin(names, players, games, rng)
    seated = np.repeat(rng.integers(len(agents), size=games)[:, None], players, 1)
    luck = np.zeros((games, players))
    for index, actions in moves(table, agents, seated):
        luck[index] += judge.of_draws(table, index, actions)
    return ends(table)[:, :, 0], luck
