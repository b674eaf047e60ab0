"""Measures how well the opponents' standing tells the true world from sampled worlds (`worlds.TILT`).

`python -m studies.likely_worlds --players 2` takes positions from games of `policy:scratch` against itself.
For several tilts it prints the mean log probability of the true world among `WORLDS` uniformly sampled
worlds, relative to a uniform distribution.
"""

from __future__ import annotations

import argparse

import numpy as np

from spacemission_agents.games.space_mission.value.afterstates import new_network, new_scratch
from spacemission_agents.games.space_mission.value.worlds import standing
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone
from spacemission_env.games.space_mission.game import Game

WORLDS = 32
EVERY = 5  # so many decisions lie between two positions
TILTS = (0.5, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5)


def standings(players: int, games: int, agent: PolicyAgent) -> np.ndarray:
    """The others' logits, summed: of the true world, then of even ones; float64 (positions, 1 + WORLDS)."""
    network, scratch = new_network(agent.arrays), new_scratch()

    def others(world: Game, seat: int) -> float:
        rivals = [j for j in range(players) if j != seat]
        return sum(standing(world.states[0], world.t, j, network, scratch) for j in rivals)

    rows = []
    for seed in range(games):
        game = Game(players)
        game.reset(seed)
        while not game.over:
            if int(game.states[0]["decisions"]) % EVERY == seed % EVERY:
                seat = game.player
                worlds = [game.determinize(seat, 1000 * seed + i) for i in range(WORLDS)]
                rows.append([others(world, seat) for world in (game, *worlds)])
            game.step(int(act_alone(agent, game.ask())[0]))
    return np.array(rows)


def gain(told: np.ndarray, tilt: float) -> float:
    """Mean logarithm of the true world's probability, above that of even ones."""
    probabilities = np.exp(tilt * (told - told.max(1, keepdims=True)))
    return float(np.log(probabilities[:, 0] / probabilities.mean(1)).mean())


def main() -> None:
    """Print how much better the others stand in true worlds, and the gain for each tilt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--model", default="scratch")
    given = parser.parse_args()
    told = standings(given.players, given.games, PolicyAgent(given.model))
    more = told[:, 0] - told[:, 1:].mean(1)
    print(f"{len(told)} positions; the others stand {more.mean():.3f} logits better in the true world")
    for tilt in TILTS:
        print(f"tilt {tilt}: {gain(told, tilt):.3f}")


if __name__ == "__main__":
    main()
