"""Tunes the heuristic agent's weights by CMA-ES (arXiv:1604.00772) with the library `cma`.

A candidate's fitness is its mean result in games against fixed opponents. All candidates of a generation play
the same set-ups in all seats. The output file also stores the fitness of each candidate. A resumed run gives
these numbers to the strategy again, so it makes the same candidates as if it had not stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.arena.games import Results, play_games
from spacemission_agents.arena.schedule import rotations, set_up_seed
from spacemission_agents.games.space_mission.heuristic.agent import HeuristicAgent
from spacemission_agents.games.space_mission.heuristic.weights import (
    NAMES,
    TABLE,
    make_weights,
    shipped_weights,
)
from spacemission_env.core.agents import make_agent
from spacemission_env.core.arguments import MAX_SEED
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.reading import WEIGHTS_TABLE_BYTES, read_toml
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine.constants import TOTAL
from spacemission_env.games.space_mission.spec import SPEC
from spacemission_train.settings.experiment import as_toml

FORMAT = 1
MARGIN = 15.0  # a lead of this many points counts like most of a win
MARGIN_SHARE = 0.5  # weight of the margin in the fitness; the rest is the weight of the win


class TuningError(SpaceMissionError):
    """A tuning setting or an out file is invalid."""


@dataclass(frozen=True)
class Tuning:
    """Settings of a tuning run.

    Attributes:
        population: candidates in a generation, at least 4.
        games: games of a candidate in a generation, for each opponent and number of players, rounded up to
            play all seats equally.
        players: numbers of players, each 2 to 5.
        against: specs of the opponents; in each game one of them has all other seats.
        seed: seed of the strategy and of the set-ups.
        sigma: first step size, as a share of each weight's range.
    """

    population: int = 14
    games: int = 100
    players: tuple[int, ...] = (2,)
    against: tuple[str, ...] = ("greedy", "heuristic")
    seed: int = 0
    sigma: float = 0.12

    def __post_init__(self) -> None:
        """Check every value; TuningError or RulesError names the setting."""
        for name, low, high in (("population", 4, 10_000), ("games", 1, 10**9), ("seed", 0, MAX_SEED)):
            number = getattr(self, name)
            if type(number) is not int or not low <= number <= high:
                raise TuningError(
                    f"tune: {name}: expected a whole number from {low} to {high}, not {number!r}"
                )
        if type(self.sigma) not in (int, float) or not 0.0 < self.sigma <= 1.0:
            raise TuningError(f"tune: sigma: expected a number above 0, at most 1, not {self.sigma!r}")
        if not self.players or not self.against:
            raise TuningError("tune: expected at least one number of players and one opponent")
        for n in self.players:
            SPEC.check_num_players(n)
        for spec in self.against:
            make_agent(spec)


@dataclass
class TuningRun:
    """A tuning run: its settings, first weights, and the fitness of each candidate by generation."""

    settings: Tuning
    start: dict[str, float]
    history: list[list[float]] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)  # the strategy's mean


LOW = np.array([weight.low for weight in TABLE])
SPAN = np.array([weight.high - weight.low for weight in TABLE])


def new_run(settings: Tuning) -> TuningRun:
    """A run that starts from the weights that ship for the largest number of players."""
    start = as_values(shipped_weights(max(settings.players)))
    return TuningRun(settings, start, [], dict(start))


def as_values(weights: np.ndarray) -> dict[str, float]:
    """Convert a weights array to a dict, rounded as in the file."""
    return {name: round(float(weights[name][0]), 4) for name in NAMES}


def tune(
    run: TuningRun,
    generations: int,
    after: Callable[[TuningRun], None] = lambda run: None,
    progress: Callable[[int], None] = lambda generations: None,
) -> TuningRun:
    """Continue a run, in place, up to `generations` generations in total; return the run.

    After each generation it calls `after` with the run, and `progress` with 1.
    """
    strategy = _strategy(run)
    for found in run.history:
        strategy.tell(strategy.ask(), [-fitness for fitness in found])
    for generation in range(len(run.history), generations):
        points = strategy.ask()
        found = [
            fitness(make_weights(_values(point)), run.settings, generation) for point in np.asarray(points)
        ]
        strategy.tell(points, [-one for one in found])
        run.history.append([round(one, 6) for one in found])
        run.weights = _values(strategy.result.xfavorite)
        after(run)
        progress(1)
    return run


def _strategy(run: TuningRun) -> Any:
    import cma

    rng = np.random.default_rng(run.settings.seed)
    start = (np.array([run.start[name] for name in NAMES]) - LOW) / SPAN
    options = {
        "popsize": run.settings.population,
        "bounds": [0.0, 1.0],
        "seed": math.nan,  # keeps `cma` from seeding the global generator; `randn` replaces it
        "randn": lambda *shape: rng.standard_normal(shape),
        "verbose": -9,
        "tolflatfitness": 1_000_000,
    }
    return cma.CMAEvolutionStrategy(np.clip(start, 0.02, 0.98), run.settings.sigma, options)


def _values(point: np.ndarray) -> dict[str, float]:
    values = LOW + SPAN * np.clip(point, 0.0, 1.0)
    return {name: round(float(value), 4) for name, value in zip(NAMES, values, strict=True)}


def fitness(weights: np.ndarray, settings: Tuning, generation: int) -> float:
    """Mean result of a weights array, 0 to 1: half from the win share, half from a sigmoid of the margin.

    0.5 means as strong as the opponents.
    """
    agent = HeuristicAgent()
    agent.weights = weights
    seed = int(hash63(settings.seed, generation, 3))
    means = []
    for n in settings.players:
        set_ups = [set_up_seed(seed, k) for k in range(-(-settings.games // n))]
        lineups = [seats for seats in rotations((0, *[1] * (n - 1))) for _ in set_ups]
        for spec in settings.against:
            results = play_games([agent, spec], lineups, set_ups * n, workers=1)
            means.append(_mean_result(results, n))
    return float(np.mean(means))


def _mean_result(results: Results, n: int) -> float:
    own = results.lineups == 0
    share = (results.shares * own).sum(1)
    totals = results.scores[..., TOTAL].astype(float)
    margin = (totals * own).sum(1) - np.where(own, -1e9, totals).max(1)
    even = share.mean() * n / (share.mean() * n + 1.0)  # the fair share 1 / n becomes 1/2
    smooth = (1.0 / (1.0 + np.exp(-2.0 * margin / MARGIN))).mean()
    return float((1.0 - MARGIN_SHARE) * even + MARGIN_SHARE * smooth)


# ---------------------------------------------------------------- the out file


def to_toml(run: TuningRun, command: str) -> str:
    """The out file: a weights file with the run's settings and history."""
    settings = "\n".join(f"{name} = {as_toml(value)}" for name, value in asdict(run.settings).items())
    start = "\n".join(f"{name} = {value!r}" for name, value in run.start.items())
    meaning = {weight.name: weight.meaning for weight in TABLE}
    weights = "\n".join(f"{name} = {value!r}  # {meaning[name]}" for name, value in run.weights.items())
    rows = "\n".join(f"  {as_toml(tuple(row))}," for row in run.history)
    return (
        f"# Weights of the agent `heuristic`, tuned by: {command}\n"
        f"# after {len(run.history)} generations.\n\n"
        f"[weights]\n{weights}\n\n"
        f"[tuning]\nformat = {FORMAT}\n{settings}\n"
        f"history = [  # fitness of every candidate, one row per generation\n{rows}\n]\n\n"
        f"[tuning.start]\n{start}\n"
    )


def read_run(path: Path) -> TuningRun:
    """Read the run in an out file; TuningError names the file and the fault."""
    try:
        table = read_toml(path, WEIGHTS_TABLE_BYTES, TuningError, str(path))
        tuning = table["tuning"]
        if tuning["format"] != FORMAT:
            raise TuningError(f"{path}: format {tuning['format']!r} is not known")
        given: dict[str, Any] = {one.name: tuning[one.name] for one in fields(Tuning)}
        for name in ("players", "against"):
            given[name] = tuple(given[name])
        settings = Tuning(**given)
        history = [[float(one) for one in row] for row in tuning["history"]]
        start, weights = as_values(make_weights(tuning["start"])), as_values(make_weights(table["weights"]))
        if not np.isfinite([one for row in history for one in row]).all():
            raise TuningError(f"{path}: tuning.history: holds numbers that are not finite")
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise TuningError(f"{path}: not an out file of `spacemission tune`: {error}") from error
    if any(len(row) != settings.population for row in history):
        raise TuningError(f"{path}: tuning.history: expected rows of {settings.population} numbers")
    return TuningRun(settings, start, history, weights)
