"""Tunes the weights of a game's `heuristic` by CMA-ES (arXiv:1604.00772, library `cma`).

    python -m studies.tuning planet_hexx OUT.toml --generations 20 --players 2,3

A candidate's fitness comes from its win share against fixed opponents, in Space Mission half from its margin
too; 1/2 is an equal player. All candidates of a generation play the same set-ups in all seats. OUT is written
after each generation; play it as heuristic:OUT.toml.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spacemission_agents.arena.play import Results, play_games
from spacemission_agents.arena.schedule import rotations, set_up_seed
from spacemission_agents.games.planet_hexx.heuristic import agent as planet_hexx
from spacemission_agents.games.space_mission.heuristic import agent as space_mission
from spacemission_agents.games.space_mission.heuristic import weights as space_mission_weights
from spacemission_agents.weights import replace_weights
from spacemission_env.core.agents import Agent, make_agent
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine.constants import TOTAL

AGENTS = {"space_mission": space_mission.HeuristicAgent, "planet_hexx": planet_hexx.HeuristicAgent}
SMALLEST = 0.2  # a weight moves in steps of its shipped size, or of this one if that is larger
MARGIN = 15.0  # in Space Mission a margin of this many points counts like most of a win


@dataclass(frozen=True)
class Tuning:
    """Settings of a run.

    Attributes:
        game: name of the game.
        population: candidates in a generation.
        games: games of a candidate in a generation, for each opponent and number of players.
        players: numbers of players.
        against: specs of the opponents; one fills all other seats of a game.
        sigma: first step size, as a share of each weight's size.
        seed: of the strategy and the set-ups.
    """

    game: str
    population: int = 14
    games: int = 100
    players: tuple[int, ...] = (2,)
    against: tuple[str, ...] = ("greedy", "heuristic")
    sigma: float = 0.3
    seed: int = 0


def tune(settings: Tuning, generations: int, out: Path, command: str) -> None:
    """Run generations from the shipped weights; write the mean of the strategy after each."""
    import cma

    shipped, rng = shipped_weights(settings), np.random.default_rng(settings.seed)
    start = np.array(shipped[0].tolist())
    size = np.maximum(np.abs(start), SMALLEST)
    options = {
        "popsize": settings.population,
        "seed": np.nan,  # `randn` gives all random numbers, not a global generator
        "randn": lambda *shape: rng.standard_normal(shape),
        "verbose": -9,
    }
    strategy = cma.CMAEvolutionStrategy(start / size, settings.sigma, options)

    def values(point: np.ndarray) -> dict[str, float]:
        found = (size * point).tolist()
        return {name: round(value, 4) for name, value in zip(shipped.dtype.names or (), found, strict=True)}

    for generation in range(generations):
        points = strategy.ask()
        found = [fitness(replace_weights(shipped, values(point)), settings, generation) for point in points]
        strategy.tell(points, [-one for one in found])
        text = to_toml(values(strategy.result.xfavorite), command, generation + 1)
        out.write_text(text, "utf-8")
        print(f"{generation + 1:3}  mean {np.mean(found):.4f}  best {max(found):.4f}", flush=True)


def shipped_weights(settings: Tuning) -> np.ndarray:
    """The weights that ship (1,), in Space Mission for the largest number of players."""
    if settings.game == "space_mission":
        for_two, for_more = np.split(space_mission_weights.shipped_weights(), 2)
        return for_two if max(settings.players) == 2 else for_more
    return planet_hexx.shipped_weights()


def fitness(weights: np.ndarray, settings: Tuning, generation: int) -> float:
    """Mean result of a weights array against the opponents, 0 to 1."""
    agent: Agent = AGENTS[settings.game]()
    agent.weights = weights  # type: ignore[attr-defined]
    seed = int(hash63(settings.seed, generation, 3))
    means = []
    for n in settings.players:
        set_ups = [set_up_seed(seed, k) for k in range(-(-settings.games // n))]
        lineups = [seats for seats in rotations((0, *[1] * (n - 1))) for _ in set_ups]
        for spec in settings.against:
            opponent = make_agent(spec, settings.game)
            results = play_games([agent, opponent], lineups, set_ups * n, game=settings.game)
            means.append(_mean_result(results, settings.game))
    return float(np.mean(means))


def _mean_result(results: Results, game: str) -> float:
    own, n = results.lineups == 0, results.lineups.shape[1]
    share = float((results.shares * own).sum(1).mean())
    even = share * (n - 1) / (share * (n - 2) + 1.0)  # the fair share 1 / n becomes 1/2
    if game != "space_mission":
        return even
    totals = results.scores[..., TOTAL].astype(float)
    margin = (totals * own).sum(1) - np.where(own, -1e9, totals).max(1)
    return float((even + (1.0 / (1.0 + np.exp(-2.0 * margin / MARGIN))).mean()) / 2)


def to_toml(values: dict[str, float], command: str, generations: int) -> str:
    """A weights file with the command that made it."""
    rows = [f"{name} = {value!r}" for name, value in values.items()]
    head = f"# Weights of the agent `heuristic`, tuned by:\n# {command}\n# after {generations} generations."
    return f"{head}\n\n[weights]\n" + "\n".join(rows) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Tune the heuristic of a game.")
    parser.add_argument("game", choices=AGENTS)
    parser.add_argument("out", type=Path, help="the weights file")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--players", default="2", help="numbers of players, by comma")
    parser.add_argument("--against", default="greedy,heuristic", help="opponents, by comma")
    for name in ("population", "games", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Tuning, name))
    parser.add_argument("--sigma", type=float, default=Tuning.sigma)
    given = parser.parse_args(arguments)
    settings = Tuning(
        given.game,
        given.population,
        given.games,
        tuple(int(n) for n in given.players.split(",")),
        tuple(given.against.split(",")),
        given.sigma,
        given.seed,
    )
    shown = shlex.join(sys.argv[1:] if arguments is None else arguments)
    tune(settings, given.generations, given.out, f"python -m studies.tuning {shown}")


if __name__ == "__main__":
    main()
