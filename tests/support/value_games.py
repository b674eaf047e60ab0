"""Games for learning: single-thread parts, and the definition of TD(lambda)."""

from collections.abc import Callable

import numpy as np

from spacemission_train.self_play import MOST_MOVES, PARTS, Part, Rates
from tests.support.afterstates import random_network
from tests.support.small_runs import tiny


def games_of(
    players: int,
    rules: str,
    *,
    games: int = 1,
    kept: int = 5000,
    seed: int = 3,
    lam: float = 1.0,
    gamma: float = 1.0,
    random: float = 0.0,
    temperature: float = 0.02,
    most: int = MOST_MOVES,
    opponents: str = "latest=1",
) -> tuple[Part, Callable[[int], int]]:
    """Games for a value network with random weights, and a function that plays a number of steps."""
    settings = tiny("scratch", players=players, rules=rules, opponents=opponents, envs=PARTS * games)
    part = Part(settings, seed)
    part.memory = part.memory._replace(x=part.memory.x[:kept], y=part.memory.y[:kept])
    net, numbers = random_network(2), np.array([players], np.int64)
    rates = Rates(temperature, random, lam, gamma, most=most)
    return part, lambda steps: part.play(net, numbers, steps, rates)


def forward_view(
    values: list[float],
    cuts: list[bool],
    outcome: float,
    lam: float,
    gamma: float = 1.0,
    rounds: list[int] | None = None,
    potentials: list[float] | None = None,
) -> list[float]:
    """TD(lambda) as a mean of all n-step returns of one seat's positions (Sutton 1988). Each return ends at
    the latest before a random move (Watkins 1989). With each round it is discounted towards the potential.
    """
    potentials, rounds = potentials or [0.0] * len(values), rounds or [0] * len(values)

    def discounted(first: int, last: int, worth: float) -> float:
        for k in range(last - 1, first - 1, -1):
            weight = gamma ** (rounds[k + 1] - rounds[k])
            worth = weight * worth + (1 - weight) * potentials[k]
        return worth

    targets = []
    for i in range(len(values)):
        later = values[i + 1 :]
        end, far = outcome, len(later)
        if True in cuts[i + 1 :]:
            steps = cuts[i + 1 :].index(True)
            later, end, far = later[:steps], later[steps], steps + 1
        returns = [discounted(i, i + m + 1, v) for m, v in enumerate(later)]
        weights = [(1 - lam) * lam**m for m in range(len(later))]
        last = lam ** len(later) * discounted(i, i + far, end)
        targets.append(sum(w * v for w, v in zip(weights, returns, strict=True)) + last)
    return targets
