"""The other seats of a learner's game: who sits there, and how they answer in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spacemission_env.core.agents_api import (
    Agent,
    Decisions,
    acts_in_parts,
    agent_name,
    make_agent,
    prepare_agents,
)
from spacemission_env.core.answers import answered
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError, SetupError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.rng import hash63

ANSWER_ROWS = 256  # that an agent answers at least in a thread: it costs some microseconds to be asked
SEAT_STREAM = 0x5EA7  # tells the learner's random seat from other numbers made of the seed


def make_opponents(opponents: Any, game: Game) -> list[Agent]:
    """Agents for the other seats: one spec for all of them, or a list of num_players - 1 (`make_agent`).

    They sit clockwise from the learner, and are told the game (`Agent.prepare`). Raises AgentError, one line,
    also where an agent refuses it.
    """
    others = game.num_players - 1
    if _is_one(opponents):
        opponents = [opponents] * others
    if not isinstance(opponents, Sequence) or len(opponents) != others:
        raise AgentError(f"opponents: expected one agent, or a list of {others}, not {shown(opponents)}")
    made: dict[Any, Agent] = {}  # one agent object a spec, so that equal opponents answer in one batch
    for spec in opponents:
        key = spec if isinstance(spec, str) else id(spec)
        if key not in made:
            made[key] = make_agent(spec, game.spec)
    prepare_agents(made.values(), game.info)
    return [made[spec if isinstance(spec, str) else id(spec)] for spec in opponents]


def seat_names(learner: str, opponents: Any, num_players: int) -> list[str]:
    """Names for the record, clockwise from the learner; AgentError where the learner's is not printable."""
    if not isinstance(learner, str) or not learner.isprintable():
        raise AgentError(f"learner_name: expected printable text, not {shown(learner)}")
    listed = [opponents] * (num_players - 1) if _is_one(opponents) else list(opponents)
    return [learner, *map(agent_name, listed)]


def _is_one(opponents: Any) -> bool:
    # One for all seats: a spec, an agent or a function.
    return isinstance(opponents, str | Agent) or callable(opponents)


def check_seat(seat: Any, num_players: int) -> int | None:
    """The learner's seat, or None for a random one each game."""
    if seat is not None and (type(seat) is not int or not 0 <= seat < num_players):
        raise SetupError(f"seat: expected None or 0 to {num_players - 1}, not {shown(seat)}")
    return seat


def learner_seat(seat: int | None, game_seed: int, num_players: int) -> int:
    """The learner's seat in the game dealt from a seed: fixed, or random but the same in every front end."""
    return int(hash63(game_seed, SEAT_STREAM, 0)) % num_players if seat is None else seat


def answer(
    opponents: list[Agent], offsets: np.ndarray, decisions: Decisions, games: BatchedGames
) -> np.ndarray:
    """An action for each row, decided by `opponents[offsets[row]]`; each agent answers in one batch, or in a
    part of it in each of the threads of `games` (`Agent.in_parts`).

    Raises:
        AgentError: an agent fails, or its answer is no integers.
    """
    agents = list(dict.fromkeys(opponents))
    actions = np.zeros(len(decisions), np.int64)
    numbers = np.array([agents.index(one) for one in opponents])[offsets]
    for number, agent in enumerate(agents):
        rows = np.flatnonzero(numbers == number)
        if len(rows):
            own = decisions.part(agent, rows)
            actions[rows] = _act_in_parts(agent, own, games) if acts_in_parts(agent) else answered(agent, own)
    return actions


def _act_in_parts(agent: Agent, decisions: Decisions, games: BatchedGames) -> np.ndarray:
    actions = np.zeros(len(decisions), np.int64)

    def some(first: int, stop: int) -> None:
        actions[first:stop] = answered(agent, decisions.cut(first, stop))

    games.share(some, len(decisions), ANSWER_ROWS)
    return actions
