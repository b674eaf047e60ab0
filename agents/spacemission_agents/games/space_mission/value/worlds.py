"""Worlds that a seat holds possible, those that fit the others' play more often.

A world is dealt evenly: all hands and tiles that the seat cannot rule out are equally likely. Real games are
not so: the others keep the cards that serve them and take the best tiles, so that in the true world they
stand better than in most even ones. How well a seat stands there, the value tells that it would play by.
So even worlds are dealt, and drawn from these with odds that grow with what the value says of the others
there (importance resampling; Rubin 1988). How much they grow, `TILT`, is about where true worlds of games of
the value against itself are likeliest among even ones (tests/agents/measure_worlds.py).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.features import BEST, RATINGS, write_features
from spacemission_agents.games.space_mission.value.network import begin_sums, read_move, write_logits
from spacemission_env.core.rng import hash63, seed_rng, shuffle
from spacemission_env.games.space_mission.engine.constants import ACTION
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.observe import observe_compact

TILT = 1.75  # logits of the odds of a world, for each logit of the others' shares of the win there
DEALT = 256  # even worlds that a decision's are drawn from
DEAL, CHOICE, LUCK = 0xDEA, 0xC40, 0x10C  # streams: seeds of worlds, which is drawn, what is drawn there


@njit
def standing(s, t, seat, net, room, logits):
    """The logit of the share of the win that a seat gives itself in a world, as if its turn had just ended.

    In the middle of its own turn, as it is.

    Args:
        s: the world.
        t: the box.
        seat: whose.
        net: `Network`, whose scratch is written.
        room: `judge.new_room`.
        logits: scratch, float64 (1 or more,).
    """
    tried, seen, means, _ = room
    tried[0] = s
    w = tried[0]
    if w.player != seat or w.actions_left >= t.actions_per_turn:
        w.player, w.actions_left = seat, 0
    w.phase = ACTION
    observe_compact(w, t, seat, 1, seen[0], means)
    write_features(seen[0], t, int(s.num_players), 0, net.features[0])
    if net.reads_ratings:  # the move that led here is not known: as the best that was rated
        net.features[0, RATINGS + BEST] = 1
    begin_sums(net, net.features[0])
    read_move(net, 0)
    write_logits(net, 1, logits)
    return logits[0]


@njit
def weigh_worlds(origin, t, key, net, room, world, logits, dealt, odds):
    """Deal worlds that the seat to act holds possible, and write how likely each is.

    Args:
        origin: any world that the seat to act cannot tell from the true one.
        t: the box.
        key: of all chance in it.
        net: `Network`.
        room: `judge.new_room`.
        world: states (1,), scratch.
        logits: scratch, float64 (1 or more,).
        dealt: out, the seeds that the worlds are dealt by, int64 (n,).
        odds: out, float64 (n,): of each world and all before it; 1 in the end.
    """
    seat = int(origin.player)
    for i in range(len(dealt)):
        dealt[i] = hash63(key, i, DEAL)
        determinize(origin, t, seat, 1, dealt[i], world)
        odds[i] = 0.0
        for j in range(origin.num_players):
            if j != seat:
                odds[i] += TILT * standing(world[0], t, j, net, room, logits)
    odds[:] = np.exp(odds - odds.max()).cumsum()
    odds /= odds[-1]


@njit
def likely_world(origin, t, key, dealt, odds, world):
    """Draw one of these worlds by their odds, with luck of its own, into `world`, states (1,)."""
    uniform = (hash63(key, 0, CHOICE) & 0xFFFFFFFF) * 2.0**-32
    i = min(np.searchsorted(odds, uniform, side="right"), len(odds) - 1)
    determinize(origin, t, int(origin.player), 1, dealt[i], world)
    s = world[0]
    seed_rng(s, hash63(key, 0, LUCK))
    shuffle(s, s.draw, s.draw_size)
