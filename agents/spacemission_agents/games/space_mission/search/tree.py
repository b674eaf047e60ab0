"""Searches by single-observer information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012): each simulation samples a
world that the searching seat cannot tell from the true one, and descends one tree by the moves that are legal
in it. An edge joins all moves that look alike to the searching seat: its own by card faces, those of others
by their public effect. The likeliest move of an edge is played. Each node sums the returns of the seat that
moves (max^n).

PUCT (Rosin 2011) chooses edges: at the root with priors from the value of `policy:scratch`, below it with
priors from the rollout policy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.agent import NOT_RATED
from spacemission_agents.games.space_mission.search.leaf_evaluator import write_returns
from spacemission_agents.games.space_mission.search.rollout_policy import MOVES, prepare, rollout_moves
from spacemission_agents.games.space_mission.value.worlds import DEALT, likely_world, weigh_worlds
from spacemission_agents.tree_search.nodes import (
    NODE,
    ROOT,
    back_up,
    choose_edge,
    clear_node,
    grow,
)
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.state import STATE

DEPTH = 256  # maximum number of edges of one descent
WIDE_VISITS = 400  # number of visits after which a node considers all sets of discards

# Tuned in games of the search against itself and against `heuristic`.
EXPLORE = 0.5  # weight of the prior in PUCT


@njit
def edge_key(s, action, own):
    """The key of a move for the observer: card faces for its `own` moves, the kind for moves of others."""
    seat = s.player
    if action >= c.TAKE:
        return np.int64(action) if own else np.int64(c.TAKE)
    if action < c.JUMP:
        if own:
            return discard_key(s, seat, action)
        count = 0
        for i in range(c.SLOTS):
            count += action >> i & 1
        return np.int64(1000 + count)
    if action < c.FLY_NEXT:
        p = (action - c.JUMP) % c.RING
        card = int(s.hand[seat, (action - c.JUMP) // c.RING]) + 1 if own else 0
        return np.int64(2000 + 100 * p + card)
    if action < c.SCAN:
        return np.int64(action)
    if action < c.DEVELOP:
        return np.int64(3000 + (int(s.hand[seat, action - c.SCAN]) + 1 if own else 0))
    if action < c.DISCOVER:
        if not own:
            return np.int64(4000)
        i, j = c.DEVELOP_PAIRS[action - c.DEVELOP]
        return np.int64(10000 + 100 * int(s.hand[seat, i]) + int(s.hand[seat, j]))
    return np.int64(action)


@njit
def discard_key(s, seat, bits):
    """The key of the observer's top-up: six bits for each discarded face, above all other keys."""
    key = np.int64(1)
    for i in range(c.SLOTS):
        if bits >> i & 1:
            key = key << 6 | np.int64(s.hand[seat, i]) + 1
    return key << 20


@njit
def merge_moves(s, own, count, actions, values, keys):
    """Keep one move for each key, that of the highest value; return how many."""
    n = 0
    for i in range(count):
        key = edge_key(s, actions[i], own)
        at = 0
        while at < n and keys[at] != key:
            at += 1
        if at == n:
            n += 1
        elif values[i] <= values[at]:
            continue
        keys[at] = key
        actions[at] = actions[i]
        values[at] = values[i]
    return n


class Scratch(NamedTuple):
    """Scratch memory of `simulate`."""

    world: np.ndarray  # one `STATE` record
    actions: np.ndarray  # the moves of a node, int64; their values, float64; their edges, int64
    values: np.ndarray
    keys: np.ndarray
    priors: np.ndarray  # values of these edges, float64; their nodes, int64
    found: np.ndarray
    path: np.ndarray  # nodes of the descent, int64; seats that moved there, int64
    movers: np.ndarray
    result: np.ndarray  # returns, float64 (5,)


@njit
def new_scratch():
    moves = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    edges = np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    path = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    return Scratch(np.zeros(1, STATE), *moves, *edges, *path, np.zeros(c.MAX_PLAYERS))


@njit
def simulate(seat, t, move, nodes, used, v, evaluators, scratch):
    """Run one simulation: descend, add a leaf, back up its returns. Return how many nodes are used.

    `move`: the move at the root (its node or 0, action, edge, value); `v`: a `VIEW` record.
    """
    actions, values, keys = scratch.actions, scratch.values, scratch.keys
    path, movers, result = scratch.path, scratch.movers, scratch.result
    s = scratch.world[0]
    child, action, edge, value = move
    at = ROOT
    depth = 0
    grown = False
    while True:
        if child == 0:
            child = used
            used += 1
            grow(nodes, at, child, edge, value)
            grown = True
        path[depth] = child
        movers[depth] = s.player
        depth += 1
        apply(s, t, action, NO_ORDER)
        at = child
        if grown or s.phase == c.OVER or depth == DEPTH:
            break
        own = s.player == seat
        wide = own and nodes[at].visits >= WIDE_VISITS
        count = rollout_moves(s, t, v, wide, actions, values)
        count = merge_moves(s, own, count, actions, values, keys)
        i = choose_edge(nodes, at, count, keys, values, EXPLORE, scratch.priors, scratch.found)
        child, action, edge, value = scratch.found[i], actions[i], keys[i], values[i]
    write_returns(s, t, v, evaluators, actions, values, seat, result)
    back_up(nodes, path, movers, depth, result)
    return used


@njit
def search(worlds, parameters, simulations, key, nodes, views, evaluators, rated, root_visits):
    """Search from one world; write how often each action was chosen at the root, int64 (101,).

    Args:
        worlds: one `STATE` record (1,), a possible world for the seat to act.
        parameters: one `PARAMETERS` record (1,).
        simulations: the number of simulations.
        key: the seed.
        nodes: `simulations` + 1 `NODE` records, scratch memory.
        views: `new_view()`, scratch memory.
        evaluators: `LeafEvaluators`.
        rated: logits of the moves at the root, float64 (101,); those below `NOT_RATED` are left out.
        root_visits: output; the best move gets the most visits.
    """
    t = parameters[0]
    origin = worlds[0]
    actions, values = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64)
    keys = np.empty(MOVES, np.int64)
    root_visits[:] = 0
    clear_node(nodes, ROOT, 0)
    count = rated_moves(rated, actions, values)
    count = merge_moves(origin, True, count, actions, values, keys)
    moves = actions, values, keys
    if count == 1:
        root_visits[actions[0]] = 1
    else:
        explore(origin, t, simulations, key, nodes, views[0], evaluators, moves, count, root_visits)


@njit
def explore(origin, t, simulations, key, nodes, v, evaluators, moves, count, root_visits):
    """Choose the simulated moves by PUCT."""
    actions, values, keys = moves
    scratch = new_scratch()
    priors, found = np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    dealt = np.empty(min(DEALT, simulations), np.int64)
    cumulative = np.empty(len(dealt))
    weigh_worlds(origin, t, key, evaluators.value, evaluators.scratch, scratch.world, dealt, cumulative)
    used = 1
    for simulation in range(simulations):
        # The moves at the root are the same in all worlds.
        i = choose_edge(nodes, ROOT, count, keys, values, EXPLORE, priors, found)
        move = found[i], actions[i], keys[i], values[i]
        likely_world(origin, t, hash63(key, simulation, 1), dealt, cumulative, scratch.world)
        used = simulate(int(origin.player), t, move, nodes, used, v, evaluators, scratch)
        root_visits[actions[i]] += 1


@njit
def rated_moves(rated, actions, values):
    """Write the rated moves at the root; return how many."""
    n = 0
    for a in range(c.ACTION_COUNT):
        if rated[a] > NOT_RATED:
            actions[n] = a
            values[n] = rated[a]
            n += 1
    return n


@njit.once
def search_rows(worlds, parameters, keys, simulations, views, evaluators, rated, visits):
    """Search each row from its world and key; `visits`: output, int64 (n, 101), as `root_visits`."""
    nodes = np.empty(simulations + 2, NODE)
    prepare(parameters[0], views[0])
    for n in range(len(keys)):
        search(
            worlds[n : n + 1],
            parameters,
            simulations,
            keys[n],
            nodes,
            views,
            evaluators,
            rated[n],
            visits[n],
        )
