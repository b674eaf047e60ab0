"""Defines the agent `ismcts:N`: information-set Monte Carlo tree search, N simulations for each decision.

Cowling, Powley and Whitehouse 2012: each simulation samples a world (`determinize`) and descends one tree by
moves that are legal in this world. An edge names the kind of a card instead of its hand slot, because
opponents do not see slots. Priors come from the heuristic's values of the moves. A leaf is evaluated by the
Actions that each seat still needs.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic import HeuristicAgent, choice
from spacemission_agents.games.planet_hexx.heuristic.evaluation import actions_worth, time_left
from spacemission_agents.tree_search.agent import SearchAgent
from spacemission_agents.tree_search.nodes import NODE, ROOT, back_up, choose_edge, clear_node, grow
from spacemission_env.core.agents import Decisions
from spacemission_env.core.constants import FINISHED, RUNNING
from spacemission_env.core.rng import hash63
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.determinize import determinize
from spacemission_env.games.planet_hexx.engine.legal import write_mask
from spacemission_env.games.planet_hexx.engine.play import apply
from spacemission_env.games.planet_hexx.engine.state import STATE

SURE = 3.0  # exponent: the chance of winning is proportional to (1 / Actions still needed) ** SURE
LEAST = 0.5  # added to the Actions still needed, to keep them above 0


@njit
def leaf_returns(s, t, w, tools, out):
    """Write each seat's share of the win, 0 to 1: the result, or an estimate from the Actions still needed.

    All hands of a sampled world may be read; the mean over simulations accounts for the sampling.
    """
    n = int(s.num_players)
    total = 0.0
    if s.over != RUNNING:  # the win is split among the winners; a truncated game has none
        for j in range(n):
            total += s.won[j]
        for j in range(n):
            out[j] = s.won[j] / total if s.over == FINISHED and total > 0 else 0.0
        return
    for j in range(n):
        for i in range(s.hand_size[j]):
            s.known[j, i] = 1
        time = time_left(s, t, w, j, tools) - actions_worth(s, t, w, j, True)
        out[j] = (max(time, 0.0) + w.finish + LEAST) ** -SURE
        total += out[j]
    for j in range(n):
        out[j] /= total


DEPTH = 64  # maximum number of edges of one descent
MOVES = 16  # maximum number of moves of a node: those with the highest priors
EXPLORE = 1.0  # weight of the prior in PUCT
SHARP = 12.0  # difference of the prior's logits for a difference of 1 in the heuristic's values


@njit
def edge_key(s, action):
    """A move as everybody sees it: the kind of a card in place of its hand slot."""
    if c.TO_PLAY <= action < c.TO_CELL:
        group, slot = divmod(action - c.TO_PLAY, c.HAND)
        return np.int64(c.ACTION_COUNT + c.KINDS * group + int(s.hand[s.player, slot]))
    return np.int64(action)


@njit
def candidates(s, values, actions, worth, keys):
    """Write the best moves by their values, one for each edge, best first; return how many."""
    count = 0
    for action in range(c.ACTION_COUNT):
        value = values[action]
        if value == choice.LEFT_OUT:
            continue
        key = edge_key(s, action)
        known = False
        for i in range(count):
            known = known or keys[i] == key
        if known or (count == MOVES and SHARP * value <= worth[MOVES - 1]):
            continue
        count = min(count + 1, MOVES)
        i = count - 1
        while i > 0 and worth[i - 1] < SHARP * value:
            actions[i], worth[i], keys[i] = actions[i - 1], worth[i - 1], keys[i - 1]
            i -= 1
        actions[i], worth[i], keys[i] = action, SHARP * value, key
    return count


@njit
def simulate(origin, t, w, seed, count, moves, nodes, used, scratch):
    """Run a simulation in a sampled world: descend, add a leaf, back up. Return the number of nodes in use.

    `moves`: the `count` moves of the root as `candidates` writes them; equal in all worlds.
    """
    rating, world, _, mask, values, here, priors, found, path, movers, result = scratch
    determinize(origin, t, int(origin.player), 1, seed, world)
    s = world[0]
    actions, worth, keys = moves
    at, depth, grown = ROOT, 0, False
    while True:
        i = choose_edge(nodes, at, count, keys, worth, EXPLORE, priors, found)
        child, action = found[i], actions[i]
        if child == 0:
            child = used
            used += 1
            grow(nodes, at, child, keys[i], worth[i])
            grown = True
        path[depth] = child
        movers[depth] = s.player
        depth += 1
        apply(s, t, action)
        at = child
        if grown or s.over != RUNNING or depth == DEPTH:
            break
        write_mask(s, t, s.player, mask)
        choice.rate(s, t, w, mask, rating, values)
        actions, worth, keys = here
        count = candidates(s, values, actions, worth, keys)
    states = rating[0]
    states[choice.TRIED] = s
    choice.follow(states, choice.TRIED, t, w, rating[4])
    leaf_returns(states[choice.TRIED], t, w, rating[4], result)
    back_up(nodes, path, movers, depth, result)
    return used


@njit
def new_scratch():
    """Scratch buffers of `simulate`."""
    here = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    edges = np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    path = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    mask, values = np.zeros(c.ACTION_COUNT, np.int8), np.zeros(c.ACTION_COUNT)
    worlds = np.zeros(1, STATE), np.zeros(1, STATE)
    return (choice.new_scratch(), *worlds, mask, values, here, *edges, *path, np.zeros(c.MAX_PLAYERS))


@njit
def write_origin(worlds, n, origins, rating):
    """Write the canonical world (`choice.make_canonical`) of the seat to act, with its own `known` marks."""
    _, places, counts, _, _ = rating
    origins[0] = worlds[n]
    origin = origins[0]
    seat = int(origin.player)
    choice.make_canonical(origin, seat, places, counts)
    for i in range(origin.hand_size[seat]):
        origin.known[seat, i] = worlds[n].known[seat, i]


@njit.once
def search_rows(worlds, parameters, weights, keys, simulations, rated, visits):
    """Search one tree for each row; write how often each move was chosen at the root.

    Args:
        worlds: records (n,), each possible for its seat to act.
        parameters: one record (1,).
        weights: of the heuristic, one record (1,).
        keys: int64 (n,), seeds of all random numbers.
        simulations: number for each tree.
        rated: the heuristic's values of the moves at the root, float64 (n, 425).
        visits: output, int64 (n, 425).
    """
    t, w = parameters[0], weights[0]
    nodes = np.empty(simulations + 2, NODE)
    scratch = new_scratch()
    moves = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    for n in range(len(keys)):
        visits[n] = 0
        if worlds[n].asked == c.SIDE:  # both sides are equally good
            visits[n, c.TO_BRANCH + (keys[n] & 1)] = 1
            continue
        count = candidates(worlds[n], rated[n], *moves)
        if count == 1:
            visits[n, moves[0][0]] = 1
            continue
        clear_node(nodes, ROOT, 0)
        write_origin(worlds, n, scratch[2], scratch[0])
        used = 1
        for k in range(simulations):
            used = simulate(scratch[2][0], t, w, hash63(keys[n], k, 1), count, moves, nodes, used, scratch)
        at = int(nodes[ROOT].child)
        while at != 0:
            for i in range(count):
                if moves[2][i] == nodes[at].key:
                    visits[n, moves[0][i]] = nodes[at].visits
            at = int(nodes[at].sibling)


class IsmctsAgent(SearchAgent):
    """Searches in sampled worlds and plays the most visited move."""

    name = "ismcts"
    reads_observations = False

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        super().__init__(parameter, threads)
        self._heuristic = HeuristicAgent()

    def _new_tools(self) -> None:
        return None

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return self._heuristic.rate(decisions)

    def _search(
        self,
        worlds: np.ndarray,
        parameters: np.ndarray | None,
        keys: np.ndarray,
        tools: None,
        rated: np.ndarray,
        out: np.ndarray,
    ) -> None:
        search_rows(worlds, parameters, self._heuristic.weights, keys, self.simulations, rated, out)
