"""Toy games with known solutions, for training's `Table` protocol, with exact computations.

A toy is a `Tree`: arrays over deals (all equally likely) and nodes (histories of moves). Players are numbered
by the order of their first decisions, their *role*. Each game draws which *seat* has which role, so that code
that confuses the two fails. A player observes its information set, one-hot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from spacemission_env.core.agents import Decisions

History = tuple[int, ...]
OVER = -1  # in `actor`; in `child`: an illegal move


@dataclass(frozen=True)
class Tree:
    """A game; node 0 is the start, and a node comes before its children.

    Attributes:
        actor: (nodes,) role to act, or OVER.
        child: (nodes, actions) node after a move, or OVER.
        info: (deals, nodes) information set of the role to act; 0 after the end.
        owner: (sets,) role that acts in the set.
        payoff: (deals, nodes, roles), after the end.
        phi: (deals, nodes, roles) the result of `Table.margins`.
    """

    actor: np.ndarray
    child: np.ndarray
    info: np.ndarray
    owner: np.ndarray
    payoff: np.ndarray
    phi: np.ndarray

    @property
    def roles(self) -> int:
        return self.payoff.shape[2]

    @property
    def legal(self) -> np.ndarray:
        """Legal moves of each information set: bool (sets, actions)."""
        legal = np.zeros((len(self.owner), self.child.shape[1]), bool)
        open_nodes = self.actor != OVER
        legal[self.info[:, open_nodes]] = self.child[open_nodes] != OVER
        return legal


def grow(
    deals: list[tuple[int, ...]],
    actions: int,
    actor: Callable[[History], int],
    sees: Callable[[tuple[int, ...], History, int], Hashable],
    pay: Callable[[tuple[int, ...], History], list[float]],
    lead: Callable[[tuple[int, ...], History], list[float]],
    legal: Callable[[int], list[int]] | None = None,
) -> Tree:
    """The tree of a game given by functions of deal, history and role; `actor` returns OVER at the end."""
    nodes: list[History] = [()]
    child: list[list[int]] = []
    for history in nodes:  # the loop appends to the list
        row = [OVER] * actions
        if actor(history) != OVER:
            for action in legal(actor(history)) if legal else range(actions):
                row[action] = len(nodes)
                nodes.append((*history, action))
        child.append(row)
    sets: dict[Hashable, int] = {}
    owner = []
    info = np.zeros((len(deals), len(nodes)), np.int64)
    for (d, deal), (n, history) in product(enumerate(deals), enumerate(nodes)):
        role = actor(history)
        if role != OVER:
            key = (role, sees(deal, history, role))
            if key not in sets:
                sets[key] = len(sets)
                owner.append(role)
            info[d, n] = sets[key]
    who = np.array([actor(history) for history in nodes])
    nothing = [0.0] * len(lead(deals[0], ()))
    payoff = [[pay(d, h) if actor(h) == OVER else nothing for h in nodes] for d in deals]
    phi = [[lead(d, h) for h in nodes] for d in deals]
    return Tree(who, np.array(child), info, np.array(owner), np.array(payoff), np.array(phi))


# ------------------------------------------------------------ the games

PASS, BET = 0, 1


def kuhn() -> Tree:
    """Kuhn poker (Kuhn 1950): three cards, one chip each, one bet; worth -1/18 to the first player.

    `lead` favours bets and, hidden from the learner, the better card.
    """

    def actor(history: History) -> int:
        over = len(history) >= 2 and history != (PASS, BET)
        return OVER if over else len(history) % 2

    def pay(deal: tuple[int, ...], history: History) -> list[float]:
        if history[-2:] == (BET, PASS):
            gain = 1.0 if len(history) == 2 else -1.0  # the last mover folds
        else:
            gain = (1.0 + (BET in history)) * (1 if deal[0] > deal[1] else -1)
        return [gain, -gain]

    def lead(deal: tuple[int, ...], history: History) -> list[float]:
        better = (deal[0] - deal[1]) / 2
        return [1 + 2 * sum(history[0::2]) + better, 1 + 2 * sum(history[1::2]) - better]

    def sees(deal: tuple[int, ...], history: History, role: int) -> Hashable:
        return deal[role], history

    return grow(list(permutations(range(3), 2)), 2, actor, sees, pay, lead)


def kuhn_equilibrium(alpha: float) -> np.ndarray:
    """Kuhn's equilibrium for alpha in [0, 1/3]: probabilities (12, 2), sets numbered as in `kuhn`."""
    jack, queen, king = range(3)
    bets = {
        (jack, ()): alpha,
        (queen, ()): 0,
        (king, ()): 3 * alpha,
        (jack, (PASS, BET)): 0,
        (queen, (PASS, BET)): alpha + 1 / 3,
        (king, (PASS, BET)): 1,
        (jack, (PASS,)): 1 / 3,
        (queen, (PASS,)): 0,
        (king, (PASS,)): 1,
        (jack, (BET,)): 0,
        (queen, (BET,)): 1 / 3,
        (king, (BET,)): 1,
    }
    tree = kuhn()
    odds = np.zeros((12, 2))
    histories: list[History] = [(), (PASS,), (BET,), (PASS, PASS), (PASS, BET)]  # nodes 0 to 4
    for (d, deal), (n, history) in product(enumerate(permutations(range(3), 2)), enumerate(histories)):
        if tree.actor[n] != OVER:
            bet = bets[deal[tree.actor[n]], history]
            odds[tree.info[d, n]] = 1 - bet, bet
    return odds


DOMINANT = (1, 2, 0)  # by role
BARRED = (2, 1, 3)  # each role's illegal move
OWN_GAIN = (1.0, 2.0, 3.0)  # for the own dominant move
HARM = 2.0  # for each dominant move of another player


def dilemma() -> Tree:
    """Three players who do not see each other's moves; each has a dominant move that harms the others.

    In equilibrium all make it and get OWN_GAIN - 2 * HARM. A learner that is paid another player's reward, or
    the mean, would choose any other move.
    """

    def pay(deal: tuple[int, ...], history: History) -> list[float]:
        made = np.equal(history, DOMINANT)
        return [float(OWN_GAIN[r] * made[r] - HARM * (made.sum() - made[r])) for r in range(3)]

    return grow(
        [()],
        4,
        lambda history: len(history) if len(history) < 3 else OVER,
        lambda deal, history, role: role,
        pay,
        lambda deal, history: [0.5 * len(history), 1.0, -1.0],
        lambda role: [action for action in range(4) if action != BARRED[role]],
    )


def random_tree(seed: int) -> Tree:
    """Two players in turn, at most six moves; random rewards and leads, in eighths.

    They depend on one of three deals, which only the second player sees.
    """
    rng = np.random.default_rng(seed)
    lots: dict[Hashable, list[float]] = {}
    ends: dict[History, bool] = {}

    def lot(*key: Hashable) -> list[float]:
        return lots.setdefault(key, (rng.integers(-8, 9, 2) / 8).tolist())

    def actor(history: History) -> int:
        early = ends.setdefault(history, len(history) > 1 and rng.random() < 0.2)
        return OVER if early or len(history) == 6 else len(history) % 2

    return grow(
        [(0,), (1,), (2,)],
        2,
        actor,
        lambda deal, history, role: (history, deal if role else None),
        lambda deal, history: lot("pay", deal, history),
        lambda deal, history: lot("lead", deal, history),
    )


# ------------------------------------------------------------ exact arithmetic


def uniform(tree: Tree) -> np.ndarray:
    """Equal probabilities for all legal moves: (sets, actions)."""
    return tree.legal / tree.legal.sum(1, keepdims=True)


def values(tree: Tree, odds: np.ndarray) -> np.ndarray:
    """Expected payoff of each role if all play by `odds` (sets, actions): (roles,)."""
    worth = tree.payoff.copy()
    for node in np.flatnonzero(tree.actor != OVER)[::-1]:
        for action in np.flatnonzero(tree.child[node] != OVER):
            share = odds[tree.info[:, node], action]
            worth[:, node] += share[:, None] * worth[:, tree.child[node, action]]
    return worth[:, 0].mean(0)


def gains(tree: Tree, odds: np.ndarray) -> np.ndarray:
    """What each role could gain by a best response to `odds`, found among all pure strategies: (roles,)."""
    best = np.full(tree.roles, -np.inf)
    legal = tree.legal
    for role in range(tree.roles):
        own = np.flatnonzero(tree.owner == role)
        for moves in product(*(np.flatnonzero(legal[s]) for s in own)):
            pure = odds.copy()
            pure[own] = 0.0
            pure[own, moves] = 1.0
            best[role] = max(best[role], values(tree, pure)[role])
    return best - values(tree, odds)


def average(tree: Tree, pool: np.ndarray) -> np.ndarray:
    """The policy (sets, actions) equivalent to drawing one policy of `pool` (k, sets, actions) for each game.

    In an information set, a policy is weighted by the probability of its own moves that lead there (Heinrich,
    Lanctot and Silver 2015, Fictitious Self-Play in Extensive-Form Games); the plain mean would be wrong.
    """
    weight = np.ones(
        (len(pool), *tree.info.shape, tree.roles)
    )  # probability of a role's own moves up to a node
    mixed = np.zeros(pool.shape[1:])
    for node in np.flatnonzero(tree.actor != OVER):
        role = tree.actor[node]
        for deal, s in enumerate(tree.info[:, node]):
            mixed[s] = weight[:, deal, node, role] @ pool[:, s]  # equal at every node of the set
            for action in np.flatnonzero(tree.child[node] != OVER):
                after = tree.child[node, action]
                weight[:, deal, after] = weight[:, deal, node]
                weight[:, deal, after, role] *= pool[:, s, action]
    return mixed / mixed.sum(1, keepdims=True)


# ------------------------------------------------------------ the table protocol


class TreeTable:
    """Many games of one tree, with the methods of `GameTable` that `SelfPlayVecEnv` calls."""

    dtype = "float32"

    def __init__(self, tree: Tree, count: int) -> None:
        self.tree, self.count, self.num_players = tree, count, tree.roles
        self.observation_size, self.action_count = len(tree.owner), tree.child.shape[1]
        self.seats = np.full(count, tree.roles)
        self.states = {"num_players": self.seats}
        self.dealt = np.zeros(count, np.int64)
        self.node = np.zeros(count, np.int64)
        self.first = np.zeros(count, np.int64)  # the seat of role 0
        self.seeds = np.zeros(count, np.int64)

    def deal(self, i: int, seed: int) -> None:
        self.seeds[i], self.node[i] = seed, 0
        self.dealt[i] = seed % len(self.tree.info)
        self.first[i] = seed // len(self.tree.info) % self.num_players

    def roles(self, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return (seats - self.first[index]) % self.num_players

    @property
    def players(self) -> np.ndarray:
        return (self.first + np.maximum(self.tree.actor[self.node], 0)) % self.num_players

    @property
    def over(self) -> np.ndarray:
        return self.tree.actor[self.node] == OVER

    def view(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert not self.over[index].any(), "a view of a game that is over"
        seen = self.tree.info[self.dealt[index], self.node[index]]
        masks = self.tree.child[self.node[index]] != OVER
        return np.eye(self.observation_size, dtype=np.float32)[seen], masks.astype(np.int8)

    def ask(self, index: np.ndarray) -> Decisions:
        return Decisions(*self.view(index), self.seeds[index])

    def step(self, index: np.ndarray, actions: np.ndarray) -> int:
        after = self.tree.child[self.node[index], actions]
        assert (after != OVER).all(), "an illegal move"
        self.node[index] = after
        return int(self.over[index].sum())

    def final_rewards(self, index: np.ndarray) -> np.ndarray:
        assert self.over[index].all(), "paid before the end"
        here = index[:, None]
        roles = self.roles(here, np.arange(self.num_players))
        return self.tree.payoff[self.dealt[here], self.node[here], roles].astype(np.float32)

    def truncated(self, index: np.ndarray) -> np.ndarray:
        return np.zeros(len(index), bool)

    def seen_by(self, seats: np.ndarray, index: np.ndarray) -> np.ndarray:
        # Called only after the end, where no information set is left.
        return np.zeros((len(index), self.observation_size), np.float32)

    def margins(self, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
        phi = self.tree.phi[self.dealt[index], self.node[index], self.roles(index, seats)]
        return phi.astype(np.float32)


class TablePlayers:
    """Opponents that play by tables of probabilities (sets, actions), one table per seat of a game.

    The table is the last of the pool with probability `latest`, otherwise a uniformly random one.
    """

    def __init__(self, first: np.ndarray, latest: float = 0.0, seed: int = 0) -> None:
        self.pool = first[None]
        self.latest = latest
        self.rng = np.random.default_rng(seed)

    def add(self, odds: np.ndarray) -> None:
        self.pool = np.concatenate([self.pool, odds[None]])

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        last = len(self.pool) - 1
        return np.where(rng.random(count) < self.latest, last, rng.integers(last + 1, size=count))

    def act(self, who: np.ndarray, decisions: Decisions) -> np.ndarray:
        edges = self.pool[who, decisions.observations.argmax(1)].cumsum(1)
        lots = self.rng.random(len(who)) * edges[:, -1]
        return (edges <= lots[:, None]).sum(1)

    def note(self, players: np.ndarray, results: np.ndarray) -> None:
        pass
