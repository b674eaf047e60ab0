"""The search tree of `ismcts`, compiled: single-observer information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012): each simulation draws a
world that the searching seat cannot tell from the true one and descends one tree by the moves that are
legal in that world. The tree's edges are what the searching seat could tell apart (the paper's SO-ISMCTS
with partially observable moves): its own moves by the faces of the cards, the moves of others by what
they do on the table. In simulation, moves that the observer cannot tell apart are one edge; the light
policy says which of them is played.

An edge is chosen by PUCT (Rosin 2011) over the edges that the world allows. The priors come from the values
of `heuristic` at the root, where its observation is at hand, and of the light policy below: so the many
top-ups come into the tree one by one, best first. Leaves are judged by a small network (`leaf.py`).
Returns are kept for the seat that moves (max^n).

With a policy network (`guide.py`) its odds are the priors everywhere, and the n-th visit of each move at the
root is paid for in the same world, so that luck says less of which move is better (common random numbers).
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.heuristic.rating import NOT_RATED
from spacemission_agents.search.guide import has_policy, legal_moves
from spacemission_agents.search.light import MOVES, light_moves, njit, prepare
from spacemission_agents.search.returns import leaf_returns
from spacemission_env.engine.constants import (
    ACTION_COUNT,
    DEVELOP,
    DEVELOP_PAIRS,
    DISCOVER,
    FLY_NEXT,
    JUMP,
    MAX_PLAYERS,
    OVER,
    RING,
    SCAN,
    SCORES,
    SLOTS,
    TAKE,
)
from spacemission_env.engine.determinize import determinize
from spacemission_env.engine.rng import hash63
from spacemission_env.engine.rules import apply
from spacemission_env.engine.state import NO_ORDER, STATE

DEPTH = 256  # room for the edges of one descent
ROOT = 0
WIDE_VISITS = 400  # visits from which a node considers all sets of discards

# Set by trial in games of the search against itself and against `heuristic`.
EXPLORE = 2.0  # weight of the prior in PUCT
GUIDED_EXPLORE = 0.25  # the same where a policy gives the prior, which is sharp
TEMPERATURE = 1.0  # points that make a move e times as likely in the prior
UNSEEN = 0.05  # what a move not yet tried is taken to be worse than its node's mean

NODE = np.dtype(
    (
        np.record,
        [
            ("key", "i8"),  # of the edge that leads here, among its siblings
            ("child", "i4"),  # first child, 0 for none
            ("sibling", "i4"),  # next one
            ("visits", "i4"),
            ("total", "f8"),  # returns of the seat that made the move, summed
            ("light", "f8"),  # light values in the worlds that allowed the move, summed
            ("allowed", "i4"),  # how many worlds those were
        ],
    )
)


@njit
def edge_key(s, action, own):
    """A move as the observer tells it apart: own moves by card faces, those of others by their kind."""
    seat = s.player
    if action >= TAKE:
        return np.int64(action) if own else np.int64(TAKE)
    if action < JUMP:
        if own:
            return discard_key(s, seat, action)
        count = 0
        for i in range(SLOTS):
            count += action >> i & 1
        return np.int64(1000 + count)
    if action < FLY_NEXT:
        p = (action - JUMP) % RING
        card = int(s.hand[seat, (action - JUMP) // RING]) + 1 if own else 0
        return np.int64(2000 + 100 * p + card)
    if action < SCAN:
        return np.int64(action)
    if action < DEVELOP:
        return np.int64(3000 + (int(s.hand[seat, action - SCAN]) + 1 if own else 0))
    if action < DISCOVER:
        if not own:
            return np.int64(4000)
        i, j = DEVELOP_PAIRS[action - DEVELOP]
        return np.int64(10000 + 100 * int(s.hand[seat, i]) + int(s.hand[seat, j]))
    return np.int64(action)


@njit
def discard_key(s, seat, bits):
    """An own top-up by the faces discarded: six bits a card, above all other keys."""
    key = np.int64(1)
    for i in range(SLOTS):
        if bits >> i & 1:
            key = key << 6 | np.int64(s.hand[seat, i]) + 1
    return key << 20


@njit
def find_child(nodes, parent, key):
    """The child reached by an edge, or 0."""
    at = nodes[parent].child
    while at != 0 and nodes[at].key != key:
        at = nodes[at].sibling
    return at


@njit
def merge_moves(s, own, count, actions, values, keys):
    """One entry an edge: of moves with the same key, the one of highest value. Returns how many."""
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


@njit
def choose_edge(nodes, parent, count, keys, values, explore, priors, found):
    """PUCT over the edges that this world allows; also keeps their mean light values."""
    visits = 0
    total = 0.0
    most = -1e9
    for i in range(count):
        child = find_child(nodes, parent, keys[i])
        found[i] = child
        if child != 0:
            visits += nodes[child].visits
            total += nodes[child].total
            nodes[child].light += values[i]
            nodes[child].allowed += 1
            priors[i] = nodes[child].light / nodes[child].allowed
        else:
            priors[i] = values[i]
        most = max(most, priors[i])
    norm = 0.0
    for i in range(count):
        priors[i] = np.exp((priors[i] - most) / TEMPERATURE)
        norm += priors[i]
    unseen = total / visits - UNSEEN if visits > 0 else 0.5
    root = explore * np.sqrt(visits + 1.0) / norm
    best = 0
    best_score = -1e9
    for i in range(count):
        child = found[i]
        if child != 0:
            n = nodes[child].visits
            worth = nodes[child].total / n + priors[i] * root / (1 + n)
        else:
            worth = unseen + priors[i] * root
        if worth > best_score:
            best = i
            best_score = worth
    return best


@njit
def search(worlds, boxes, simulations, key, nodes, views, leaf, guide, rated, root_visits):
    """Search from one world; writes how often each action was chosen at the root, int64 (101,).

    Args:
        worlds: one `STATE` record (1,), a world that the seat to act holds possible; each simulation
            draws its own from it.
        boxes: one `BOX` record (1,).
        simulations: how many.
        key: seed of all the search's chance.
        views: `light.new_view()`, scratch.
        nodes: room for `simulations` + 1 `NODE` records.
        leaf: `leaf.new_leaf`.
        guide: `guide.new_guide`.
        rated: values of the moves at the root, float64 (101,), below `NOT_RATED` for those left out; not
            used where the guide has a policy.
        root_visits: out.
    """
    t = boxes[0]
    origin = worlds[0]
    seat = int(origin.player)
    world = np.zeros(1, STATE)
    s = world[0]
    v = views[0]
    root_actions, root_values = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64)
    root_keys = np.empty(MOVES, np.int64)
    actions, values = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64)
    keys = np.empty(MOVES, np.int64)
    priors = np.empty(MOVES, np.float64)
    found = np.empty(MOVES, np.int64)
    path = np.empty(DEPTH, np.int64)
    movers = np.empty(DEPTH, np.int64)
    mask = np.zeros(ACTION_COUNT, np.int8)
    scores = np.zeros((MAX_PLAYERS, SCORES), np.int64)
    result = np.zeros(MAX_PLAYERS)
    root_visits[:] = 0
    clear_node(nodes, ROOT, 0)
    used = 1
    explore = GUIDED_EXPLORE if has_policy(guide) else EXPLORE
    if has_policy(guide):
        first = legal_moves(origin, t, guide, mask, root_actions, root_values)
    else:
        first = rated_moves(rated, root_actions, root_values)
    first = merge_moves(origin, True, first, root_actions, root_values, root_keys)
    if first == 1:
        root_visits[root_actions[0]] = 1
        return
    for simulation in range(simulations):
        # What may be chosen at the root is the same in all worlds.
        i = choose_edge(nodes, ROOT, first, root_keys, root_values, explore, priors, found)
        draw = simulation
        if has_policy(guide):  # the moves at the root are compared in the same worlds
            draw = nodes[found[i]].visits if found[i] != 0 else 0
        determinize(origin, t, seat, hash63(key, draw, 1), world)
        at = ROOT
        depth = 0
        grown = False
        while not grown and s.phase != OVER and depth < DEPTH:
            if at == ROOT:
                action, edge, value = root_actions[i], root_keys[i], root_values[i]
            else:
                own = s.player == seat
                if has_policy(guide):
                    count = legal_moves(s, t, guide, mask, actions, values)
                else:
                    wide = own and nodes[at].visits >= WIDE_VISITS
                    count = light_moves(s, t, v, wide, actions, values)
                count = merge_moves(s, own, count, actions, values, keys)
                i = choose_edge(nodes, at, count, keys, values, explore, priors, found)
                action, edge, value = actions[i], keys[i], values[i]
            child = found[i]
            if child == 0:
                child = used
                used += 1
                grow(nodes, at, child, edge, value)
                grown = True
            if at == ROOT:
                root_visits[action] += 1
            path[depth] = child
            movers[depth] = s.player
            depth += 1
            apply(s, t, action, NO_ORDER)
            at = child
        leaf_returns(s, t, v, leaf, guide, actions, values, scores, result)
        nodes[ROOT].visits += 1
        for d in range(depth):
            nodes[path[d]].visits += 1
            nodes[path[d]].total += result[movers[d]]


@njit
def rated_moves(rated, actions, values):
    """The moves at the root as `heuristic` rates them; how many."""
    n = 0
    for a in range(ACTION_COUNT):
        if rated[a] > NOT_RATED:
            actions[n] = a
            values[n] = rated[a]
            n += 1
    return n


@njit
def grow(nodes, parent, child, key, value):
    """Enter a child into the tree."""
    clear_node(nodes, child, key)
    nodes[child].light = value
    nodes[child].allowed = 1
    nodes[child].sibling = nodes[parent].child
    nodes[parent].child = child


@njit
def clear_node(nodes, at, key):
    """A node without visits."""
    nodes[at].key = key
    nodes[at].child = 0
    nodes[at].sibling = 0
    nodes[at].visits = 0
    nodes[at].total = 0.0
    nodes[at].light = 0.0
    nodes[at].allowed = 0


@njit
def search_rows(worlds, boxes, keys, simulations, views, leaf, guide, rated, visits):
    """Search each row from its world and key; `visits`, out, int64 (n, 101): see `search`."""
    nodes = np.empty(simulations + 2, NODE)
    prepare(boxes[0], views[0])
    for n in range(len(keys)):
        search(worlds[n : n + 1], boxes, simulations, keys[n], nodes, views, leaf, guide, rated[n], visits[n])
