"""Measures when in a game the winner is decided, and how much of that the shared value predicts.

`python -m studies.decided_when --games 600`

The study plays two-player games of `policy:scratch` against itself. From some points of each game it plays
two endings with hidden information drawn anew: only the order of the draw pile, or also the unseen tiles. The
variance that two endings share was decided before the point, and a perfect value would predict it. Both seats
play deterministically, so the other variance is chance, which AIVAT could remove.
"""

from __future__ import annotations

import argparse

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.afterstates import (
    evaluate_moves,
    new_network,
    new_scratch,
    win_shares,
)
from spacemission_agents.games.space_mission.value.chance_correction import exchange_tiles, order_pile
from spacemission_agents.games.space_mission.value.shared_network import (
    begin_values,
    new_value,
    shipped_weights,
    value_of,
)
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.constants import NO_ORDER, RUNNING
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.rng import below, seed_rng
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.state import STATE

POINTS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)  # of the decisions of a game
LONGEST = 3000  # decisions
ENDINGS = 2


@njit
def move_on(s, t, net, scratch):
    """Make the move after which the value is highest."""
    write_mask(s, t, s.player, scratch.mask)
    count = evaluate_moves(s, t, scratch.mask, net, scratch)
    apply(s, t, scratch.actions[np.argmax(scratch.logits[:count])], NO_ORDER)


@njit
def play_and_replay(t, seeds, points, net, scratch, value, dice, kept, won, told, again):
    """Play games of two from their seeds and write, of seat 0, what it won in each; at each of the points
    what the value told, and what it won in endings with other cards, and with other cards and tiles.

    `kept`: states (LONGEST + 1,), scratch. `again`: (games, points, 2, ENDINGS).
    """
    shares = scratch.shares
    for g in range(len(seeds)):
        s = kept[0]
        deal(s, t, 2, seeds[g])
        length = 0
        while kept[length].over == RUNNING and length < LONGEST - 1:
            kept[length + 1] = kept[length]
            length += 1
            move_on(kept[length], t, net, scratch)
        win_shares(kept[length], t, scratch.scores, shares)
        won[g] = shares[0]
        for i in range(len(points)):
            origin = int(points[i] * length)
            begin_values(kept[origin], t, value)
            value_of(kept[origin], t, value, shares)
            told[g, i] = shares[0]
            for tiles in range(2):
                for ending in range(ENDINGS):
                    kept[LONGEST] = kept[origin]
                    w = kept[LONGEST]
                    if tiles:
                        exchange_tiles(w, dice)
                    order_pile(w, below(dice, max(1, int(w.draw_size))), dice)
                    while w.over == RUNNING:
                        move_on(w, t, net, scratch)
                    win_shares(w, t, scratch.scores, shares)
                    again[g, i, tiles, ending] = shares[0]


def decided(endings: np.ndarray) -> float:
    """The share of the variance that two endings (games, 2) of a point have in common."""
    away = endings - endings.mean()
    return float((away[:, 0] * away[:, 1]).mean() / (away**2).mean())


def measure(games: int, seed: int) -> list[tuple[float, float, float, float]]:
    """At each point: the point; decided but for the cards; but for cards and tiles; told by the value."""
    spec = find_game("space_mission")
    parameters = spec.make_parameters(spec.load_components(None), spec.make_rules(None))
    kept, dice = np.zeros(LONGEST + 1, STATE), np.zeros(1, STATE)
    seed_rng(dice[0], seed)
    seeds = np.random.default_rng(seed).integers(2**62, size=games)
    net, value = new_network(PolicyAgent("scratch").arrays), new_value(shipped_weights())
    won, told = np.zeros(games), np.zeros((games, len(POINTS)))
    again = np.zeros((games, len(POINTS), 2, ENDINGS))
    points = np.array(POINTS)
    play_and_replay(parameters[0], seeds, points, net, new_scratch(), value, dice[0], kept, won, told, again)
    left = ((told - won[:, None]) ** 2).mean(0) / won.var()
    return [
        (point, decided(again[:, i, 0]), decided(again[:, i, 1]), float(1 - left[i]))
        for i, point in enumerate(POINTS)
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| point of the game | decided, cards drawn anew | cards and unseen tiles | the value tells |")
    print("| --- | --- | --- | --- |")
    for row in measure(given.games, given.seed):
        print("| " + " | ".join(f"{100 * share:.0f} %" for share in row) + " |")


if __name__ == "__main__":
    main()
