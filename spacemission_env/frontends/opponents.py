"""Selects the agents in the seats besides the learner's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

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
        """Make and prepare the agents of `given` (`replace`), for games of this kind."""
        self._game = game
        self._made: dict[object, int] = {}
        self._seats: list[tuple[list[int], np.ndarray]] = []  # by seat: agent indices, cumulative shares
        self.agents: list[Agent] = []
        self.names: list[str] = []
        self.replace(given)

    def replace(self, given: object) -> None:
        """Draw from these opponents from now on; earlier agents keep their numbers.

        Args:
            given: one spec for all other seats, or a list of num_players - 1, clockwise from the learner. A
                spec is an argument of `make_agent`, or a mixture: text such as "greedy=0.5,random=0.5", or a
                mapping from specs to shares.

        Raises:
            AgentError: a spec is wrong, or an agent refuses the game; nothing has changed.
        """
        others = self._game.num_players - 1
        if isinstance(given, str | Agent | Mapping) or callable(given):
            given = [given] * others
        if not isinstance(given, Sequence) or len(given) != others:
            raise AgentError(f"opponents: expected one agent, or a list of {others}, not {shown(given)}")
        made, agents, names, seats = dict(self._made), list(self.agents), list(self.names), []
        for one in given:
            numbers, shares = [], _shares(one)
            for spec in shares:
                key = spec if isinstance(spec, str) else id(spec)
                if key not in made:
                    made[key] = len(agents)
                    agents.append(core.make_agent(spec, self._game.spec))
                    names.append(core.agent_name(spec))
                numbers.append(made[key])
            seats.append((numbers, np.cumsum(list(shares.values()))))
        core.prepare_agents(agents[len(self.agents) :], self._game.info)
        self._made, self.agents, self.names, self._seats = made, agents, names, seats

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


def _shares(given: object) -> Mapping[object, float]:
    # The shares of the agents in one seat.
    if isinstance(given, Mapping):
        numbers = [type(share) in (int, float) and 0 <= share < inf for share in given.values()]
        if not all(numbers) or not sum(given.values()) > 0:
            raise AgentError(f"opponents: expected shares of at least 0, not {shown(list(given.values()))}")
        return given
    if isinstance(given, str) and "=" in given:
        return dict[object, float](core.parse_mixture(given).items())
    return {given: 1.0}


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
