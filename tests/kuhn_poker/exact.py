"""Computes values, best responses and NashConv of policies in Kuhn poker, exactly.

The game tree comes from the engine, so a policy gets the observations and masks of real play. `test_exact.py`
compares the results with published values.

    tree = grow(2)
    probabilities = tree.probabilities(lambda s: [0.5, 0.5])    # by information set, or
    probabilities = network(tree.observations, tree.masks)      # all at once: (sets, 2)
    nash_conv(tree, probabilities)                              # 0 in an equilibrium; uniform play: 11/12
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from spacemission_env.core.constants import RUNNING
from spacemission_env.games.kuhn_poker import ACTION_COUNT, BET, PASS
from tests.kuhn_poker.positions import CHIPS, position, rewards, view

MOVES = {PASS: "p", BET: "b"}


@dataclass(frozen=True)
class InformationSet:
    """What a seat knows when it is to act.

    Attributes:
        seat, card: who acts, and its card (0 the lowest).
        history: the moves so far, "p" pass and "b" bet.
        observation, mask: from the engine, float32 (observation_size,) and int8 (2,).
    """

    seat: int
    card: int
    history: str
    observation: np.ndarray
    mask: np.ndarray


Policy = Callable[[InformationSet], Sequence[float]]


@dataclass(frozen=True)
class Tree:
    """The game for some number of players; a deal is one way to deal the cards, all equally likely.

    Attributes:
        cards: (deals, players) card of each seat.
        sets: the information sets; `probabilities` arrays (sets, 2) have one row for each.
        mover: the seat to act after an unfinished history.
        rows: unfinished history to the row of its information set by the mover's card.
        gains: finished history to net chips (deals, players).
    """

    cards: np.ndarray
    sets: list[InformationSet]
    mover: dict[str, int]
    rows: dict[str, dict[int, int]]
    gains: dict[str, np.ndarray]

    @property
    def players(self) -> int:
        return self.cards.shape[1]

    @property
    def observations(self) -> np.ndarray:
        """Observations of all information sets: float32 (sets, observation_size)."""
        return np.stack([s.observation for s in self.sets])

    @property
    def masks(self) -> np.ndarray:
        """Masks of all information sets: int8 (sets, 2)."""
        return np.stack([s.mask for s in self.sets])

    def probabilities(self, policy: Policy) -> np.ndarray:
        """The probabilities of pass and bet in every information set: (sets, 2)."""
        return np.array([policy(s) for s in self.sets], float)

    def chance(self, probabilities: np.ndarray, history: str, action: int) -> np.ndarray:
        """The probability of the mover's move, by deal: (deals,)."""
        rows = self.rows[history]
        return probabilities[[rows[card] for card in self.cards[:, self.mover[history]]], action]


@lru_cache
def grow(players: int, ante: int = 1) -> Tree:
    """Build the tree with the engine."""
    deals = list(permutations(range(players + 1), players))
    tree = Tree(np.array(deals), [], {}, {}, {})
    _grow(tree, deals, ante, "")
    return tree


def _grow(tree: Tree, deals: list[tuple[int, ...]], ante: int, history: str) -> None:
    games = [position(deal, history, ante) for deal in deals]
    if games[0][0].over != RUNNING:
        tree.gains[history] = np.array([rewards(game, CHIPS) for game in games])
        return
    seat = tree.mover[history] = int(games[0][0].player)
    rows = tree.rows[history] = {}
    for deal, game in zip(deals, games, strict=True):
        if deal[seat] not in rows:
            rows[deal[seat]] = len(tree.sets)
            tree.sets.append(InformationSet(seat, deal[seat], history, *view(game, seat, ante)))
    for action in range(ACTION_COUNT):
        if tree.sets[-1].mask[action]:
            _grow(tree, deals, ante, history + MOVES[action])


def values(tree: Tree, probabilities: np.ndarray) -> np.ndarray:
    """Expected chips of each seat if all play by `probabilities` (sets, 2): (players,)."""

    def worth(history: str) -> np.ndarray:  # (deals, players)
        if history in tree.gains:
            return tree.gains[history]
        return sum(
            tree.chance(probabilities, history, action)[:, None] * worth(history + move)
            for action, move in MOVES.items()
            if history + move in tree.gains or history + move in tree.mover
        )

    return worth("").mean(0)


def best_response(tree: Tree, probabilities: np.ndarray, seat: int) -> float:
    """The highest expected chips of a seat against the others' `probabilities` (sets, 2)."""

    def worth(history: str, reach: np.ndarray) -> np.ndarray:
        # (deals,): the seat's expected chips times the others' probability of reaching this history. The
        # seat knows the history and its card, so it chooses the best move for each card.
        if history in tree.gains:
            return reach * tree.gains[history][:, seat]
        own = tree.mover[history] == seat
        after = [
            worth(
                history + MOVES[action], reach if own else reach * tree.chance(probabilities, history, action)
            )
            for action in range(ACTION_COUNT)
        ]
        if not own:
            return np.sum(after, 0)
        best = np.zeros(len(reach))
        for card in range(tree.players + 1):
            mine = tree.cards[:, seat] == card
            best[mine] = max((gains[mine] for gains in after), key=np.sum)
        return best

    deals = len(tree.cards)
    return float(worth("", np.full(deals, 1 / deals)).sum())


def nash_conv(tree: Tree, probabilities: np.ndarray) -> float:
    """The sum of what each seat could gain by a best response to `probabilities`; 0 in an equilibrium."""
    best = [best_response(tree, probabilities, seat) for seat in range(tree.players)]
    return float(np.sum(best - values(tree, probabilities)))


def kuhn_equilibrium(alpha: float) -> Policy:
    """The two-player equilibria of Kuhn (1950), `alpha` from 0 to 1/3; worth -1/18 to seat 0."""
    bets = {
        "": (alpha, 0.0, 3 * alpha),
        "pb": (0.0, alpha + 1 / 3, 1.0),
        "p": (1 / 3, 0.0, 1.0),
        "b": (0.0, 1 / 3, 1.0),
    }

    def policy(s: InformationSet) -> Sequence[float]:
        bet = bets[s.history][s.card]
        return 1 - bet, bet

    return policy
