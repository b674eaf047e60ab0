"""What the moves of one decision are worth."""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.afterstate.features import FEATURES, write_features
from spacemission_agents.games.space_mission.afterstate.moves import begin_move
from spacemission_agents.games.space_mission.afterstate.network import JOINED, POOLED, begin_sums, new_sums, read_move, write_logits
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.engine.layout import COMPACT, OBSERVATION
from spacemission_env.games.space_mission.engine.observe import observe_compact
from spacemission_env.games.space_mission.engine.state import STATE


def new_room():
    """Scratch for `judge_moves`: a game, the compact observation, means, features of moves, sums, layers."""
    return (
        np.zeros(1, STATE),
        np.zeros(1, COMPACT),
        np.zeros(1, OBSERVATION),
        np.zeros((ACTION_COUNT, FEATURES), np.uint8),
        new_sums(),
        np.zeros((ACTION_COUNT, POOLED), np.float32),
        np.zeros((ACTION_COUNT, JOINED), np.float32),
    )


@njit
def judge_moves(s, t, mask, net, room, actions, logits):
    """Write the legal moves and the logits of what they are worth to the seat to act; returns how many.

    Args:
        s: the game, or any world that the seat cannot tell from it.
        t: the box.
        mask: legal moves.
        net: `compiled_form`.
        room: `new_room`; `room[3][i]` are the features behind move i afterwards.
        actions, logits: out, (ACTION_COUNT,).
    """
    seat = int(s.player)
    n = int(s.num_players)
    count = 0
    for action in range(ACTION_COUNT):
        if mask[action]:
            room[0][0] = s
            pending = begin_move(room[0][0], t, action)
            observe_compact(room[0][0], t, seat, 1, room[1][0], room[2])
            x = room[3][count]
            write_features(room[1][0], t, n, pending, x)
            if count == 0:
                begin_sums(net, x, room[4])
            actions[count] = action
            read_move(net, x, room[4], room[5][count])
            count += 1
    write_logits(net, room[5], count, room[6], logits)
    return count
