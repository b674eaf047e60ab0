"""Truncated rollouts (Tesauro and Galperin 1996): the best moves are played on in worlds that the seat holds possible.

Each simulation draws a world, makes one of the moves, lets every seat play the move that the value likes best there, up
to the own decision some turns later, and asks the value what that is worth. Moves are compared in the same worlds, with
the same luck; by sequential halving (Karnin, Koren and Somekh 2013) the worse half is dropped after each round. What
the value said of a move beforehand counts as `PRIOR` simulations.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.afterstate.judge import judge_moves, share_of
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_env.core.constants import NO_ORDER, RUNNING
from spacemission_env.core.rng import hash63, next32
from spacemission_env.games.space_mission.engine.constants import (
    ACTION,
    ACTION_COUNT,
    JUMP,
    MAX_PLAYERS,
    SCORES,
    TOP_UP,
)
from spacemission_env.games.space_mission.engine.determinize import determinize
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.scoring import rank_number, score

CONSIDERED = 8  # moves that are tried, the best by their values
PRIOR = 8.0
LEFT_OUT = 0.7  # of the top-ups that discard, in the decisions of a simulation
TURNS = 1  # own turns later that a simulation ends


@njit
def leave_out_some(s, mask):
    """Leave most top-ups out of a decision, to save time; the random numbers are the world's own."""
    if s.phase != ACTION:
        return
    stay = 0
    for action in range(ACTION_COUNT):
        stay += mask[action]
    for action in range(TOP_UP + 1, JUMP):
        if mask[action] and stay > 1 and next32(s) < LEFT_OUT * 4294967296.0:
            mask[action] = 0
            stay -= 1


@njit
def share_won(s, t, seat, scores):
    """The seat's share of the win of a game that is over."""
    score(s, t, scores)
    winners = 0
    for j in range(s.num_players):
        if rank_number(scores, j) > rank_number(scores, seat):
            return 0.0
        winners += rank_number(scores, j) == rank_number(scores, seat)
    return 1.0 / winners


@njit
def roll_out(origin, t, action, seed, turns, net, room, world, mask, actions, logits, scores):
    """One simulation: what a move of the seat to act turns out to be worth to it, from 0 to 1."""
    seat = int(origin.player)
    determinize(origin, t, seat, 1, seed, world)
    s = world[0]
    apply(s, t, action, NO_ORDER)
    before = seat
    while s.over == RUNNING:
        player = int(s.player)
        turns -= player == seat and before != seat
        before = player
        write_mask(s, t, player, mask)
        if turns > 0:
            leave_out_some(s, mask)
        count = judge_moves(s, t, mask, net, room, actions, logits)
        best = 0
        for i in range(1, count):
            if logits[i] > logits[best]:
                best = i
        if turns == 0:
            return share_of(logits[best])
        apply(s, t, actions[best], NO_ORDER)
    return share_won(s, t, seat, scores)


@njit
def think(origin, t, mask, key, simulations, turns, considered, prior, net, room, world, told):
    """Write into told float32 (ACTION_COUNT,) what each legal move is worth, as far as it was tried; the best move."""
    actions, logits = np.zeros(ACTION_COUNT, np.int64), np.zeros(ACTION_COUNT)
    count = judge_moves(origin, t, mask, net, room, actions, logits)
    order = np.argsort(-logits[:count], kind="mergesort")
    some = np.zeros(ACTION_COUNT, np.int8)
    later, values = np.zeros(ACTION_COUNT, np.int64), np.zeros(ACTION_COUNT)
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    told[:] = 0.0
    for i in range(count):
        told[actions[i]] = share_of(logits[i])
    left = min(considered, count)
    if left < 2:
        return actions[order[0]]
    tried, sums = np.zeros(left, np.int64), np.zeros(left)
    moves = actions[order[:left]]
    first = np.zeros(left)
    for i in range(left):
        first[i] = told[moves[i]]
    rounds = 0
    while 1 << rounds < left:
        rounds += 1
    places = np.arange(left)
    world_number = 0
    while left > 1:
        each = max(1, simulations // (rounds * left))
        for n in range(each):
            seed = hash63(key, world_number, 0x5EA)
            world_number += 1
            for i in range(left):
                j = places[i]
                sums[j] += roll_out(origin, t, moves[j], seed, turns, net, room, world, some, later, values, scores)
                tried[j] += 1
        worth = -(sums + prior * first) / (tried + prior)
        places[:left] = places[:left][np.argsort(worth[places[:left]], kind="mergesort")]
        left = (left + 1) // 2
    for i in range(len(moves)):
        told[moves[i]] = (sums[i] + prior * first[i]) / (tried[i] + prior)
    return moves[places[0]]


@njit
def think_rows(worlds, masks, keys, boxes, simulations, turns, considered, prior, net, room, world, chosen, told):
    """`think` for each row."""
    for n in range(len(chosen)):
        chosen[n] = think(
            worlds[n], boxes[0], masks[n], keys[n], simulations, turns, considered, prior, net, room, world, told[n]
        )
