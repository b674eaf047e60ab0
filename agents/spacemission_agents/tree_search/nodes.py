"""Chooses edges of a search tree, grows it and backs up returns; compiled.

A tree is an array of `NODE` records; node 0 is the root. A node sums the returns of the seat that made its
move (max^n). An edge is chosen by PUCT (Rosin 2011) among the moves that are legal in the simulation's world.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.core.compiling import make_njit
from spacemission_env.core.layout import aligned_record

njit = make_njit(Path(__file__))

ROOT = 0
TEMPERATURE = 1.0  # temperature of the prior, in points of value
UNSEEN = 0.05  # the value of an untried move is the mean of its node minus this

NODE = aligned_record(
    ("key", "i8"),  # key of the edge from the parent
    ("child", "i4"),  # first child, 0 for none
    ("sibling", "i4"),  # next sibling, 0 for none
    ("visits", "i4"),
    ("total", "f8"),  # sum of returns of the seat that made the move
    ("prior", "f8"),  # sum of the rollout policy's values over worlds where the move is legal
    ("allowed", "i4"),  # number of these worlds
)


@njit
def find_child(nodes, parent, key):
    """The child at the end of an edge, or 0."""
    at = int(nodes[parent].child)
    while at != 0 and nodes[at].key != key:
        at = int(nodes[at].sibling)
    return at


@njit
def choose_edge(nodes, parent, count, keys, values, explore, priors, found):
    """Choose an edge by PUCT among the legal moves of this world; update the mean values for the prior."""
    visits = 0
    total = 0.0
    most = -1e9
    for i in range(count):
        child = find_child(nodes, parent, keys[i])
        found[i] = child
        if child != 0:
            visits += nodes[child].visits
            total += nodes[child].total
            nodes[child].prior += values[i]
            nodes[child].allowed += 1
            priors[i] = nodes[child].prior / nodes[child].allowed
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
def grow(nodes, parent, child, key, value):
    """Add a child to the tree."""
    clear_node(nodes, child, key)
    nodes[child].prior = value
    nodes[child].allowed = 1
    nodes[child].sibling = nodes[parent].child
    nodes[parent].child = child


@njit
def clear_node(nodes, at, key):
    """Make a node without visits."""
    nodes[at].key = key
    nodes[at].child = 0
    nodes[at].sibling = 0
    nodes[at].visits = 0
    nodes[at].total = 0.0
    nodes[at].prior = 0.0
    nodes[at].allowed = 0


@njit
def back_up(nodes, path, movers, depth, result):
    """Add the returns of a simulation to the nodes on its path; `movers`: seats that made the moves."""
    nodes[ROOT].visits += 1
    for d in range(depth):
        nodes[path[d]].visits += 1
        nodes[path[d]].total += result[movers[d]]
