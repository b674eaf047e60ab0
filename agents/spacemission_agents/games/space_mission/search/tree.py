"""The search tree of `ismcts`, compiled: single-observer information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012): each simulation draws a
world that the searching seat cannot tell from the true one and descends one tree by the moves that are
legal in that world. The tree's edges are what the searching seat could tell apart (the paper's SO-ISMCTS
with partially observable moves): its own moves by the faces of the cards, the moves of others by what
they do on the table. In simulation, moves that the observer cannot tell apart are one edge; the light
policy says which of them is played.

An edge is chosen by PUCT (Rosin 2011) over the edges that the world allows. The priors come from the value
of `policy:scratch` at the root and from the light policy below: so the many top-ups come into the tree one by
one, best first. Leaves are judged by that value, by what the searching seat knows there (`judge.py`). Returns
are kept for the seat that moves (max^n).

What is chosen at the root, and in which worlds: `root.py`. With a policy network (`guide.py`) its odds are
the priors, and it plays on from a leaf for some moves before that is judged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.search.guide import has_seen_value, legal_moves
from spacemission_agents.games.space_mission.search.light import MOVES, light_moves
from spacemission_agents.games.space_mission.search.returns import (
    known_returns,
    leaf_returns,
    play_on,
    seen_returns,
)
from spacemission_agents.tree_search.nodes import ROOT, back_up, choose_edge, grow
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.games.space_mission.engine.constants import (
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
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.state import STATE

DEPTH = 256  # room for the edges of one descent
WIDE_VISITS = 400  # visits from which a node considers all sets of discards

# Set by trial in games of the search against itself and against `heuristic`.
EXPLORE = 0.5  # weight of the prior in PUCT
GUIDED_EXPLORE = 0.25  # the same where a policy gives the prior, which is sharp


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


class Room(NamedTuple):
    """Scratch of `simulate`."""

    world: np.ndarray  # one `STATE` record
    actions: np.ndarray  # the moves of a node, int64; their values, float64; their edges, int64
    values: np.ndarray
    keys: np.ndarray
    priors: np.ndarray  # of these edges, float64; the nodes that they lead to, int64
    found: np.ndarray
    path: np.ndarray  # nodes on the way down, int64; who moved there, int64
    movers: np.ndarray
    mask: np.ndarray  # int8 (101,)
    scores: np.ndarray  # int64 (5, categories)
    result: np.ndarray  # returns, float64 (5,)


@njit
def new_room():
    """Room for one search."""
    moves = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    edges = np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    path = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    world, mask = np.zeros(1, STATE), np.zeros(ACTION_COUNT, np.int8)
    scores, result = np.zeros((MAX_PLAYERS, SCORES), np.int64), np.zeros(MAX_PLAYERS)
    return Room(world, *moves, *edges, *path, mask, scores, result)


@njit
def simulate(seat, t, move, nodes, used, v, judges, guide, room):
    """One simulation: down the tree in `room.world`, a new leaf, and back up with its returns.

    Args:
        seat: that searches.
        t: the box.
        move: at the root: its node or 0, action, edge, value.
        nodes: the tree.
        used: how many of its nodes are.
        v: `light.VIEW` record, scratch.
        judges: `judge.new_judges`.
        guide: `guide.new_guide`, or None.
        room: `new_room`.

    Returns:
        How many nodes are used now.
    """
    actions, values, keys = room.actions, room.values, room.keys
    path, movers, mask, scores, result = room.path, room.movers, room.mask, room.scores, room.result
    s = room.world[0]
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
        if grown or s.phase == OVER or depth == DEPTH:
            break
        own = s.player == seat
        if guide is None:
            wide = own and nodes[at].visits >= WIDE_VISITS
            count = light_moves(s, t, v, wide, actions, values)
            explore = EXPLORE
        else:
            count = legal_moves(s, t, guide, mask, actions, values)
            explore = GUIDED_EXPLORE
        count = merge_moves(s, own, count, actions, values, keys)
        i = choose_edge(nodes, at, count, keys, values, explore, room.priors, room.found)
        child, action, edge, value = room.found[i], actions[i], keys[i], values[i]
    if guide is None:
        known_returns(s, t, v, judges.known, actions, values, scores, seat, result)
    elif has_seen_value(guide):
        seen_returns(s, t, guide, mask, actions, values, scores, seat, result)
    else:
        play_on(s, t, guide, mask, actions, values)
        leaf_returns(s, t, v, judges.world, guide, actions, values, scores, result)
    back_up(nodes, path, movers, depth, result)
    return used
