"""Draws and plays the learner's opponents: fixed agents, its present self, past snapshots."""

from __future__ import annotations

import numpy as np

from spacemission_agents.models.network_input import find_network_input
from spacemission_env.core.agents import Agent, Decisions, answered, make_agent
from spacemission_train.settings.settings import LATEST, PAST, Form

MAX_SNAPSHOTS = 32
EVEN = 0.5  # result against a snapshot that has not been met yet
WINDOW = 200.0  # games that `Pool.results` looks back on, about
MOST_BEATEN = 0.95  # results above are taken for this, so that no snapshot is forgotten


class NetworkPlayer(Agent):
    """A network in memory that plays as `policy:PATH` does; by default it draws by the decision's key."""

    def __init__(self, form: Form, arrays: dict[str, np.ndarray] | None = None, sample: bool = True) -> None:
        """`arrays` as of `ppo.networks.policy_arrays`, copied; None: call `set_arrays` before play."""
        self.form, self.sample = form, sample
        self._input = find_network_input(form.game)
        self.wants_worlds = self._input.wants_worlds(form.card())
        if arrays is not None:
            self.set_arrays(arrays)

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Play with these weights from now on."""
        self._network = self._input.new_network(arrays, self.form.card())

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 (n,)."""
        return self._input.run_rows(decisions, self._network, self.sample)[0]

    def logits(self, decisions: Decisions) -> np.ndarray:
        """What the network says before masking: float32 (n, actions)."""
        return self._input.run_rows(decisions, self._network, self.sample)[1]


class Pool:
    """The opponents of a training run, its league.

    Numbers 0 to k - 1 are the entries of the mixture in order; snapshot j is number k + j. Beyond
    `MAX_SNAPSHOTS` every second one is dropped; games under way go on against whichever then has the number.

    Past selves are drawn by prioritised fictitious self-play (Vinyals et al., "Grandmaster level in
    StarCraft II", 2019): by (1 - p) to the power of `pfsp`, where p is the learner's estimated share of
    results against that snapshot.

    Attributes:
        snapshots: steps at which the snapshots kept were taken, oldest first.
        fixed: the players of the mixture's entries, in the order of `names`.
        edges: sums of the entries' shares up to each; float64 (k,).
        thinned: how often every second snapshot has been dropped.
        results: the learner's recent results against each snapshot, 0 to 1; float64 (snapshots,).
    """

    def __init__(self, mixture: dict[str, float], form: Form, pfsp: float = 0.0) -> None:
        """Make the opponents of a mixture (`parse_mixture`); `set_latest` is to be called before play.

        Raises:
            AgentError: naming an agent that cannot be made.
        """
        self.names = list(mixture)
        self.snapshots: list[int] = []
        self.thinned = 0
        self.pfsp = pfsp
        self.results = np.zeros(0)
        self._form = form
        self._past: list[NetworkPlayer] = []
        self._latest = NetworkPlayer(form)
        # Until there is a snapshot, `past` is played by the present self.
        self.fixed: list[Agent] = [
            self._latest if name in (LATEST, PAST) else make_agent(name, form.game) for name in self.names
        ]
        self.edges = np.cumsum(list(mixture.values()))

    def set_latest(self, arrays: dict[str, np.ndarray]) -> None:
        """Let `latest` play with these weights from now on, in games under way too."""
        self._latest.set_arrays(arrays)

    def add_snapshot(self, steps: int, arrays: dict[str, np.ndarray], result: float = EVEN) -> None:
        """Keep the learner as it is after so many steps; `result`: what is known of `results` against it."""
        if len(self._past) == MAX_SNAPSHOTS:
            self._past, self.snapshots = self._past[1::2], self.snapshots[1::2]
            self.results = self.results[1::2]
            self.thinned += 1
        self._past.append(NetworkPlayer(self._form, arrays))
        self.snapshots.append(steps)
        self.results = np.append(self.results, result)

    def note(self, players: np.ndarray, results: np.ndarray) -> None:
        """The learner's result against each of these players in a game that is over: 1, 0.5 or 0."""
        first = len(self.fixed)
        for number, result in zip(players, results, strict=True):
            if number >= first and self._past:
                j = (number - first) % len(self._past)
                self.results[j] += (result - self.results[j]) / WINDOW

    def probabilities(self) -> np.ndarray:
        """How likely each snapshot is, where one of them is drawn: float64 (snapshots,), sums to 1."""
        weights = (1.0 - np.minimum(self.results, MOST_BEATEN)) ** self.pfsp
        return weights / weights.sum()

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Numbers of the opponents for `count` seats, each drawn by the mixture's shares: (count,)."""
        numbers = np.searchsorted(self.edges, rng.random(count) * self.edges[-1], side="right")
        if PAST in self.names and self._past:
            which = np.searchsorted(np.cumsum(self.probabilities())[:-1], rng.random(count), side="right")
            numbers = np.where(numbers == self.names.index(PAST), len(self.names) + which, numbers)
        return numbers

    def act(self, who: np.ndarray, decisions: Decisions) -> np.ndarray:
        """A legal action for each row; all rows of one opponent are decided in one call: int64 (n,).

        Raises:
            AgentError: an opponent fails, or its answer is no integers.
        """
        actions = np.zeros(len(who), np.int64)
        for number in np.flatnonzero(np.bincount(who)):
            rows = np.flatnonzero(who == number)
            player = self.player(int(number))
            name = self.names[number] if number < len(self.names) else PAST
            actions[rows] = answered(player, decisions.part(player, rows), name)
        return actions

    def player(self, number: int) -> Agent:
        """Who plays under a number."""
        if number < len(self.fixed):
            return self.fixed[number]
        return self._past[(number - len(self.fixed)) % len(self._past)]
