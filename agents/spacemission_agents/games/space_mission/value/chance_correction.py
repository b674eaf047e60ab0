"""Computes the luck of a move: its value minus the mean over outcomes (AIVAT).

Chance acts in two places: the draw of cards, whose order nobody knows, and the first look into a pile, since
unseen tiles may be in any unseen pile. The correction samples other outcomes with its own random numbers. The
difference between the value after the move and the mean value over these outcomes has expectation zero, for
any number of samples. For a single drawn card the mean is exact: it covers each card of the draw pile.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.shared_network import (
    begin_values,
    new_value,
    shipped_weights,
    value_of,
)
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import NO_ORDER
from spacemission_env.core.rng import below, hash63, seed_rng, shuffle
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.rules import apply

LOOKS = 64  # sampled piles for a first look
DRAWS = 30  # the fewest sampled orders of the draw pile for several cards
WORLDS = 4  # sampled worlds for moves that an agent samples
STREAM = 0x1CC  # stream of the random numbers


@njit
def is_hidden(s, p):
    for j in range(s.num_players):
        if s.looked[j, p] != c.NOWHERE:
            return False
    return s.face_up[p] == 0 and s.taken[p] == 0


@njit
def cards_drawn(s, t, action):
    if action >= c.JUMP:
        return 0
    kept = int(s.hand_size[s.player])
    for i in range(s.hand_size[s.player]):
        kept -= action >> i & 1
    there = s.draw_size + s.discard_size + s.hand_size[s.player] - kept
    return min(int(t.hand_size) - kept, int(there))


@njit
def looks_first(s, action):
    """Whether the move is the first look into a pile."""
    if action < c.SCAN or action > c.DISCOVER:
        return False
    return is_hidden(s, int(s.ship[s.player]))


@njit
def exchange_tiles(s, dice):
    """Deal the unseen tiles anew to the unseen piles."""
    tiles = np.empty(c.TILES, np.int8)
    sizes = np.zeros(c.RING, np.int64)
    count = 0
    for p in range(c.RING):
        if is_hidden(s, p):
            for k in range(c.KINDS):
                for _ in range(s.pile[p, k]):
                    tiles[count] = k
                    count += 1
                    sizes[p] += 1
                s.pile[p, k] = 0
    shuffle(dice, tiles, count)
    for p in range(c.RING):
        if is_hidden(s, p):
            for _ in range(sizes[p]):
                count -= 1
                s.pile[p, tiles[count]] += 1


@njit
def order_pile(s, i, dice):
    """Put card i on top of the draw pile; shuffle the others and change the later random numbers."""
    top = s.draw_size - 1
    if top > 0:
        card = s.draw[top]
        s.draw[top] = s.draw[i]
        s.draw[i] = card
        shuffle(dice, s.draw, top)
    seed_rng(s, below(dice, 1 << 30))


@njit
def mean_of_looks(s, t, action, net, dice, scratch, shares, mean):
    """Write the mean value after the move over sampled deals of the unseen tiles."""
    n = int(s.num_players)
    for _ in range(LOOKS):
        scratch[0] = s
        exchange_tiles(scratch[0], dice)
        apply(scratch[0], t, action, NO_ORDER)
        value_of(scratch[0], t, net, shares)
        for j in range(n):
            mean[j] += shares[j] / LOOKS


@njit
def mean_of_draws(s, t, action, drawn, net, dice, scratch, shares, mean):
    """Write the mean value after the move over orders of the draw pile, each card equally often on top."""
    n, size = int(s.num_players), max(1, int(s.draw_size))
    single = drawn == 1 and s.draw_size > 0
    rounds = 1 if single else 1 + (DRAWS - 1) // size
    known = np.full((c.CARDS, c.MAX_PLAYERS), -1.0)  # values of single cards, by face
    for _ in range(rounds):
        for i in range(size):
            face = s.draw[i]
            if not single or known[face, 0] < 0:
                scratch[0] = s
                order_pile(scratch[0], i, dice)
                apply(scratch[0], t, action, NO_ORDER)
                value_of(scratch[0], t, net, shares)
                known[face] = shares
            for j in range(n):
                mean[j] += known[face, j] / (rounds * size)


@njit
def has_chance(s, t, action):
    return looks_first(s, action) or cards_drawn(s, t, action) > 0


@njit
def mean_of_chance(s, t, action, net, dice, scratch, shares, mean):
    """Write the mean value after a move over its chance outcomes.

    `net`: with the sums of a similar position; `dice`: a state whose random numbers are used; `mean`: out.
    """
    mean[:] = 0.0
    if looks_first(s, action):
        mean_of_looks(s, t, action, net, dice, scratch, shares, mean)
    else:
        mean_of_draws(s, t, action, cards_drawn(s, t, action), net, dice, scratch, shares, mean)


@njit
def move_chance(s, t, action, net, dice, scratch, out):
    """Add the luck of a move for each seat to `out`. `scratch`: states (1,)."""
    if not has_chance(s, t, action):
        return
    came, mean, shares = np.empty(c.MAX_PLAYERS), np.empty(c.MAX_PLAYERS), np.empty(c.MAX_PLAYERS)
    seed_rng(dice, hash63(s.seed, s.decisions, STREAM))
    scratch[0] = s
    apply(scratch[0], t, action, NO_ORDER)
    begin_values(scratch[0], t, net)
    value_of(scratch[0], t, net, came)
    mean_of_chance(s, t, action, net, dice, scratch, shares, mean)
    for j in range(s.num_players):
        out[j] += came[j] - mean[j]


@njit
def chance_batch(states, parameters, index, actions, net, worlds, out):
    """Add the luck of a move in each game of `index`, before it is made, to `out`: float64 (n, MAX_PLAYERS).

    `worlds`: states (2,), scratch memory.
    """
    for n in range(len(index)):
        move_chance(states[index[n]], parameters[0], int(actions[n]), net, worlds[1], worlds[:1], out[n])


@njit
def moves_worth(s, t, actions, net, worlds, out):
    """Add the mean value of each move for each seat, before its chance outcome, to `out`.

    All moves use the same sampled worlds. `out`: float64 (n, MAX_PLAYERS); `worlds`: states (3,), scratch
    memory.
    """
    shares, dice = np.empty(c.MAX_PLAYERS), worlds[2]
    seed_rng(dice, hash63(s.seed, s.decisions, STREAM + 1))
    begin_values(s, t, net)
    for _ in range(WORLDS):
        worlds[0] = s
        exchange_tiles(worlds[0], dice)
        order_pile(worlds[0], below(dice, max(1, int(s.draw_size))), dice)
        for n in range(len(actions)):
            worlds[1] = worlds[0]
            apply(worlds[1], t, int(actions[n]), NO_ORDER)
            value_of(worlds[1], t, net, shares)
            for j in range(s.num_players):
                out[n, j] += shares[j] / WORLDS


@njit
def draw_anew(states, index, count, dice, out):
    """Write `count` copies of each game of `index` with new unseen tiles and a new draw pile into `out`.

    `dice`: states (1,), scratch memory.
    """
    for n in range(len(index)):
        key = hash63(states[index[n]].seed, states[index[n]].decisions, STREAM + 2)
        for i in range(count):
            w = out[n * count + i]
            out[n * count + i] = states[index[n]]
            seed_rng(dice[0], hash63(key, i, STREAM + 2))
            exchange_tiles(w, dice[0])
            order_pile(w, below(dice[0], max(1, int(w.draw_size))), dice[0])


class ChanceCorrection:
    """Chance correction by the shipped value (`arena.aivat.ChanceCorrection`)."""

    # A compromise: 0.81 and 0.39 fit agents that play like the player of the rollouts, 0.51 and 0.57 (with 24
    # rollouts) other agents.
    of_rollouts = 0.65
    beside_rollouts = 0.4

    def __init__(self, weights: bytes | None = None) -> None:
        """`weights`: the file of the value, default the shipped one."""
        data = shipped_weights() if weights is None else weights
        self.digest = sha256(data).hexdigest()
        self._net = new_value(data)

    def of_deal(self, games: BatchedGames, index: np.ndarray) -> np.ndarray:
        """Nothing: all games of a block have the same deal, so it favours nobody."""
        return np.zeros((len(index), games.num_players))

    def of_draws(self, games: BatchedGames, index: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """The luck of drawn cards and of first looks."""
        luck = np.zeros((len(index), c.MAX_PLAYERS))
        worlds = games.spec.new_states(2)
        chance_batch(games.states, games.template.parameters, index, actions, self._net, worlds, luck)
        return luck[:, : games.num_players]

    def of_choices(
        self, games: BatchedGames, index: np.ndarray, actions: np.ndarray, policy: np.ndarray
    ) -> np.ndarray:
        """The value of each move before its chance outcome."""
        chance = np.zeros((len(index), games.num_players))
        worlds = games.spec.new_states(3)
        for n, i in enumerate(index.tolist()):
            moves = np.flatnonzero(policy[n])
            values = np.zeros((len(moves), c.MAX_PLAYERS))
            moves_worth(games.states[i], games.template.parameters[0], moves, self._net, worlds, values)
            mean = policy[n, moves] @ values
            chance[n] = (values[moves == actions[n]].sum(0) - mean)[: games.num_players]
        return chance

    def draw_anew(self, games: BatchedGames, index: np.ndarray, count: int, states: np.ndarray) -> None:
        """Deal the unseen tiles and the draw pile anew."""
        draw_anew(games.states, index, count, games.spec.new_states(1), states)
