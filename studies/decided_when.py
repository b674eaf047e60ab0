"""How much of who wins is decided at which point of a game, and how much of that the value of luck tells.

`python -m studies.decided_when --games 600`

Games of `policy:scratch` against itself with two players. From some points of each it plays on twice, with
what is hidden drawn anew: the order of the draw pile alone, or the tiles that nobody has seen too. What two
such endings have in common was decided before: a perfect value would tell it. Both seats play by what they
know, without chance of their own, so all that is not decided yet is luck that AIVAT could take out.
"""

from __future__ import annotations

import argparse

import numpy as np

from spacemission_agents.games.space_mission.value.chance_correction import exchange_tiles, order_pile
from spacemission_agents.games.space_mission.value.moves import judge_moves, new_room
from spacemission_agents.games.space_mission.value.network import new_network
from spacemission_agents.games.space_mission.value.rollouts import share_won
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
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT, MAX_PLAYERS, SCORES
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply, deal
from spacemission_env.games.space_mission.engine.state import STATE
from spacemission_train.games.space_mission.views import njit

POINTS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)  # of the decisions of a game
LONGEST = 3000  # decisions
ENDINGS = 2


@njit
def move_on(s, t, net, room, mask, actions, logits):
    """The move behind which the value of afterstates sees most."""
    write_mask(s, t, s.player, mask)
    count = judge_moves(s, t, mask, net, room, actions, logits)
    apply(s, t, actions[np.argmax(logits[:count])], NO_ORDER)


@njit
def play_and_replay(t, seeds, points, net, room, value, dice, kept, won, told, again):
    """Play games of two from their seeds and write, of seat 0, what it won in each; at each of the points
    what the value told, and what it won in endings with other cards, and with other cards and tiles.

    `kept`: states (LONGEST + 1,), scratch. `again`: (games, points, 2, ENDINGS).
    """
    mask = np.zeros(ACTION_COUNT, np.int8)
    actions, logits = np.zeros(ACTION_COUNT, np.int64), np.zeros(ACTION_COUNT)
    scores, shares = np.zeros((MAX_PLAYERS, SCORES), np.int64), np.zeros(MAX_PLAYERS)
    for g in range(len(seeds)):
        s = kept[0]
        deal(s, t, 2, seeds[g])
        length = 0
        while kept[length].over == RUNNING and length < LONGEST - 1:
            kept[length + 1] = kept[length]
            length += 1
            move_on(kept[length], t, net, room, mask, actions, logits)
        won[g] = share_won(kept[length], t, 0, scores)
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
                        move_on(w, t, net, room, mask, actions, logits)
                    again[g, i, tiles, ending] = share_won(w, t, 0, scores)


def decided(endings: np.ndarray) -> float:
    """The share of the variance that endings (games, 2) of the same point have in common."""
    away = endings - endings.mean()
    return float((away[:, 0] * away[:, 1]).mean() / (away**2).mean())


def measure(games: int, seed: int) -> list[tuple[float, float, float, float]]:
    """At each point: the point; decided but for the cards; but for cards and tiles; told by the value."""
    spec = find_game("space_mission")
    boxes = spec.make_box(spec.load_components(None), spec.make_rules(None))
    kept, dice = np.zeros(LONGEST + 1, STATE), np.zeros(1, STATE)
    seed_rng(dice[0], seed)
    seeds = np.random.default_rng(seed).integers(2**62, size=games)
    net, value = new_network(PolicyAgent("scratch").arrays), new_value(shipped_weights())
    won, told = np.zeros(games), np.zeros((games, len(POINTS)))
    again = np.zeros((games, len(POINTS), 2, ENDINGS))
    points = np.array(POINTS)
    play_and_replay(boxes[0], seeds, points, net, new_room(), value, dice[0], kept, won, told, again)
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
