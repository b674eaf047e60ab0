"""`ismcts:N`: information-set Monte Carlo tree search with N simulations a decision, compiled.

As in Cowling, Powley and Whitehouse 2012: each simulation draws a world that the searching seat cannot tell
from the true one and descends one tree by moves legal in it. An edge is a move with the card's kind in place
of the slot, since others do not see slots. Priors are the heuristic's values of the moves; leaves are
evaluated by the time that each seat still needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic import HeuristicAgent
from spacemission_agents.games.planet_hexx.heuristic.choice import (
    LEFT_OUT,
    TRIED,
    follow,
    level,
    new_room,
    rate,
)
from spacemission_agents.games.planet_hexx.heuristic.judgement import actions_worth, time_left
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

SURE = 3.0  # how much more likely a win is for who needs less time: odds are times to this power
LEAST = 0.5  # Actions to the end that count at least


@njit
def leaf_returns(s, t, w, tools, out):
    """Each seat's share of the win by the time that it still needs, 0 to 1; they sum to 1.

    In a world of a search the cards in all hands are known: that they were sampled is for the mean over the
    simulations.
    """
    n = int(s.num_players)
    if s.over != RUNNING:
        end_returns(s, out)
        return
    total = 0.0
    for j in range(n):
        for i in range(s.hand_size[j]):
            s.known[j, i] = 1
        time = time_left(s, t, w, j, tools) - actions_worth(s, t, w, j, True)
        out[j] = (max(time, 0.0) + w.finish + LEAST) ** -SURE
        total += out[j]
    for j in range(n):
        out[j] /= total


@njit
def end_returns(s, out):
    """The win, split among the winners; nothing for a truncated game."""
    n = int(s.num_players)
    winners = 0
    for j in range(n):
        winners += s.won[j]
    for j in range(n):
        out[j] = s.won[j] / winners if s.over == FINISHED and winners > 0 else 0.0


DEPTH = 64  # edges of one descent
MOVES = 16  # moves of a node that are considered, the best by their prior
EXPLORE = 1.0  # weight of the prior in PUCT
SHARP = 12.0  # what a unit of the heuristic's values counts in the prior


@njit
def edge_key(s, action):
    """A move as all tell it apart: where it names a slot, by the card."""
    if c.TO_PLAY <= action < c.TO_CELL:
        group, slot = divmod(action - c.TO_PLAY, c.HAND)
        return np.int64(c.ACTION_COUNT + c.KINDS * group + int(s.hand[s.player, slot]))
    return np.int64(action)


@njit
def candidates(s, values, actions, worth, keys):
    """The best moves by their values, one an edge, best first; returns how many."""
    count = 0
    for action in range(c.ACTION_COUNT):
        value = values[action]
        if value == LEFT_OUT:
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
def simulate(origin, t, w, seed, count, moves, nodes, used, room):
    """One simulation in the world of a seed: down the tree, a new leaf, and back up; returns nodes used.

    `moves`: of the root, `count` of them, as `candidates` writes them: they are the same in all worlds.
    """
    judged, world, _, mask, values, here, priors, found, path, movers, result = room
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
        rate(s, t, w, mask, judged, values)
        actions, worth, keys = here
        count = candidates(s, values, actions, worth, keys)
    states = judged[0]
    states[TRIED] = s
    follow(states, TRIED, t, w, judged[4])
    leaf_returns(states[TRIED], t, w, judged[4], result)
    back_up(nodes, path, movers, depth, result)
    return used


@njit
def new_search_room():
    """Scratch of `simulate`."""
    here = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    edges = np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    path = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    mask, values = np.zeros(c.ACTION_COUNT, np.int8), np.zeros(c.ACTION_COUNT)
    worlds = np.zeros(1, STATE), np.zeros(1, STATE)
    return (new_room(), *worlds, mask, values, here, *edges, *path, np.zeros(c.MAX_PLAYERS))


@njit
def same_for_all(worlds, n, origins, judged):
    """Write the world that stands for all that the seat to act cannot tell apart."""
    _, places, counts, _, _ = judged
    origins[0] = worlds[n]
    origin = origins[0]
    seat = int(origin.player)
    level(origin, seat, places, counts)
    for i in range(origin.hand_size[seat]):
        origin.known[seat, i] = worlds[n].known[seat, i]


@njit.once
def search_rows(worlds, parameters, weights, keys, simulations, rated, visits):
    """Search a tree from each world and key; write how often each move was chosen at the root.

    Args:
        worlds: records (n,), each a world that the seat to act holds possible.
        parameters: one record (1,).
        weights: of the heuristic, one record (1,).
        keys: int64 (n,), seeds of all chance.
        simulations: of each tree.
        rated: values of the moves at the root, float64 (n, 425), as the heuristic gives them.
        visits: out, int64 (n, 425).
    """
    t, w = parameters[0], weights[0]
    nodes = np.empty(simulations + 2, NODE)
    room = new_search_room()
    moves = np.empty(MOVES, np.int64), np.empty(MOVES, np.float64), np.empty(MOVES, np.int64)
    for n in range(len(keys)):
        visits[n] = 0
        if worlds[n].asked == c.SIDE:  # both sides are as good: a coin
            visits[n, c.TO_BRANCH + (keys[n] & 1)] = 1
            continue
        count = candidates(worlds[n], rated[n], *moves)
        if count == 1:
            visits[n, moves[0][0]] = 1
            continue
        clear_node(nodes, ROOT, 0)
        same_for_all(worlds, n, room[2], room[0])
        used = 1
        for k in range(simulations):
            used = simulate(room[2][0], t, w, hash63(keys[n], k, 1), count, moves, nodes, used, room)
        at = int(nodes[ROOT].child)
        while at != 0:
            for i in range(count):
                if moves[2][i] == nodes[at].key:
                    visits[n, moves[0][i]] = nodes[at].visits
            at = int(nodes[at].sibling)


class IsmctsAgent(SearchAgent):
    """Searches in worlds sampled from what its seat may know; plays the move searched most."""

    name = "ismcts"
    reads_observations = False

    def __init__(self, parameter: str | None = None, threads: int | None = None) -> None:
        """As `SearchAgent`."""
        super().__init__(parameter, threads)
        self._heuristic = HeuristicAgent()

    def _new_tools(self) -> Any:
        return None

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return self._heuristic.rate(decisions)

    def _search(
        self,
        worlds: np.ndarray,
        parameters: Any,
        keys: np.ndarray,
        tools: Any,
        rated: np.ndarray,
        out: np.ndarray,
    ) -> None:
        search_rows(worlds, parameters, self._heuristic.weights, keys, self.simulations, rated, out)
