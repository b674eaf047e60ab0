"""Samples possible worlds of a seat, more often those that fit the play of others.

A world is a determinization: a state that the seat cannot tell from the true one. `determinize` deals evenly,
but real opponents keep useful cards and take the best tiles. Therefore worlds are resampled with
probabilities that grow with the value of the world for the others (importance resampling; Rubin 1988). `TILT`
is close to the exponent for which true worlds are likeliest (studies/notes/search.md).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.afterstates.network import begin_sums, read_move, write_logits
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.afterstates import BEST, RATINGS, write_features
from spacemission_env.core.rng import hash63, seed_rng, shuffle
from spacemission_env.games.space_mission.engine.constants import ACTION
from spacemission_env.games.space_mission.engine.determinize import determinize

TILT = 1.75  # logits of a world's probability for each logit of the others' shares of the win
DEALT = 256  # even worlds to resample from, for each decision
# Streams for the seeds of worlds, the choice of a world, later draws in it.
DEAL, CHOICE, CHANCE = 0xDEA, 0xC40, 0x10C


@njit
def standing(s, t, seat, net, scratch):
    """The logit of a seat's share of the win in a world, at the end of its turn or during it.

    `net`: `Network`; `scratch`: `afterstates.moves.Scratch`.
    """
    scratch.tried[0] = s
    w = scratch.tried[0]
    if w.player != seat or w.actions_left >= t.actions_per_turn:
        w.player, w.actions_left = seat, 0
    w.phase = ACTION
    write_features(w, t, seat, 0, scratch, net.features[0])
    if net.reads_ratings:  # the move that led here is unknown: assume the best rating
        net.features[0, RATINGS + BEST] = 1
    begin_sums(net, net.features[0])
    read_move(net, 0)
    write_logits(net, 1, scratch.logits)
    return scratch.logits[0]


@njit
def weigh_worlds(origin, t, key, net, scratch, world, dealt, cumulative):
    """Sample possible worlds of the seat to act and write their probabilities.

    `origin`: any possible world; `dealt`: out, the seeds of the worlds; `cumulative`: out, their cumulative
    probabilities; `world`: states (1,), scratch memory.
    """
    seat = int(origin.player)
    for i in range(len(dealt)):
        dealt[i] = hash63(key, i, DEAL)
        determinize(origin, t, seat, 1, dealt[i], world)
        cumulative[i] = 0.0
        for j in range(origin.num_players):
            if j != seat:
                cumulative[i] += TILT * standing(world[0], t, j, net, scratch)
    cumulative[:] = np.exp(cumulative - cumulative.max()).cumsum()
    cumulative /= cumulative[-1]


@njit
def likely_world(origin, t, key, dealt, cumulative, world):
    """Draw one of these worlds into `world`, states (1,), with new random numbers."""
    uniform = (hash63(key, 0, CHOICE) & 0xFFFFFFFF) * 2.0**-32
    i = min(np.searchsorted(cumulative, uniform, side="right"), len(cumulative) - 1)
    determinize(origin, t, int(origin.player), 1, dealt[i], world)
    s = world[0]
    seed_rng(s, hash63(key, 0, CHANCE))
    shuffle(s, s.draw, s.draw_size)
