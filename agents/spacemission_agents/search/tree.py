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

NODE = aligned_record(
    ("key", "i8"),  # key of the edge from the parent
    ("child", "i4"),  # first child, 0 for none
    ("sibling", "i4"),  # next sibling, 0 for none
    ("visits", "i4"),
    ("total", "f8"),  # sum of returns of the seat that made the move
)


@njit
def find_child(nodes, parent, key):
    """The child at the end of an edge, or 0."""
    at = int(nodes[parent].child)
    while at != 0 and nodes[at].key != key:
        at = int(nodes[at].sibling)
    return at


@njit
def best_of(count, worth):
    """The first of the highest numbers among the first `count`."""
    best = 0
    for i in range(1, count):
        if worth[i] > worth[best]:
            best = i
    return best


@njit
def choose_edge(nodes, parent, count, moves, explore, weight):
    """Choose an edge by PUCT among the first `count` moves, which are legal in this world.

    Args:
        nodes: the tree.
        parent: the node.
        count: number of moves.
        moves: `template.Moves`; `nodes` gets the child of each, or 0.
        explore: weight of the prior in PUCT.
        weight: for how many simulations the expected share of a move counts.
    """
    visits, norm, most = 0, 0.0, moves.logits[best_of(count, moves.logits)]
    for i in range(count):
        child = find_child(nodes, parent, moves.keys[i])
        moves.nodes[i] = child
        visits += nodes[child].visits if child != 0 else 0
        norm += np.exp(moves.logits[i] - most)
    root, best, best_score = explore * np.sqrt(visits + 1.0) / norm, 0, -1e9
    for i in range(count):
        child, n, total = moves.nodes[i], 0, 0.0
        if child != 0:
            n, total = int(nodes[child].visits), float(nodes[child].total)
        worth = (weight * moves.shares[i] + total) / (weight + n)
        score = worth + np.exp(moves.logits[i] - most) * root / (1 + n)
        if score > best_score:
            best, best_score = i, score
    return best


@njit
def grow(nodes, parent, child, key):
    """Add a child to the tree."""
    clear_node(nodes, child, key)
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


@njit
def back_up(nodes, path, movers, depth, result):
    """Add the returns of a simulation to the nodes on its path; `movers`: seats that made the moves."""
    nodes[ROOT].visits += 1
    for d in range(depth):
        nodes[path[d]].visits += 1
        nodes[path[d]].total += result[movers[d]]
