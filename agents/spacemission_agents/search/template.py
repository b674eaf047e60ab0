"""Searches decisions of any game: compares the best moves by simulations in sampled worlds.

A world is a determinization, a state that the seat to act cannot tell from the true one. Worlds are sampled
uniformly. If the game has a `tilt`, a model then resamples them (importance resampling; Rubin 1988), because
real opponents keep useful cards and take good tiles. The log of a world's weight is `tilt` times the sum of
the logits of the other seats' shares of the win.

Sequential halving (Karnin, Koren and Somekh 2013) divides the simulations among the moves with the highest
priors. It tries these moves in the same worlds with the same random numbers. After each round it drops the
half whose mean result plus prior is lower (as in Gumbel MuZero; Danihelka et al. 2022). A simulation
makes the move, descends a tree by PUCT among the moves that are legal in its world, and adds a node
(information-set tree search; Cowling, Powley and Whitehouse 2012). A truncated rollout follows (Tesauro and
Galperin 1996): all seats play the moves that the model rates best until the searching seat is to act in a
later round, and the model evaluates that position. With `?rollouts` the rollout follows the first move.

A model of afterstates evaluates moves (`BY_MODEL`). Without a model, all moves count as equally good, and a
rollout is random play to the end (`BY_CHANCE`). The functions are a template, as in core/batch_template.py;
`bind_search` binds them to a game.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacemission_agents.afterstates.moves import Afterstates
from spacemission_agents.afterstates.network import (
    WIN,
    begin_sums,
    read_move,
    share_of,
    share_of_move,
    write_logits,
)
from spacemission_env.core import rng
from spacemission_env.core.batch_template import with_globals
from spacemission_env.core.compiling import make_njit
from spacemission_env.core.constants import RUNNING
from spacemission_env.core.layout import aligned_record
from spacemission_env.core.rng import below, hash63, seed_rng

njit = make_njit(Path(__file__))

DEPTH = 200  # maximum number of edges of a descent; then the rollout begins
DEALT = 256  # maximum number of uniformly sampled worlds per decision; later ones are resampled from these
# Random number streams for the seeds of worlds, the choice of a world, and chance in a world.
DEAL, CHOICE, CHANCE = 0xDEA, 0xC40, 0x10C
PRIOR = 50.0  # a move's prior logit is divided by this number plus the number of the move's simulations
SHARPNESS = 20.0  # a move's prior logit is this number times its expected share of the win

ROOT = 0  # index of the root in the array of nodes
NODE = aligned_record(
    ("key", "i8"),  # key of the edge from the parent
    ("child", "i4"),  # index of the first child; 0: none
    ("sibling", "i4"),  # index of the next sibling; 0: none
    ("visits", "i4"),
    ("total", "f8"),  # sum of the returns of the seat that moved to the node
)


def _unbound(*_: object) -> Any:
    raise NotImplementedError("of the game")


# From the game and its afterstates (`Afterstates.names`); `bind_search` replaces these names.
apply = write_mask = determinize = reward_shares = list_moves = _unbound
evaluate_in_worlds = write_standing = edge_key = prune_moves = _unbound
judge = roll_out = standing = _unbound  # from `BY_MODEL` or `BY_CHANCE`
WORLDS = CONSIDERED = 0
TILT = EXPLORE = WEIGHT = 0.0


class Moves(NamedTuple):
    """The moves of one decision, in arrays (actions,)."""

    actions: np.ndarray  # int64
    logits: np.ndarray  # logits of the prior, float64
    shares: np.ndarray  # expected share of the win of the seat to act, float64
    keys: np.ndarray  # key of each move's edge, int64
    nodes: np.ndarray  # child node at the end of each move's edge, or 0: int64
    sums: np.ndarray  # sum of the seat's shares over each move's simulations, float64
    tried: np.ndarray  # number of each move's simulations, int64
    ranked: np.ndarray  # indices of the moves, best first, int64


class Memory(NamedTuple):
    """Scratch memory of a search, for one thread."""

    world: np.ndarray  # a sampled world, and the copy of it in which a simulation plays: records (2,)
    mask: np.ndarray  # legal moves, int8 (actions,)
    root: Moves  # moves of the decision
    here: Moves  # moves of a position in a simulation
    nodes: np.ndarray  # the tree, `NODE` (simulations + 2 * actions + 2,)
    path: np.ndarray  # nodes of a descent, int64 (DEPTH,)
    movers: np.ndarray  # seat that moved to each of these nodes, int64 (DEPTH,)
    result: np.ndarray  # result of a simulation: the share of each seat, float64 (seats,)
    scores: np.ndarray  # scores of a finished game, int64 (seats, categories)
    reward: np.ndarray  # the reward that shares measure, in the form of `network.WIN`: float64 (3,)
    dealt: np.ndarray  # seeds of uniformly sampled worlds, int64 (at most DEALT,)
    cumulative: np.ndarray  # cumulative weights of these worlds, float64


# ---------------------------------------------------------------- moves with a model


def judge_by_model(s, t, mask, worlds, mind, moves):
    """Write the legal moves with priors and shares, from `worlds` determinizations; return how many moves."""
    net, scratch = mind
    count = evaluate_in_worlds(s, t, mask, worlds, net, scratch)
    for i in range(count):
        moves.actions[i] = scratch.actions[i]
        moves.logits[i] = scratch.logits[i]
        if not net.is_policy:
            moves.shares[i] = share_of(scratch.logits[i])
            moves.logits[i] = SHARPNESS * moves.shares[i]
    if net.is_policy:  # `share_of_move` needs one row of features per move, so only one world
        if worlds > 1:
            evaluate_in_worlds(s, t, mask, 1, net, scratch)
        for i in range(count):
            moves.shares[i] = share_of_move(net, i)
    return count


def expected(count, mind, moves):
    """Return the share that the seat to act expects: of its best move, or on average under a policy."""
    if not mind.net.is_policy:
        return moves.shares[best_of(count, moves.shares)]
    most, norm, total = moves.logits[best_of(count, moves.logits)], 0.0, 0.0
    for i in range(count):
        weight = np.exp(moves.logits[i] - most)
        norm += weight
        total += weight * moves.shares[i]
    return total / norm


def standing_by_model(s, t, seat, mind):
    """The logit of a seat's share of the win in any position."""
    net, scratch = mind
    x = net.features[0]
    x[:] = 0
    write_standing(s, t, seat, net.reads_ratings, scratch, x)
    begin_sums(net, x)
    read_move(net, 0)
    write_logits(net, 1, scratch.row_logits)
    if not net.is_policy:
        return scratch.row_logits[0]
    share = share_of_move(net, 0)
    return np.log(share / (1 - share))


def roll_out_by_model(s, t, seat, begun, others, mind, memory):
    """Play each seat's best moves until `seat` is to act in a round after `begun`; write its share.

    `others`: whether the other seats' shares are needed too. If the game ends first, all shares are written.
    """
    n, result = int(s.num_players), memory.result
    while s.over == RUNNING:
        write_mask(s, t, s.player, memory.mask)
        ends = s.player == seat and s.round_number != begun
        if not ends:
            prune_moves(s, memory.mask)
        count = judge_by_model(s, t, memory.mask, 1, mind, memory.here)
        if ends:
            result[seat] = expected(count, mind, memory.here)
            for j in range(n):
                if others and j != seat:
                    two = n == 2 and memory.reward[0] < 0
                    result[j] = 1.0 - result[seat] if two else share_of(standing_by_model(s, t, j, mind))
            return
        apply(s, t, memory.here.actions[best_of(count, memory.here.logits)])
    reward_shares(s, t, memory.reward, memory.scores, result)


# ---------------------------------------------------------------- moves without a model


def judge_by_chance(s, t, mask, worlds, mind, moves):
    """Write the legal moves as equally good; return how many."""
    count = list_moves(mask, moves.actions)
    moves.logits[:count] = 0.0
    moves.shares[:count] = 0.5
    return count


def standing_by_chance(s, t, seat, mind):
    """Return 0 as the logit of a seat's share of the win, which is unknown."""
    return 0.0


def roll_out_by_chance(s, t, seat, begun, others, mind, memory):
    """Play random moves to the end; write the shares of all seats."""
    while s.over == RUNNING:
        write_mask(s, t, s.player, memory.mask)
        count = list_moves(memory.mask, memory.here.actions)
        apply(s, t, memory.here.actions[below(s, count)])
    reward_shares(s, t, memory.reward, memory.scores, memory.result)


# ---------------------------------------------------------------- worlds


def weigh_worlds(origin, t, key, mind, memory):
    """Sample worlds uniformly for the seat to act; write their seeds and cumulative weights."""
    seat, cumulative = int(origin.player), memory.cumulative
    for i in range(len(cumulative)):
        memory.dealt[i] = hash63(key, i, DEAL)
        determinize(origin, t, seat, memory.dealt[i], memory.world[:1])
        cumulative[i] = 0.0
        for j in range(origin.num_players):
            if j != seat:
                cumulative[i] += TILT * standing(memory.world[0], t, j, mind)
    most, total = cumulative[best_of(len(cumulative), cumulative)], 0.0
    for i in range(len(cumulative)):
        total += np.exp(cumulative[i] - most)
        cumulative[i] = total


def draw_world(origin, t, key, k, memory):
    """Sample the seat's k-th world into `memory.world[0]`, and seed the random numbers in it."""
    seed = hash63(key, k, CHOICE)
    if TILT != 0:
        i, last = 0, len(memory.cumulative) - 1
        at = (seed & 0xFFFFFFFF) * 2.0**-32 * memory.cumulative[last]
        while i < last and memory.cumulative[i] <= at:
            i += 1
        seed = memory.dealt[i]
    determinize(origin, t, int(origin.player), seed, memory.world[:1])
    seed_rng(memory.world[0], hash63(key, k, CHANCE))


# ---------------------------------------------------------------- sequential halving at the root


def compare(origin, t, mask, key, simulations, deep, mind, memory, visits):
    """Search a decision; add to `visits`, int64 (actions,), each move's simulations, and 1 for the best."""
    root, seat = memory.root, int(origin.player)
    count = merge_moves(origin, True, judge(origin, t, mask, WORLDS, mind, root), root)
    rank_moves(count, root.logits, root.ranked)
    left = min(count, CONSIDERED)
    root.sums[:count], root.tried[:count] = 0.0, 0
    rounds, k, used = 0, 0, 1
    while 1 << rounds < left:
        rounds += 1
    if left > 1 and TILT != 0:
        weigh_worlds(origin, t, key, mind, memory)
    clear_node(memory.nodes, ROOT, 0)
    while left > 1:
        for _ in range(max(1, simulations // (rounds * left))):
            draw_world(origin, t, key, k, memory)
            k += 1
            for i in root.ranked[:left]:
                memory.world[1] = memory.world[0]
                used = simulate(memory.world[1], t, seat, i, used, deep, mind, memory)
                root.sums[i] += memory.result[seat]
                root.tried[i] += 1
        for i in root.ranked[:left]:
            # `here.shares` is unused between simulations, so it can hold the worth of the moves.
            worth = (root.sums[i] + WEIGHT * root.shares[i]) / (root.tried[i] + WEIGHT)
            memory.here.shares[i] = worth + root.logits[i] / (PRIOR + root.tried[i])
        sort_moves(memory.here.shares, root.ranked[:left])
        left = (left + 1) // 2
    for i in range(count):
        visits[root.actions[i]] += root.tried[i]
    visits[root.actions[root.ranked[0]]] += 1


def rank_moves(count, worth, ranked):
    """Write the indices 0 to `count` - 1 into `ranked`, those with the highest `worth` first."""
    for i in range(count):
        ranked[i] = i
    sort_moves(worth, ranked[:count])


def sort_moves(worth, ranked):
    """Sort moves by their worth, best first; moves of equal worth keep their order."""
    for k in range(1, len(ranked)):
        i, at = ranked[k], k
        while at > 0 and worth[ranked[at - 1]] < worth[i]:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = i


# ---------------------------------------------------------------- the tree

# The tree is an array of `NODE` records. A node sums the returns of the seat that moved to it (max^n).


@njit
def find_child(nodes, parent, key):
    """Return the child of `parent` at the end of the edge `key`, or 0."""
    at = int(nodes[parent].child)
    while at != 0 and nodes[at].key != key:
        at = int(nodes[at].sibling)
    return at


@njit
def best_of(count, worth):
    """Return the index of the highest of the first `count` numbers; ties go to the lowest index."""
    best = 0
    for i in range(1, count):
        if worth[i] > worth[best]:
            best = i
    return best


@njit
def choose_edge(nodes, parent, count, moves, explore, weight):
    """Choose an edge by PUCT (Rosin 2011) among the first `count` moves, which are legal in this world.

    Args:
        nodes: the tree.
        parent: the node at which the edge begins.
        count: number of moves.
        moves: `Moves`; its array `nodes` gets the child of each move, or 0.
        explore: weight of the prior in PUCT.
        weight: the expected share of a move counts as this number of simulations.
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
    """Add the node `child` below `parent`, at the end of the edge `key`."""
    clear_node(nodes, child, key)
    nodes[child].sibling = nodes[parent].child
    nodes[parent].child = child


@njit
def clear_node(nodes, at, key):
    """Reset a node: no visits and no children; `key`: key of its edge."""
    nodes[at].key = key
    nodes[at].child = 0
    nodes[at].sibling = 0
    nodes[at].visits = 0
    nodes[at].total = 0.0


@njit
def back_up(nodes, path, movers, depth, result):
    """Add the returns of a simulation to the nodes on its path; `movers`: seats that moved to them."""
    nodes[ROOT].visits += 1
    for d in range(depth):
        nodes[path[d]].visits += 1
        nodes[path[d]].total += result[movers[d]]


# ---------------------------------------------------------------- tree search


def merge_moves(s, own, count, moves):
    """Of moves with equal edge keys, keep the one with the highest logit; return how many moves remain.

    `own`: as in `edge_key`.
    """
    kept = 0
    for i in range(count):
        key, at = edge_key(s, moves.actions[i], own), 0
        while at < kept and moves.keys[at] != key:
            at += 1
        if at == kept:
            kept += 1
        elif moves.logits[i] <= moves.logits[at]:
            continue
        moves.keys[at], moves.actions[at] = key, moves.actions[i]
        moves.logits[at], moves.shares[at] = moves.logits[i], moves.shares[i]
    return kept


def simulate(s, t, seat, i, used, deep, mind, memory):
    """Make move i of the root in world `s`, descend, add a leaf and back up; return the new `used`.

    `used`: number of nodes in use; `deep`: whether the tree grows below the first move.
    """
    nodes, moves, begun, at, depth = memory.nodes, memory.root, int(s.round_number), ROOT, 0
    child = find_child(nodes, ROOT, moves.keys[i])
    while True:
        grown = child == 0
        if grown:
            child = used
            used += 1
            grow(nodes, at, child, moves.keys[i])
        memory.path[depth], memory.movers[depth] = child, s.player
        depth += 1
        apply(s, t, moves.actions[i])
        if grown or depth == DEPTH or not deep:
            roll_out(s, t, seat, begun, depth > 1, mind, memory)
            break
        skip_forced(s, t, memory.mask)
        if s.over != RUNNING:
            reward_shares(s, t, memory.reward, memory.scores, memory.result)
            break
        at, moves = child, memory.here
        count = judge(s, t, memory.mask, 1, mind, moves)
        count = merge_moves(s, s.player == seat, count, moves)
        i = choose_edge(nodes, at, count, moves, EXPLORE, WEIGHT)
        child = int(moves.nodes[i])
    back_up(nodes, memory.path, memory.movers, depth, memory.result)
    return used


def skip_forced(s, t, mask):
    """Play on while only one move is legal; write the legal moves of the next real decision to `mask`."""
    while s.over == RUNNING:
        write_mask(s, t, s.player, mask)
        only, choices = 0, 0
        for action in range(len(mask)):
            if mask[action]:
                only, choices = action, choices + 1
        if choices > 1:
            return
        apply(s, t, only)


def compare_rows(worlds, masks, keys, parameters, simulations, deep, mind, memory, visits):
    """Run `compare` for each row.

    Args:
        worlds: records (n,), each a state that its seat to act considers possible.
        masks: legal moves, int8 (n, actions).
        keys: int64 (n,), the seeds of all random numbers.
        parameters: parameters of the game, one record (1,).
        simulations: number of simulations for each decision.
        deep: whether a tree grows below the first move.
        mind: the model, `Evaluator`, or None.
        memory: `Memory`.
        visits: output, int64 (n, actions), zeros before.
    """
    for n in range(len(keys)):
        compare(worlds[n], parameters[0], masks[n], keys[n], simulations, deep, mind, memory, visits[n])


# ---------------------------------------------------------------- binding

BY_MODEL = {
    "judge": judge_by_model,
    "roll_out": roll_out_by_model,
    "standing": standing_by_model,
}
BY_CHANCE = {
    "judge": judge_by_chance,
    "roll_out": roll_out_by_chance,
    "standing": standing_by_chance,
}
TEMPLATE: tuple[Any, ...] = (
    *(*BY_MODEL.values(), *BY_CHANCE.values(), expected, weigh_worlds, draw_world, compare),
    *(rank_moves, sort_moves, merge_moves, simulate, skip_forced, compare_rows),
)


class Search(NamedTuple):
    """The compiled search of one game, by a model or by random play."""

    of: Afterstates
    by_model: bool
    names: dict[str, Any]  # the compiled functions of the template, and the names that they use

    @property
    def compare_rows(self) -> Any:
        """The compiled `compare_rows`."""
        return self.names["compare_rows"]

    def new_memory(self, simulations: int, reward: tuple[float, ...] = WIN) -> Memory:
        """Scratch memory of one thread; `reward`: see `network.WIN`."""
        spec = self.of.spec
        dealt = min(DEALT, simulations) if self.by_model and self.of.tilt else 1
        return Memory(
            world=spec.new_states(2),
            mask=np.zeros(spec.action_count, np.int8),
            root=new_moves(spec.action_count),
            here=new_moves(spec.action_count),
            nodes=np.zeros(simulations + 2 * spec.action_count + 2, NODE),
            path=np.zeros(DEPTH, np.int64),
            movers=np.zeros(DEPTH, np.int64),
            result=np.zeros(spec.max_players),
            scores=np.zeros((spec.max_players, len(spec.score_names)), np.int64),
            reward=np.array(reward, np.float64),
            dealt=np.zeros(dealt, np.int64),
            cumulative=np.zeros(dealt),
        )


def new_moves(actions: int) -> Moves:
    whole, real = np.zeros((5, actions), np.int64), np.zeros((3, actions))
    return Moves(whole[0], real[0], real[1], whole[1], whole[2], real[2], whole[3], whole[4])


@lru_cache(maxsize=64)
def bind_search(of: Afterstates, by_model: bool) -> Search:
    """Bind the template to a game, for a search by a model or by random play to the end."""
    kind, way = (BY_MODEL, "model") if by_model else (BY_CHANCE, "chance")
    names = {**globals(), **of.names, "TILT": of.tilt if by_model else 0.0}
    names |= {"EXPLORE": 0.3, "WEIGHT": 8.0, "CONSIDERED": 8} if by_model else {}
    if not by_model:
        names |= {"EXPLORE": 2.0, "WEIGHT": 1.0, "CONSIDERED": of.spec.action_count}
    decorate = make_njit(of.njit, rng.njit, Path(__file__))
    unused = set((BY_CHANCE if by_model else BY_MODEL).values())
    for function in TEMPLATE:
        if function not in unused:
            name = f"{of.name}.{way}.{function.__name__}"
            names[function.__name__] = decorate(with_globals(function, __name__, names, name))
    for name, function in kind.items():
        names[name] = names[function.__name__]
    return Search(of, by_model, names)
