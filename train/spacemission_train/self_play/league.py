"""Draws and plays the learner's opponents: fixed agents, the present policy, past snapshots."""

from __future__ import annotations

import numpy as np

from spacemission_agents.models.network_input import find_network_input
from spacemission_env.core.agents import Agent, Decisions, answered, make_agent
from spacemission_train.settings.settings import LATEST, PAST, Form

MAX_SNAPSHOTS = 32
EVEN = 0.5  # result against a snapshot before the first game with it
WINDOW = 200.0  # `Pool.results` averages over about this many games


class NetworkPlayer(Agent):
    """A network in memory that plays as `policy:PATH` does, or samples its moves by decision key."""

    def __init__(self, form: Form, arrays: dict[str, np.ndarray] | None = None, sample: bool = True) -> None:
        """`arrays`: weights (`ppo.networks.policy_arrays`); None: call `set_arrays` before play."""
        self.form, self.sample = form, sample
        self._input = find_network_input(form.game)
        self.wants_worlds = self._input.reads_afterstates(form.card())
        if arrays is not None:
            self.set_arrays(arrays)

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Replace the weights."""
        self._network = self._input.new_network(arrays, self.form.card())

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 (n,)."""
        return self._input.run_rows(decisions, self._network, self.sample)[0]

    def logits(self, decisions: Decisions) -> np.ndarray:
        """Unmasked logits, float32 (n, actions)."""
        return self._input.run_rows(decisions, self._network, self.sample)[1]


class Pool:
    """The league: the opponents of a training run.

    Numbers 0 to k - 1 are the k entries of the mixture in order; snapshot j has the number k + j. When there
    are `MAX_SNAPSHOTS` snapshots, every second one is dropped and the others are renumbered; unfinished games
    continue with the snapshots that then have their opponents' numbers.

    Past selves are drawn uniformly.

    Attributes:
        snapshots: learner steps of each snapshot, oldest first.
        fixed: the agents of the mixture's entries, in the order of `names`.
        edges: cumulative shares of the entries; float64 (k,).
        thinned: how often every second snapshot has been dropped.
        results: the learner's recent result against each snapshot, 0 to 1; float64 (snapshots,).
    """

    def __init__(self, mixture: dict[str, float], form: Form) -> None:
        """Make the opponents of a mixture (`parse_mixture`); call `set_latest` before play.

        Raises:
            AgentError: one line naming an agent that cannot be made.
        """
        self.names = list(mixture)
        self.snapshots: list[int] = []
        self.thinned = 0
        self.results = np.zeros(0)
        self._form = form
        self._past: list[NetworkPlayer] = []
        self._latest = NetworkPlayer(form)
        # Before the first snapshot, the present policy plays for `past`.
        self.fixed: list[Agent] = [
            self._latest if name in (LATEST, PAST) else make_agent(name, form.game) for name in self.names
        ]
        self.edges = np.cumsum(list(mixture.values()))

    def set_latest(self, arrays: dict[str, np.ndarray]) -> None:
        """Replace the weights of `latest`, also in unfinished games."""
        self._latest.set_arrays(arrays)

    def add_snapshot(self, steps: int, arrays: dict[str, np.ndarray], result: float = EVEN) -> None:
        """Add a snapshot after `steps` learner steps; `result`: its entry in `results`."""
        if len(self._past) == MAX_SNAPSHOTS:
            self._past, self.snapshots = self._past[1::2], self.snapshots[1::2]
            self.results = self.results[1::2]
            self.thinned += 1
        self._past.append(NetworkPlayer(self._form, arrays))
        self.snapshots.append(steps)
        self.results = np.append(self.results, result)

    def note(self, players: np.ndarray, results: np.ndarray) -> None:
        """Record the learner's results (1, 0.5 or 0) against the opponents of a finished game."""
        first = len(self.fixed)
        for number, result in zip(players, results, strict=True):
            if number >= first and self._past:
                j = (number - first) % len(self._past)
                self.results[j] += (result - self.results[j]) / WINDOW

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Draw the opponents of `count` seats by the shares of the mixture: numbers (count,)."""
        numbers = np.searchsorted(self.edges, rng.random(count) * self.edges[-1], side="right")
        if PAST in self.names and self._past:
            which = rng.integers(len(self._past), size=count)
            numbers = np.where(numbers == self.names.index(PAST), len(self.names) + which, numbers)
        return numbers

    def act(self, who: np.ndarray, decisions: Decisions) -> np.ndarray:
        """A legal action for each row, from opponent `who[row]`: int64 (n,). Each opponent is called once.

        Raises:
            AgentError: an opponent fails, or its answer is not an array of integers.
        """
        actions = np.zeros(len(who), np.int64)
        for number in np.flatnonzero(np.bincount(who)):
            rows = np.flatnonzero(who == number)
            player = self.player(int(number))
            name = self.names[number] if number < len(self.names) else PAST
            actions[rows] = answered(player, decisions.part(player, rows), name)
        return actions

    def player(self, number: int) -> Agent:
        """The agent with a number."""
        if number < len(self.fixed):
            return self.fixed[number]
        return self._past[(number - len(self.fixed)) % len(self._past)]
