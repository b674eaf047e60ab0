"""Measures how well simulations of `rollouts` separate moves, by the length of the simulations.

`python -m studies.search_rollouts --positions 200` takes positions from two-player games of `policy:scratch`
against itself in which several moves have values within `NEAR` of the best. It plays each of these moves to
the end of the game in the same likely worlds. It prints standard deviations of the difference of two moves:
in one world, and of the error of its mean. It also prints how much of the final difference a mean over some
worlds explains, by λ-returns for each of `LAMBDAS`; the value before the move counts as `PRIOR` simulations.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import count

import numpy as np

from spacemission_agents.games.space_mission.value.afterstates import evaluate_moves, new_network, new_scratch
from spacemission_agents.games.space_mission.value.rollouts import PRIOR, roll_out
from spacemission_agents.games.space_mission.value.worlds import DEALT, likely_world, weigh_worlds
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import act_alone
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game

NEAR, MOST = 0.06, 6
EVERY = 14  # so many decisions lie between two positions
TURNS = 5  # that are looked at
TO_THE_END = 60  # more turns than a game has
MEANS = (8, 14, 31, 57, 114)  # worlds: the last two of eight moves get 14 of 50 simulations
LAMBDAS = (0.5, 0.65, 0.8, 1.0)
FIRST, END = 0, TURNS + 1  # columns: what the value said beforehand, of each turn, the end


def positions(agent: PolicyAgent, first: int) -> Iterator[Game]:
    """Positions of games of the agent against itself, without end."""
    for seed in count(first):
        game = Game(2)
        game.reset(seed)
        while not game.over:
            if int(game.states[0]["decisions"]) % EVERY == 5 * seed % EVERY:
                yield game
            game.step(int(act_alone(agent, game.ask())[0]))


class Simulator:
    """Plays moves on with one agent's value."""

    def __init__(self, agent: PolicyAgent, worlds: int) -> None:
        self.agent, self.worlds = agent, worlds
        self._net, self._scratch, self._world = new_network(agent.arrays), new_scratch(), np.zeros(2, STATE)

    def told(self, game: Game, key: int) -> np.ndarray | None:
        """What is told of moves near the best: float64 (moves, worlds, columns); None where there is one."""
        origin, t, world = game.states[0], game.t, self._world
        net, scratch = self._net, self._scratch
        n = evaluate_moves(origin, t, game.mask(), net, scratch)
        shares = 1 / (1 + np.exp(-scratch.logits[:n]))
        order = [i for i in np.argsort(-shares)[:MOST] if shares[i] > shares.max() - NEAR]
        if len(order) < 2:
            return None
        moves, out = scratch.actions[order], np.zeros((len(order), self.worlds, TURNS + 2))
        out[:, :, FIRST] = shares[order][:, None]
        dealt, cumulative, turns = np.zeros(DEALT, np.int64), np.zeros(DEALT), np.zeros(TO_THE_END)
        weigh_worlds(origin, t, key, net, scratch, world, dealt, cumulative)
        for w in range(self.worlds):
            likely_world(origin, t, key + w, dealt, cumulative, world)
            for i, move in enumerate(moves):
                world[1] = world[0]
                roll_out(world[1:], t, int(move), net, scratch, turns)
                out[i, w, 1:END], out[i, w, END] = turns[:TURNS], turns[-1]
        return out


def spreads(told: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Of the differences of two moves: covariances of their means in endless worlds, and in one world."""
    means, singles = np.zeros((2, TURNS + 2, TURNS + 2))
    for values in told:
        moves, worlds, _ = values.shape
        centred = values - values.mean(0)
        mean = centred.mean(1)
        rest = centred - mean[:, None]
        single = np.einsum("iwa,iwb->ab", rest, rest) / (worlds - 1) / (moves - 1)
        means += mean.T @ mean / (moves - 1) - single / worlds
        singles += single
    return 2 * means / len(told), 2 * singles / len(told)


def weights(turns: int, part: float, worlds: int) -> np.ndarray:
    """How much each column counts in a mean of simulations that end after so many own turns."""
    by = np.zeros(TURNS + 2)
    by[FIRST] = PRIOR / worlds
    by[1 : turns + 1] = (1 - part) * part ** np.arange(turns)
    by[turns] = part ** (turns - 1)
    return by


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=160)
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--model", default="scratch")
    given = parser.parse_args()
    simulator = Simulator(PolicyAgent(given.model), given.worlds)
    told: list[np.ndarray] = []
    games = positions(simulator.agent, given.seed)
    while len(told) < given.positions:
        of_moves = simulator.told(next(games), given.worlds * len(told))
        told += [] if of_moves is None else [of_moves]
    means, singles = spreads(told)
    print(f"{len(told)} positions, {given.worlds} worlds; ends differ by {means[END, END] ** 0.5:.4f}")
    for turn in range(1, END):
        missed = means[turn, turn] - 2 * means[turn, END] + means[END, END]
        print(
            f"turn {turn}: {singles[turn, turn] ** 0.5:.3f} in one world, misses {max(0, missed) ** 0.5:.4f}"
        )
    for worlds in MEANS:
        for turns in range(1, END):
            line = []
            for part in LAMBDAS:
                by = weights(turns, part, worlds)
                line.append(by @ means[:, END] / (by @ (means + singles / worlds) @ by) ** 0.5)
            print(f"{worlds} worlds, {turns} turns:", *(f"{told_of_it:.4f}" for told_of_it in line))


if __name__ == "__main__":
    main()
