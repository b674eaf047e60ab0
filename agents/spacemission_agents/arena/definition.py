"""What a tournament is: its definition, which a folder keeps and a resumed run has to match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from spacemission_agents.arena.schedule import Schedule
from spacemission_agents.arena.workers.bots import plays_in_process, try_bot
from spacemission_agents.models.card import weights_digest
from spacemission_env.core.agents_api import GameInfo, make_agent, prepare_agents
from spacemission_env.core.errors import AgentError
from spacemission_env.games.space_mission.components import Components, load_components
from spacemission_env.games.space_mission.options import Rules, check_num_players, make_rules
from spacemission_env.version import __version__

FORMAT = 1
MOST_GAMES = 10**9  # a table: numbers stay far from the limits of their types
SECONDS_PER_DECISION = 10.0


@dataclass(frozen=True)
class Tournament:
    """A round robin, as far as its results depend on it. Make it with `define`.

    Attributes:
        agents: specs, each once.
        games: games a table at most, as asked for (rounded up to whole set-ups); None: no limit.
        interval: stop when every share is known to within this many points of a hundred; None: never.
        seconds_per_decision: an agent that takes longer forfeits the game.
        records: of how many set-ups, from the first, the games are recorded.
        weights: sha256 of the weights of agents with a model card, by spec.
    """

    agents: tuple[str, ...]
    players: int
    seed: int
    rules: Rules
    components: Components
    games: int | None = 100
    interval: float | None = None
    seconds_per_decision: float = SECONDS_PER_DECISION
    records: int = 0
    weights: dict[str, str] = field(default_factory=dict)

    @cached_property
    def schedule(self) -> Schedule:
        """Its games."""
        return Schedule(len(self.agents), self.players, self.seed)

    @property
    def set_ups(self) -> int | None:
        """How many set-ups it has at most."""
        return None if self.games is None else -(-self.games // self.players)

    def to_json(self) -> dict[str, Any]:
        """The definition as its folder keeps it."""
        return {
            "type": "tournament",
            "format": FORMAT,
            "environment_version": __version__,
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
        }


def define(
    agents: Sequence[str],
    players: int = 2,
    games: int | None = 100,
    *,
    interval: float | None = None,
    seed: int = 0,
    rules: Any = "printed",
    components: Any = None,
    seconds_per_decision: float = SECONDS_PER_DECISION,
    records: int = 0,
) -> Tournament:
    """Define a tournament (arguments as the attributes of `Tournament`; rules, components as for `Game`).

    Raises:
        AgentError: agents that stand twice, are fewer than two, cannot be made or do not fit the game;
            a number out of its range.
    """
    check_num_players(players)
    _check_names(agents)
    _check_range("games", games, 1, MOST_GAMES, whole=True)
    _check_range("interval", interval, 0.01, 100)
    _check_range("seconds per decision", seconds_per_decision, 0.001, 86_400)
    _check_range("records", records, 0, MOST_GAMES, whole=True)
    rules, components = make_rules(rules), load_components(components)
    info = GameInfo.of(players, rules, components)
    own = {spec: make_agent(spec) for spec in agents if plays_in_process(spec)}
    prepare_agents(own.values(), info)
    found = {spec: weights_digest(own[spec]) if spec in own else try_bot(spec, info) for spec in agents}
    weights = {spec: sha256 for spec, sha256 in found.items() if sha256}
    return Tournament(
        tuple(agents), players, seed, rules, components, games, interval, float(seconds_per_decision),
        records, weights,
    )  # fmt: skip


def _check_names(agents: Sequence[str]) -> None:
    if len(agents) < 2:
        raise AgentError(f"arena: expected at least 2 agents, got {len(agents)}")
    for name in agents:
        if list(agents).count(name) > 1:
            raise AgentError(f"agents: {name!r} stands twice")
        if not name.isprintable():
            raise AgentError(f"agents: expected printable text, not {name!r}")


def _check_range(what: str, value: Any, low: float, high: float, whole: bool = False) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise AgentError(f"arena: {what}: expected a {'whole ' * whole}number, not {value!r}")
    if not low <= value <= high:
        raise AgentError(f"arena: {what}: expected {low} to {high}, not {value!r}")
