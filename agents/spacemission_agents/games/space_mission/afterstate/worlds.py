"""Worlds that a seat holds possible, those that fit the others' play more often.

A world is dealt evenly: all hands and tiles that the seat cannot rule out are equally likely. Real games are
not so: the others keep the cards that serve them and take the best tiles, so that in the true world they
stand better than in most even ones. How well a seat stands there, the value tells that it would play by.
So worlds are drawn with odds that grow with what the value says of the others there: `CANDIDATES` even ones,
of which one is chosen (importance resampling; Rubin 1988). How much they grow, `TILT`, is where true worlds
of games of the value against itself were likeliest among even ones (tests/agents/measure_worlds.py).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.afterstate.features import write_features
from spacemission_agents.games.space_mission.afterstate.network import begin_sums, read_move, write_logits
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine.constants import ACTION
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.observe import observe_compact

TILT = 1.75  # logits of the odds of a world, for each logit of the others' shares of the win there
CANDIDATES = 16
CANDIDATE, CHANCE = 0xCA, 0xC4  # streams: their seeds, which is chosen


@njit
def standing(s, t, seat, net, room, logits):
    """The logit of the share of the win that a seat would give itself in a world, as if its turn had just ended.

    Args:
        s: the world.
        t: the box.
        seat: whose.
        net: `Network`, whose scratch is written.
        room: `judge.new_room`.
        logits: scratch, float64 (1 or more,).
    """
    tried, seen, means = room
    tried[0] = s
    w = tried[0]
    if w.player != seat or w.actions_left >= t.actions_per_turn:
        w.player, w.actions_left = seat, 0
    w.phase = ACTION
    observe_compact(w, t, seat, 1, seen[0], means)
    write_features(seen[0], t, int(s.num_players), 0, net.features[0])
    begin_sums(net, net.features[0])
    read_move(net, 0)
    write_logits(net, 1, logits)
    return logits[0]


@njit
def likely_seed(origin, t, seed, net, room, world, logits):
    """The seed of a world that the seat to act holds possible, drawn by how well the others stand there.

    Args:
        origin: any world that the seat to act cannot tell from the true one.
        t: the box.
        seed: of the draw.
        net, room, logits: as of `standing`.
        world: states (1,), scratch.
    """
    seat = int(origin.player)
    chosen = np.int64(0)
    most = -np.inf
    for i in range(CANDIDATES):
        candidate = hash63(seed, i, CANDIDATE)
        determinize(origin, t, seat, 1, candidate, world)
        odds = 0.0
        for j in range(origin.num_players):
            if j != seat:
                odds += TILT * standing(world[0], t, j, net, room, logits)
        # The largest sum with such noise is drawn by the odds (Gumbel 1954).
        uniform = ((hash63(candidate, 0, CHANCE) & 0xFFFFFFFF) + 0.5) * 2.0**-32
        odds -= np.log(-np.log(uniform))
        if odds > most:
            chosen, most = candidate, odds
    return chosen
