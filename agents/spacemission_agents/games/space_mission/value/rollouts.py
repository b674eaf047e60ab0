"""Plays `rollouts:PATH:N`: compares the best moves by truncated rollouts in likely worlds.

Each simulation (Tesauro and Galperin 1996) samples a world, makes one of the moves, plays the best moves of
all seats by the value up to the own next turn, and evaluates that position. All moves are compared in the
same worlds; sequential halving (Karnin, Koren and Somekh 2013) drops the worse half after each round. The
value of a move before the rollouts counts as `PRIOR` simulations.
"""

from __future__ import annotations

import numpy as np

from spacemission_agents.afterstates.moves import Scratch
from spacemission_agents.afterstates.network import Network, share_of
from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.afterstates import (
    evaluate_moves,
    new_network,
    new_scratch,
    win_shares,
)
from spacemission_agents.games.space_mission.value.worlds import DEALT, likely_world, weigh_worlds
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.tree_search.agent import SearchAgent, split_model
from spacemission_env.core.agents import Decisions, GameInfo
from spacemission_env.core.constants import NO_ORDER, RUNNING
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json
from spacemission_env.core.rng import hash63, next32
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.state import STATE

STREAM = 0x5EA  # stream of the worlds
CONSIDERED = 8  # the most moves that are compared
PRIOR = 8.0
LEFT_OUT = 0.7  # share of top-ups with discards that a simulation ignores
TURNS = 1  # own turns until the end of a simulation


@njit
def leave_out_some(s, mask):
    """Leave most top-ups out of a decision, to save time, by the random numbers of the world."""
    if s.phase != c.ACTION:
        return
    stay = 0
    for action in range(c.ACTION_COUNT):
        stay += mask[action]
    for action in range(c.TOP_UP + 1, c.JUMP):
        if mask[action] and stay > 1 and next32(s) < LEFT_OUT * 4294967296.0:
            mask[action] = 0
            stay -= 1


@njit
def roll_out(world, t, action, net, scratch, values):
    """Run one simulation of a move of the seat to act; the results are values from 0 to 1.

    `world`: states (1,), changed; `values`: out, float64 (turns,), the value at each of the seat's next
    turns, or its share of the win once the game has ended. The simulation ends at the last of these turns.
    """
    s, mask = world[0], scratch.mask
    seat = int(s.player)
    apply(s, t, action, NO_ORDER)
    before, turn = seat, 0
    while s.over == RUNNING:
        player = int(s.player)
        begins = player == seat and before != seat
        before = player
        write_mask(s, t, player, mask)
        if not (begins and turn == len(values) - 1):
            leave_out_some(s, mask)
        best = np.argmax(scratch.logits[: evaluate_moves(s, t, mask, net, scratch)])
        if begins:
            values[turn] = share_of(scratch.logits[best])
            turn += 1
            if turn == len(values):
                return
        apply(s, t, scratch.actions[best], NO_ORDER)
    win_shares(s, t, scratch.scores, scratch.shares)
    values[turn:] = scratch.shares[seat]


@njit
def think(origin, t, mask, key, simulations, net, scratch, world, visits):
    """Add the simulations of each move, and one for the best move, to `visits`.

    Args:
        origin: a possible world of the seat to act.
        t: the parameters.
        mask: the legal moves.
        key: the seed.
        simulations: the approximate number of simulations of all moves.
        net: `Network`.
        scratch: `afterstates.moves.Scratch`.
        world: states (2,), scratch memory.
        visits: out, int64 (ACTION_COUNT,).
    """
    count = evaluate_moves(origin, t, mask, net, scratch)
    order = np.argsort(-scratch.logits[:count], kind="mergesort")
    left = min(CONSIDERED, count)
    moves = scratch.actions[order[:left]]
    first, sums, tried = np.zeros(left), np.zeros(left), np.zeros(left, np.int64)
    for i in range(left):
        first[i] = share_of(scratch.logits[order[i]])
    rounds = 0
    while 1 << rounds < left:
        rounds += 1
    values, places = np.zeros(TURNS), np.arange(left)
    dealt = np.empty(min(DEALT, simulations), np.int64)
    cumulative = np.empty(len(dealt))
    if left > 1:
        weigh_worlds(origin, t, key, net, scratch, world, dealt, cumulative)
    worlds = 0
    while left > 1:
        for _ in range(max(1, simulations // (rounds * left))):
            likely_world(origin, t, hash63(key, worlds, STREAM), dealt, cumulative, world)
            worlds += 1
            for i in places[:left]:
                world[1] = world[0]
                roll_out(world[1:], t, moves[i], net, scratch, values)
                sums[i] += values[-1]
                tried[i] += 1
        worth = (sums + PRIOR * first) / (tried + PRIOR)
        places[:left] = places[:left][np.argsort(-worth[places[:left]], kind="mergesort")]
        left = (left + 1) // 2
    for i in range(len(moves)):
        visits[moves[i]] += tried[i]
    visits[moves[places[0]]] += 1


@njit
def think_rows(worlds, masks, keys, parameters, simulations, net, scratch, world, visits):
    """Run `think` for each row; `masks`: nonzero for legal moves."""
    for n in range(len(worlds)):
        think(worlds[n], parameters[0], masks[n], keys[n], simulations, net, scratch, world, visits[n])


Tools = tuple[Network, Scratch, np.ndarray]  # scratch memory of one thread


class RolloutAgent(SearchAgent):
    """Compares the best moves of a value of afterstates by truncated rollouts."""

    name = "rollouts"

    def __init__(self, parameter: str | None = None) -> None:
        """Load `PATH:N`; AgentError names the folder and the problem."""
        path, simulations = split_model(self.name, parameter)
        super().__init__(simulations)
        self._policy = PolicyAgent(path)
        if not self._policy.judges_moves:
            raise AgentError(
                f"agent {self.name!r}: {path}: expected a value of afterstates (preset scratch), not a policy"
            )

    @property
    def card(self) -> Json:
        """The card of the model folder (models/card.py)."""
        return self._policy.card

    def prepare(self, info: GameInfo) -> None:
        """Refuse a game that the model was not trained for, as `policy:PATH` does."""
        self._policy.prepare(info)

    def _new_tools(self) -> Tools:
        return new_network(self._policy.arrays), new_scratch(), np.zeros(2, STATE)

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return np.array(decisions.masks, np.float64)

    def _search(
        self,
        worlds: np.ndarray,
        parameters: np.ndarray | None,
        keys: np.ndarray,
        tools: Tools,
        rated: np.ndarray,
        out: np.ndarray,
    ) -> None:
        think_rows(worlds, rated, keys, parameters, self.simulations, *tools, out)
