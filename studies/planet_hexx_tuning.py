"""Tunes the weights of Planet Hexx's `heuristic` by CMA-ES (arXiv:1604.00772, library `cma`).

    python -m studies.planet_hexx_tuning OUT.toml --generations 20 --players 2,3

The fitness of a candidate is its share of the wins against fixed opponents; 1/2 is an equal player. All
candidates of a generation play the same set-ups in all seats. OUT is written after each generation; play it
as heuristic:OUT.toml.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spacemission_agents.games.planet_hexx.heuristic.agent import (
    NAMES,
    TABLE,
    HeuristicAgent,
    make_weights,
    shipped_weights,
)
from spacemission_env.core.agents import Agent, make_agent
from spacemission_env.core.rng import hash63
from spacemission_env.games.planet_hexx.spec import SPEC
from studies.planet_hexx_games import play_out

LOW = np.array([weight.low for weight in TABLE])
SPAN = np.array([weight.high - weight.low for weight in TABLE])
SEEDS = 0x7E57  # separates seeds of generations from other numbers derived from the seed


@dataclass(frozen=True)
class Tuning:
    """Settings of a run.

    Attributes:
        population: candidates in a generation.
        games: games of a candidate in a generation, for each opponent and number of players.
        players: numbers of players.
        against: specs of the opponents; one fills all other seats of a game.
        sigma: first step size, as a share of each weight's range.
        seed: of the strategy and the set-ups.
    """

    population: int = 12
    games: int = 240
    players: tuple[int, ...] = (2,)
    against: tuple[str, ...] = ("greedy", "heuristic")
    sigma: float = 0.1
    seed: int = 0


def tune(settings: Tuning, generations: int, out: Path, command: str) -> None:
    """Run generations from the shipped weights; write the mean of the strategy after each."""
    import cma

    rng = np.random.default_rng(settings.seed)
    shipped = shipped_weights()
    start = (np.array([float(shipped[name][0]) for name in NAMES]) - LOW) / SPAN
    options = {
        "popsize": settings.population,
        "bounds": [0.0, 1.0],
        "seed": np.nan,  # `randn` gives all random numbers, not a global generator
        "randn": lambda *shape: rng.standard_normal(shape),
        "verbose": -9,
    }
    strategy = cma.CMAEvolutionStrategy(np.clip(start, 0.02, 0.98), settings.sigma, options)
    opponents = [make_agent(spec, SPEC) for spec in settings.against]
    for generation in range(generations):
        points = strategy.ask()
        told = [fitness(as_values(point), opponents, settings, generation) for point in points]
        strategy.tell(points, [-one for one in told])
        out.write_text(to_toml(as_values(strategy.result.xfavorite), command, generation + 1), "utf-8")
        print(f"{generation + 1:3}  mean {np.mean(told):.4f}  best {max(told):.4f}", flush=True)


def as_values(point: np.ndarray) -> dict[str, float]:
    """A point of the strategy as rounded weights."""
    values = LOW + SPAN * np.clip(point, 0.0, 1.0)
    return {name: round(float(value), 4) for name, value in zip(NAMES, values, strict=True)}


def fitness(values: dict[str, float], opponents: list[Agent], settings: Tuning, generation: int) -> float:
    """Mean share of the wins, scaled so that 1/2 is an equal player; a truncated game has no winner."""
    agent = HeuristicAgent()
    agent.weights = make_weights(values)
    seed = int(hash63(settings.seed, generation, SEEDS))
    means = []
    for n in settings.players:
        set_ups = [int(hash63(seed, k, n)) for k in range(-(-settings.games // n))]
        for opponent in opponents:
            games, lineups = play_out([agent, *[opponent] * (n - 1)], set_ups)
            share = float(((games.states["won"][:, :n] == 1) & (lineups == 0)).any(1).mean())
            means.append(share * (n - 1) / (share * (n - 2) + 1.0))
    return float(np.mean(means))


def to_toml(values: dict[str, float], command: str, generations: int) -> str:
    """A weights file with the command that made it."""
    meaning = {weight.name: weight.meaning for weight in TABLE}
    rows = [f"{name} = {value!r}  # {meaning[name]}" for name, value in values.items()]
    head = f"# Weights of the agent `heuristic` of Planet Hexx, tuned by:\n# {command}\n"
    return f"{head}# after {generations} generations.\n\n[weights]\n" + "\n".join(rows) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Tune the heuristic of Planet Hexx.")
    parser.add_argument("out", type=Path, help="the weights file")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--players", default="2", help="numbers of players, by comma")
    parser.add_argument("--against", default="greedy,heuristic", help="opponents, by comma")
    for name in ("population", "games", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Tuning, name))
    parser.add_argument("--sigma", type=float, default=Tuning.sigma)
    given = parser.parse_args(arguments)
    settings = Tuning(
        given.population,
        given.games,
        tuple(int(n) for n in given.players.split(",")),
        tuple(given.against.split(",")),
        given.sigma,
        given.seed,
    )
    shown = shlex.join(sys.argv[1:] if arguments is None else arguments)
    tune(
        settings, given.generations, given.out, f"python -m {__spec__.name if __spec__ else __name__} {shown}"
    )


if __name__ == "__main__":
    main()
