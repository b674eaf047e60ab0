"""Draws worlds that a seat holds possible, those that fit the others' play more often.

A world is a determinization: a state that the seat cannot tell from the true one. `determinize` deals evenly,
but real opponents keep the cards that serve them and take the best tiles. So even worlds are drawn with
probabilities that grow with what the value says of the others there (importance resampling; Rubin 1988).
`TILT`, how much they grow, is about where true worlds are likeliest among even ones (`python -m
studies.likely_worlds`).
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

TILT = 1.75  # logits of the probability of a world, for each logit of the others' shares of the win there
DEALT = 256  # even worlds that a decision's are drawn from
DEAL, CHOICE, CHANCE = 0xDEA, 0xC40, 0x10C  # streams: seeds of worlds, which is drawn, what is drawn there


@njit
def standing(s, t, seat, net, scratch):
    """The logit of the share of the win that a seat gives itself in a world, as if its turn had just ended.

    In the middle of its own turn, as it is. `net`: `Network`; `scratch`: `moves.Scratch`.
    """
    scratch.tried[0] = s
    w = scratch.tried[0]
    if w.player != seat or w.actions_left >= t.actions_per_turn:
        w.player, w.actions_left = seat, 0
    w.phase = ACTION
    observe_compact(w, t, seat, 1, scratch.seen[0], scratch.means)
    write_features(scratch.seen[0], t, int(s.num_players), 0, net.features[0])
    if net.reads_ratings:  # the move that led here is not known: as the best that was rated
        net.features[0, RATINGS + BEST] = 1
    begin_sums(net, net.features[0])
    read_move(net, 0)
    write_logits(net, 1, scratch.logits)
    return scratch.logits[0]


@njit
def weigh_worlds(origin, t, key, net, scratch, world, dealt, cumulative):
    """Deal worlds that the seat to act holds possible, and write how likely each is.

    `origin`: any of them; `dealt`: out, the seeds that they are dealt by; `cumulative`: out, their cumulated
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
    """Draw one of these worlds into `world`, states (1,), with chance of its own from then on."""
    uniform = (hash63(key, 0, CHOICE) & 0xFFFFFFFF) * 2.0**-32
    i = min(np.searchsorted(cumulative, uniform, side="right"), len(cumulative) - 1)
    determinize(origin, t, int(origin.player), 1, dealt[i], world)
    s = world[0]
    seed_rng(s, hash63(key, 0, CHANCE))
    shuffle(s, s.draw, s.draw_size)
