"""Plays `rollouts:PATH:N`: tries the best moves by truncated rollouts in likely worlds.

Each simulation (Tesauro and Galperin 1996) draws a world, makes one of the moves, lets every seat play what
the value likes best up to the own next turn, and asks the value what that is worth. Moves are compared in the
same worlds; by sequential halving (Karnin, Koren and Somekh 2013) the worse half is dropped after each round.
What the value said of a move beforehand counts as `PRIOR` simulations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.games.space_mission.compiled import njit
from spacemission_agents.games.space_mission.value.moves import (
    evaluate_moves,
    new_scratch,
    share_of,
    win_shares,
)
from spacemission_agents.games.space_mission.value.network import new_network
from spacemission_agents.games.space_mission.value.worlds import DEALT, likely_world, weigh_worlds
from spacemission_agents.models.policy import PolicyAgent
from spacemission_agents.tree_search.agent import SearchAgent, split_model
from spacemission_env.core.agents import Decisions, GameInfo
from spacemission_env.core.constants import NO_ORDER, RUNNING
from spacemission_env.core.errors import AgentError
from spacemission_env.core.rng import hash63, next32
from spacemission_env.games.space_mission.engine import constants as c
from spacemission_env.games.space_mission.engine.legal import write_mask
from spacemission_env.games.space_mission.engine.rules import apply
from spacemission_env.games.space_mission.engine.state import STATE

NAME = "rollouts"
STREAM = 0x5EA  # of the worlds
CONSIDERED = 8  # moves that are tried, the best by their values
PRIOR = 8.0
LEFT_OUT = 0.7  # of the top-ups that discard, in the decisions of a simulation
TURNS = 1  # own turns later that a simulation ends


@njit
def leave_out_some(s, mask):
    """Leave most top-ups out of a decision, to save time; the random numbers are the world's own."""
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
def roll_out(world, t, action, net, scratch, told):
    """One simulation: what a move of the seat to act turns out to be worth to it, from 0 to 1.

    `world`: states (1,), played on; `told`: out, float64 (turns,), the value at each of the seat's next
    turns, at the last of which the simulation ends; where the game is over before, how it ended.
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
        if not (begins and turn == len(told) - 1):
            leave_out_some(s, mask)
        best = np.argmax(scratch.logits[: evaluate_moves(s, t, mask, net, scratch)])
        if begins:
            told[turn] = share_of(scratch.logits[best])
            turn += 1
            if turn == len(told):
                return
        apply(s, t, scratch.actions[best], NO_ORDER)
    win_shares(s, t, scratch.scores, scratch.shares)
    told[turn:] = scratch.shares[seat]


@njit
def think(origin, t, mask, key, simulations, net, scratch, world, visits):
    """Write how often each move was tried, one more for the one that is best in the end, into visits.

    Args:
        origin: the world that the seat to act holds possible.
        t: its parameters.
        mask: its legal moves.
        key: seed of all chance.
        simulations: in all, about.
        net: `Network`.
        scratch: `moves.Scratch`.
        world: states (2,), scratch memory.
        visits: out, int64 (ACTION_COUNT,), added to.
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
    told, places = np.zeros(TURNS), np.arange(left)
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
                roll_out(world[1:], t, moves[i], net, scratch, told)
                sums[i] += told[-1]
                tried[i] += 1
        worth = (sums + PRIOR * first) / (tried + PRIOR)
        places[:left] = places[:left][np.argsort(-worth[places[:left]], kind="mergesort")]
        left = (left + 1) // 2
    for i in range(len(moves)):
        visits[moves[i]] += tried[i]
    visits[moves[places[0]]] += 1


@njit
def think_rows(worlds, masks, keys, parameters, simulations, net, scratch, world, visits):
    """`think` for each row; `masks`: not zero where legal."""
    for n in range(len(worlds)):
        think(worlds[n], parameters[0], masks[n], keys[n], simulations, net, scratch, world, visits[n])


class RolloutAgent(SearchAgent):
    """Tries the moves that a value of afterstates likes best by truncated rollouts; plays the best."""

    name = NAME

    def __init__(self, parameter: str | None = None) -> None:
        """Load `PATH:N`; AgentError names the folder and what does not fit."""
        path, simulations = split_model(NAME, parameter)
        super().__init__(simulations)
        self._policy = PolicyAgent(path)
        if not self._policy.wants_worlds:
            raise AgentError(f"agent {NAME!r}: {path}: expected a value of afterstates (preset scratch)")

    @property
    def card(self) -> dict[str, Any]:
        """The card of the model folder (models/card.py)."""
        return self._policy.card

    def prepare(self, info: GameInfo) -> None:
        """Refuse a game that the model was not trained for, as `policy:PATH` does."""
        self._policy.prepare(info)

    def _new_tools(self) -> tuple[Any, Any, np.ndarray]:
        return new_network(self._policy.arrays), new_scratch(), np.zeros(2, STATE)

    def _rated(self, decisions: Decisions) -> np.ndarray:
        return np.array(decisions.masks, np.float64)

    def _search(
        self,
        worlds: np.ndarray,
        parameters: Any,
        keys: np.ndarray,
        tools: Any,
        rated: np.ndarray,
        out: np.ndarray,
    ) -> None:
        think_rows(worlds, rated, keys, parameters, self.simulations, *tools, out)
