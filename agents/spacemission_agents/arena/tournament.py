"""Defines a tournament by all settings that its results depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from spacemission_agents.arena.bots import plays_in_process, try_bot
from spacemission_agents.arena.games import check_labels, check_list, only_here
from spacemission_agents.arena.journal import record_of
from spacemission_agents.arena.schedule import Schedule
from spacemission_agents.arena.sequential import Sequential
from spacemission_agents.models.card import weights_digest
from spacemission_env.core.agents import GameInfo, agent_name, label_and_spec, make_agent, prepare_agents
from spacemission_env.core.arguments import check_seed
from spacemission_env.core.errors import AgentError, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game, version_of
from spacemission_env.core.reading import Json

FORMAT = 1
MOST_GAMES = 10**9  # maximum number of games of a table; larger numbers could overflow
SECONDS_PER_DECISION = 10.0


@dataclass(frozen=True)
class Tournament:
    """A round robin; made by `define`."""

    agents: tuple[str, ...]  # `spec` or `label=spec`
    players: int
    seed: int
    rules: Rules
    components: Components
    games: int | None = 100  # maximum per table, rounded up to complete set-ups; None: no limit
    interval: float | None = None  # stop when all 95 % intervals are within ± this many percentage points
    seconds_per_decision: float = SECONDS_PER_DECISION  # an agent that takes longer forfeits the game
    records: int = 0  # number of set-ups, from the first, whose games are recorded
    weights: dict[str, str] = field(default_factory=dict)  # sha256 by spec, of agents with a model card
    game: str = DEFAULT_GAME
    test: Sequential | None = None  # stop when this test has a verdict

    @property
    def names(self) -> list[str]:
        """Names of the agents, all different."""
        return [agent_name(agent) for agent in self.agents]

    @property
    def specs(self) -> list[str]:
        """Specs of the agents, without labels."""
        return [label_and_spec(agent)[1] for agent in self.agents]

    @property
    def game_spec(self) -> GameSpec:
        return find_game(self.game)

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule(len(self.agents), self.players, self.seed)

    @property
    def record(self) -> np.dtype[np.void]:
        return record_of(self.game_spec)

    @property
    def set_ups(self) -> int | None:
        return None if self.games is None else -(-self.games // self.players)

    def to_json(self) -> Json:
        return {
            "type": "tournament",
            "format": FORMAT,
            "game": self.game,
            "environment_version": version_of(self.game_spec),
            "agents": list(self.agents),
            "weights": self.weights,
            "players": self.players,
            "games": self.games,
            "interval": self.interval,
            "seed": self.seed,
            "rules": self.rules.for_players(self.players).to_json(),
            "components": {"name": self.components.name, "sha256": self.components.sha256},
            "seconds_per_decision": self.seconds_per_decision,
            "records": self.records,
            **({} if self.test is None else {"test": self.test.to_json()}),
        }


def define(
    agents: Sequence[str],
    players: int | None = None,
    games: int | None = 100,
    *,
    interval: float | None = None,
    seed: int = 0,
    rules: object = None,
    components: object = None,
    seconds_per_decision: float = SECONDS_PER_DECISION,
    records: int = 0,
    game: str | GameSpec = DEFAULT_GAME,
    test: Sequential | None = None,
) -> Tournament:
    """Define a tournament; for the arguments see `Tournament`, and `Game` for rules and components.

    `players` is by default the game's minimum.

    Raises:
        AgentError: there are fewer than two agents, two have one name, one cannot be made or does not fit the
            game; or a number is out of its range.
        SetupError: no such game is installed.
    """
    of = find_game(game)
    players = of.learner_players(players)
    _check_names(agents, of)
    _check_range("games", games, 1, MOST_GAMES, whole=True)
    _check_range("interval", interval, 0.01, 100)
    _check_range("seconds per decision", seconds_per_decision, 0.001, 86_400, optional=False)
    _check_range("records", records, 0, MOST_GAMES, whole=True)
    check_seed(seed)
    if test is not None:
        if not isinstance(test, Sequential):
            raise AgentError(f"test: expected a Sequential or None, not {shown(test)}")
        if len(agents) != 2:
            raise AgentError(f"test: expected 2 agents, got {len(agents)}")
        if interval is not None:
            raise AgentError("test: the test decides when to stop; leave out the interval")
        test.check()
    rules, components = of.make_rules(rules), of.load_components(components)
    info = GameInfo.of(players, rules, components, of)
    specs = list(dict.fromkeys(label_and_spec(agent)[1] for agent in agents))
    own = {spec: make_agent(spec, of) for spec in specs if plays_in_process(spec, of.name)}
    prepare_agents(own.values(), info)
    found = {spec: weights_digest(own[spec]) if spec in own else try_bot(spec, info) for spec in specs}
    weights = {spec: sha256 for spec, sha256 in found.items() if sha256}
    return Tournament(
        tuple(agents), players, seed, rules, components, games, interval, float(seconds_per_decision),
        records, weights, of.name, test,
    )  # fmt: skip


def _check_names(agents: Sequence[str], game: GameSpec) -> None:
    check_list(agents)
    if len(agents) < 2:
        raise AgentError(f"arena: expected at least 2 agents, got {len(agents)}")
    for agent in agents:
        if not isinstance(agent, str) or not agent.isprintable():
            raise AgentError(f"agents: expected printable text such as module:Class, not {shown(agent)}")
        if only_here(agent, game):
            raise AgentError(
                f"agent {agent!r}: a tournament plays in other processes, which cannot import it; put it in "
                "a file: module:Class"
            )
    check_labels(agents)
    names = [agent_name(agent) for agent in agents]
    for agent, name in zip(agents, names, strict=True):
        if names.count(name) > 1:
            raise AgentError(
                f"agents: {name!r} is listed twice; give one a name: other={label_and_spec(agent)[1]}"
            )


def _check_range(
    what: str, value: object, low: float, high: float, whole: bool = False, optional: bool = True
) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise AgentError(f"arena: {what}: expected a {'whole ' * whole}number, not {value!r}")
    if not low <= value <= high:
        raise AgentError(f"arena: {what}: expected {low} to {high}, not {value!r}")
