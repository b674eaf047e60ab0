"""How the simulations of a search are shared out among the moves at its root, and which move is chosen.

Without a policy network by PUCT (`nodes.choose_edge`), each simulation in a world of its own, drawn by
how well the others stand there (afterstate/worlds.py).

With one by sequential halving (Karnin, Koren and Somekh 2013; at the root of a search: Danihelka et al.,
"Policy improvement by planning with Gumbel", 2022): the moves that the policy finds likeliest are simulated
equally often, the better half of them again, and so on to the last two. By PUCT a policy as sure as a trained
one starves all moves but its first. The n-th simulation of each move is in the same world, so that luck says
less of which is better (common random numbers).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.space_mission.afterstate.worlds import DEALT, likely_world, weigh_worlds
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.heuristic.rating import NOT_RATED
from spacemission_agents.games.space_mission.search.guide import legal_moves
from spacemission_agents.games.space_mission.search.light import MOVES, prepare
from spacemission_agents.games.space_mission.search.tree import EXPLORE, merge_moves, new_room, simulate
from spacemission_agents.tree_search.nodes import NODE, ROOT, choose_edge, clear_node, find_child
from spacemission_env.core.rng import hash63
from spacemission_env.games.space_mission.engine.constants import ACTION_COUNT
from spacemission_env.games.space_mission.engine.determinize import determinize

# Of sequential halving; set by trial: what the moves are worth on which search and policy differ, as rollouts
# of the policy tell.
ENTRANTS = 8  # moves that are simulated, at most
NEAR = 7.0  # logits by which they may be less likely than the likeliest
FEWEST = 4  # simulations a move; with fewer in all than for two moves the policy's choice is played
WORTH = 300.0  # logits that a return of 1 is worth, where a search overrules the policy


@njit
def search(worlds, boxes, simulations, key, nodes, views, judges, guide, rated, root_visits):
    """Search from one world; writes how often each action was chosen at the root, int64 (101,).

    Args:
        worlds: one `STATE` record (1,), a world that the seat to act holds possible; each simulation
            draws its own from it.
        boxes: one `BOX` record (1,).
        simulations: how many.
        key: seed of all the search's chance.
        views: `light.new_view()`, scratch.
        nodes: room for `simulations` + 1 `NODE` records.
        judges: `judge.new_judges`.
        guide: `guide.new_guide`, or None.
        rated: odds of the moves at the root as logits, float64 (101,), below `NOT_RATED` for those left out;
            not used with a guide.
        root_visits: out; the move to play has the most, if need be by one that was not simulated.
    """
    t = boxes[0]
    origin = worlds[0]
    actions, values = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64)
    keys = np.empty(MOVES, np.int64)
    root_visits[:] = 0
    clear_node(nodes, ROOT, 0)
    if guide is None:
        count = rated_moves(rated, actions, values)
    else:
        count = legal_moves(origin, t, guide, np.zeros(ACTION_COUNT, np.int8), actions, values)
    count = merge_moves(origin, True, count, actions, values, keys)
    moves = actions, values, keys
    if count == 1:
        root_visits[actions[0]] = 1
    elif guide is None:
        explore(origin, t, simulations, key, nodes, views[0], judges, moves, count, root_visits)
    else:
        halve(origin, t, simulations, key, nodes, views[0], judges, guide, moves, count, root_visits)


@njit
def explore(origin, t, simulations, key, nodes, v, judges, moves, count, root_visits):
    """Share the simulations out by PUCT."""
    actions, values, keys = moves
    room = new_room()
    priors, found = np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    judge = judges.known
    dealt = np.empty(min(DEALT, simulations), np.int64)
    odds = np.empty(len(dealt))
    weigh_worlds(origin, t, key, judge.value, judge.room, room.world, judge.logits, dealt, odds)
    used = 1
    for simulation in range(simulations):
        # What may be chosen at the root is the same in all worlds.
        i = choose_edge(nodes, ROOT, count, keys, values, EXPLORE, priors, found)
        move = found[i], actions[i], keys[i], values[i]
        likely_world(origin, t, hash63(key, simulation, 1), dealt, odds, room.world)
        used = simulate(int(origin.player), t, move, nodes, used, v, judges, None, room)
        root_visits[actions[i]] += 1


@njit
def halve(origin, t, simulations, key, nodes, v, judges, guide, moves, count, root_visits):
    """Share the simulations out by sequential halving."""
    actions, values, keys = moves
    room = new_room()
    order = np.argsort(-values[:count], kind="mergesort")
    left = entrants(values, order, simulations)
    rounds = 0
    while 1 << rounds < left:
        rounds += 1
    used = 1
    while left > 1:
        for _ in range(simulations // (rounds * left)):
            for i in order[:left]:
                child = find_child(nodes, ROOT, keys[i])
                draw = int(nodes[child].visits) if child != 0 else 0
                move = child, actions[i], keys[i], values[i]
                determinize(origin, t, int(origin.player), 1, hash63(key, draw, 1), room.world)
                used = simulate(int(origin.player), t, move, nodes, used, v, judges, guide, room)
                root_visits[actions[i]] += 1
        worth = np.zeros(left)
        for n in range(left):
            child = find_child(nodes, ROOT, keys[order[n]])
            worth[n] = values[order[n]] + WORTH * nodes[child].total / nodes[child].visits
        order = order[np.argsort(-worth, kind="mergesort")]
        left = (left + 1) // 2
    root_visits[actions[order[0]]] += 1  # the last two were simulated equally often


@njit
def entrants(values, order, simulations):
    """How many of the moves, likeliest first, are simulated at all."""
    most = min(len(order), ENTRANTS, simulations // FEWEST)
    n = 1
    while n < most and values[order[n]] > values[order[0]] - NEAR:
        n += 1
    return n


@njit
def rated_moves(rated, actions, values):
    """The moves at the root that were rated; how many."""
    n = 0
    for a in range(ACTION_COUNT):
        if rated[a] > NOT_RATED:
            actions[n] = a
            values[n] = rated[a]
            n += 1
    return n


@njit.once
def search_rows(worlds, boxes, keys, simulations, views, judges, guide, rated, visits):
    """Search each row from its world and key; `visits`, out, int64 (n, 101): see `search`."""
    nodes = np.empty(simulations + 2, NODE)
    prepare(boxes[0], views[0])
    for n in range(len(keys)):
        search(
            worlds[n : n + 1], boxes, simulations, keys[n], nodes, views, judges, guide, rated[n], visits[n]
        )
