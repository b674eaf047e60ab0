"""Plays games with one agent in all seats, and asks an agent for a move."""

import numpy as np

from spacemission_env.core.agents import Agent, Decisions
from spacemission_env.core.batched import BatchedGames
from spacemission_env.games.space_mission.engine.constants import OVER
from spacemission_env.games.space_mission.facts import FACTS, write_facts
from spacemission_env.games.space_mission.game import Game


def decisions_of(games: BatchedGames, index: np.ndarray) -> Decisions:
    observations, masks = games.view(index)
    boxes = games.template.parameters
    return Decisions(observations.copy(), masks.copy(), games.keys(index).copy(), parameters=boxes)


def facts_of(game: Game) -> np.record:
    """The facts that the seat to act reads."""
    facts = np.zeros(1, FACTS)
    write_facts(game.whole_numbers(), game.parameters, facts)
    return facts[0]


def assert_legal(masks: np.ndarray, actions: np.ndarray) -> None:
    assert (actions >= 0).all() and masks[np.arange(len(actions)), actions].all()


def collect(
    agent: Agent, num_players: int = 2, count: int = 30, seed: int = 0, **options: object
) -> list[Decisions]:
    """Play games with one agent in all seats; return every batch of decisions, all answered legally."""
    games = BatchedGames(count, num_players, **options)  # type: ignore[arg-type]
    for i in range(count):
        games.deal(i, seed + i)
    batches = []
    index = games.everyone
    while len(index):
        asked = decisions_of(games, index)
        before = asked.observations.copy(), asked.masks.copy()
        actions = agent.act(asked)
        assert actions.shape == (len(index),)
        assert np.issubdtype(actions.dtype, np.integer)
        assert_legal(asked.masks, actions)
        assert (asked.observations == before[0]).all()
        assert (asked.masks == before[1]).all()
        games.step(index, actions)
        batches.append(asked)
        index = index[games.states["phase"][index] != OVER]
    return batches


def ask(agent: Agent, game: Game, key: np.ndarray) -> int:
    return int(
        agent.act(Decisions(game.observe()[None], game.mask()[None], key, parameters=game.parameters))[0]
    )
