"""Selects the agents in the seats besides the learner's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spacemission_env.core import agents as core
from spacemission_env.core.agents import Agent
from spacemission_env.core.errors import AgentError, SetupError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.rng import hash63

# Each is hashed with the game's seed, to draw the learner's seat and to draw opponents from mixtures.
SEAT_STREAM, MIXTURE_STREAM = 0x5EA7, 0x3117


class Opponents:
    """The agents that may play the other seats; draws those that play in the game of a seed.

    Attributes:
        agents: the agents without repeats: equal specs share one agent, so that it decides in one batch.
        names: their names in records.
    """

    def __init__(self, given: object, game: Game) -> None:
        """Make and prepare the agents.

        Args:
            given: one spec for all other seats, or a list of num_players - 1, clockwise from the learner. A
                spec is an argument of `make_agent`, or a mixture such as "greedy=0.5,random=0.5".
            game: a game of the kind to be played.

        Raises:
            AgentError: a spec is wrong, or an agent refuses the game.
        """
        others = game.num_players - 1
        if isinstance(given, str | Agent) or callable(given):
            given = [given] * others
        if not isinstance(given, Sequence) or len(given) != others:
            raise AgentError(f"opponents: expected one agent, or a list of {others}, not {shown(given)}")
        made: dict[object, tuple[int, Agent, str]] = {}
        self._seats: list[tuple[list[int], np.ndarray]] = []  # by seat: agent indices, cumulative shares
        for one in given:
            shares: list[tuple[object, float]] = [(one, 1.0)]
            if isinstance(one, str) and "=" in one:
                shares = list(core.parse_mixture(one).items())
            numbers = []
            for spec, _ in shares:
                key = spec if isinstance(spec, str) else id(spec)
                if key not in made:
                    made[key] = len(made), core.make_agent(spec, game.spec), core.agent_name(spec)
                numbers.append(made[key][0])
            self._seats.append((numbers, np.cumsum([share for _, share in shares])))
        self.agents = [agent for _, agent, _ in made.values()]
        self.names = [name for _, _, name in made.values()]
        core.prepare_agents(self.agents, game.info)

    def draw(self, game_seed: int) -> list[int]:
        """Indices of the agents in a seed's game, clockwise from the learner; equal in every front end."""
        drawn = []
        for seat, (numbers, edges) in enumerate(self._seats):
            where = hash63(game_seed, MIXTURE_STREAM, seat) / 2**63 * edges[-1]
            drawn.append(numbers[min(int(np.searchsorted(edges, where, "right")), len(numbers) - 1)])
        return drawn

    def recorded(self, learner: str, seat: int, drawn: Sequence[int]) -> list[str]:
        """Names by seat for the record of a game in which the learner has `seat`."""
        names = [learner, *(self.names[number] for number in drawn)]
        return [names[(at - seat) % len(names)] for at in range(len(names))]


def check_learner_name(name: object) -> str:
    """The learner's name in records; AgentError if it is not printable."""
    if not isinstance(name, str) or not name.isprintable():
        raise AgentError(f"learner_name: expected printable text, not {shown(name)}")
    return name


def check_seat(seat: object, num_players: int) -> int | None:
    """The learner's seat, or None for a random one each game."""
    if seat is None or (type(seat) is int and 0 <= seat < num_players):
        return seat
    raise SetupError(f"seat: expected None or 0 to {num_players - 1}, not {shown(seat)}")


def learner_seat(seat: int | None, game_seed: int, num_players: int) -> int:
    """The learner's seat in the game of a seed: fixed, or random but equal in every front end."""
    return int(hash63(game_seed, SEAT_STREAM, 0)) % num_players if seat is None else seat
