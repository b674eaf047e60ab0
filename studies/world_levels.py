"""Compares what sampled worlds say of a position with the value and with how the game ends.

`python -m studies.world_levels --games 100` plays two-player games of `policy:default` against itself. At one
decision in `EVERY` it plays the value's move to the end of the game in likely worlds and in even worlds. If
the worlds are right, the mean share of the win there is the mean share of the win of the real games.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from spacemission_agents.afterstates.network import share_of
from spacemission_agents.games.space_mission.value.afterstates import (
    evaluate_moves,
    new_network,
    new_scratch,
    win_shares,
)
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_env.games.space_mission.game import Game
from studies.override_audit import END, MODEL, PAIRS, mean_of, play_pairs

EVERY = 15
WORLDS = 16  # half likely, half even
STAGES = (0, 25, 50, 75, 1000)  # decisions of the game


def measure(games: int, seed: int) -> np.ndarray:
    """Rows of decision, value, mean in likely worlds, mean in even worlds, result, game."""
    assert WORLDS <= PAIRS
    net, scratch, world = new_network(PolicyAgent(MODEL).arrays), new_scratch(), np.zeros(2, STATE)
    rows = []
    for number in range(games):
        game = Game(2)
        game.reset(seed * 1_000_000 + number)
        told, decisions = [], 0
        while not game.over:
            s = game.states[0]
            count = evaluate_moves(s, game.t, game.mask(), net, scratch)
            best = int(np.argmax(scratch.logits[:count]))
            move, value = int(scratch.actions[best]), float(share_of(scratch.logits[best]))
            decisions += 1
            if decisions % EVERY == number % EVERY:
                results = np.zeros((1, WORLDS, 2), np.float32)
                key = int(hash63(int(s["seed"]), decisions, 1))
                play_pairs(s, game.t, np.array([move]), key, net, scratch, world, results)
                likely = np.arange(WORLDS) // 2 % 2 == 0
                ends = results[0, :, END]
                told.append((game.player, decisions, value, ends[likely].mean(), ends[~likely].mean()))
            game.step(move)
        win_shares(game.states[0], game.t, scratch.scores, scratch.shares)
        rows += [(*row, scratch.shares[seat], number) for seat, *row in told]
    return np.array(rows, float)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=3)
    given = parser.parse_args()
    rows = measure(given.games, given.seed)
    print(
        "| decisions | positions | game | value | likely worlds | even worlds | squared errors of the three |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for low, high in zip((0, *STAGES[:-1]), (STAGES[-1], *STAGES[1:]), strict=True):
        _, value, likely, even, result, games = rows[(rows[:, 0] >= low) & (rows[:, 0] < high)].T
        means = [mean_of(told, games) for told in (result, value - result, likely - result, even - result)]
        # the mean of n results misses its own expectation by p (1 - p) / (n - 1)
        noise = [0 * value, *(told * (1 - told) / (WORLDS / 2 - 1) for told in (likely, even))]
        errors = [
            ((told - result) ** 2 - own).mean()
            for told, own in zip((value, likely, even), noise, strict=True)
        ]
        squares = ", ".join(f"{error:.3f}" for error in errors)
        print(f"| {low} to {high} | {len(value)} | {' | '.join(means)} | {squares} |")
    print(f"{time.process_time():.0f} s")


if __name__ == "__main__":
    main()
