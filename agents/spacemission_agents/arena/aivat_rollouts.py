"""Rates the moves of a game by rollouts, for the chance correction.

A player that could sit in every seat plays rollouts: on to the end, many times, with what nobody knows drawn
anew each time. Where an agent's move differs from the player's, the difference between the rollouts behind
the one and behind the other is what the move was worth. The rollouts from the deal and the worth of all moves
add up to the share won, except for chance (the advantage sum of Zinkevich et al. 2006 and White and Bowling
2009): the sum over every decision has the same mean as the result, whoever the player is and however few
rollouts there are. The more the player plays like the agents, the fewer moves need rollouts, and the less is
missed.

Both moves are tried in the same worlds, drawn by random numbers that have nothing to do with the game's own.
All games of a deal begin with the same rollouts, so within a block those cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from spacemission_agents.arena.games import outcome, win_shares
from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Agent, GameInfo, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json

PLAYER = "heuristic"
MOST = 10_000  # rollouts of a position
ROOM = 4096  # games that are played on side by side, or as many as one position needs
STARTS = 8  # rollouts from the deal, at most: what they miss cancels within a block


@dataclass(frozen=True)
class RolloutSettings:
    """How moves are rated by rollouts."""

    players: tuple[str, ...]  # specs of who play on, each by itself; the correction is the mean of theirs
    digests: tuple[str | None, ...]  # sha256 of each one's weights; None where it has none
    count: int  # rollouts of a position for each of them

    def to_json(self) -> Json:
        pairs = zip(self.players, self.digests, strict=True)
        return {"count": self.count, "players": [{"player": one, "sha256": digest} for one, digest in pairs]}


def can_be_played_on(correction: Any) -> bool:
    """Whether a game can draw anew what nobody knows."""
    return hasattr(correction, "draw_anew")


def define_rollouts(count: int, players: Sequence[str], info: GameInfo, spec: GameSpec) -> RolloutSettings:
    """Check the players and how many rollouts each has.

    Raises:
        AgentError: a player cannot be made, does not fit the game, or searches; or a number is out of its
            range.
    """
    if type(count) is not int or not 1 <= count <= MOST:
        raise AgentError(f"aivat rollouts: expected a whole number from 1 to {MOST}, not {count!r}")
    made = [make_agent(player, spec) for player in players]
    for name, player in zip(players, made, strict=True):
        if player.wants_worlds and not isinstance(player, PolicyAgent):
            raise AgentError(f"aivat player: {name!r} searches; heuristic, or policy:PATH, is fast enough")
    prepare_agents(made, info)
    return RolloutSettings(tuple(players), tuple(map(player_digest, made)), count)


def player_digest(player: Agent) -> str | None:
    weights = getattr(player, "weights", None)
    if isinstance(weights, np.ndarray):
        return sha256(weights.tobytes()).hexdigest()
    return weights_digest(player)


def shares_of_wins(games: BatchedGames, index: np.ndarray) -> np.ndarray:
    """Of games that are over, float64 (n, seats)."""
    return win_shares(outcome(games, index)[2])


class Rollouts:
    """What moves were worth in games that are played side by side, by the rollouts of one player."""

    def __init__(self, games: BatchedGames, correction: Any, player: str, count: int) -> None:
        """`correction`: of the game; it draws anew what nobody knows (`aivat.ChanceCorrection.draw_anew`)."""
        self._games, self._correction, self._count = games, correction, count
        self._player = make_agent(player, games.spec)
        prepare_agents([self._player], games.info)
        rules, components = games.template.rules, games.template.components
        room = max(ROOM, count)
        self._room = BatchedGames(room, games.num_players, rules, components, game=games.spec)
        self._worth = self._of_deals()

    def _of_deals(self) -> np.ndarray:
        """What the deals are worth to the seats, (games, seats)."""
        _, first, deal = np.unique(self._games.states["seed"], return_index=True, return_inverse=True)
        return self.worth(first, min(self._count, STARTS))[deal]

    def before(self, index: np.ndarray, actions: np.ndarray) -> None:
        """Add what these moves are worth, before they are made."""
        decisions = self._games.ask(index)
        other = self._player.act(decisions.part(self._player, np.arange(len(index))))
        differ = other != actions
        index, actions, other = index[differ], actions[differ], other[differ]
        if len(index):
            self._worth[index] += self.worth(index, self._count, actions)
            self._worth[index] -= self.worth(index, self._count, other)

    def correction(self, i: int) -> np.ndarray:
        """What chance was worth to each seat of game i, over or forfeited, float64 (seats,)."""
        one = np.array([i])
        over = self._games.over[i]
        came = shares_of_wins(self._games, one) if over else self.worth(one, self._count)
        correction: np.ndarray = came[0] - self._worth[i]
        return correction

    def worth(self, index: np.ndarray, count: int, actions: np.ndarray | None = None) -> np.ndarray:
        """Mean shares of the win at the ends of rollouts from the games of `index`, (n, seats).

        `actions`: moves that are made first.
        """
        means = np.zeros((len(index), self._games.num_players))
        at_once = max(1, self._room.count // count)
        for i in range(0, len(index), at_once):
            part = index[i : i + at_once]
            room = self._room.rows(0, len(part) * count)
            self._correction.draw_anew(self._games, part, count, room.states)
            if actions is not None:
                room.step(room.everyone, np.repeat(actions[i : i + at_once], count))
            self._play_on(room)
            shares = shares_of_wins(room, room.everyone)
            means[i : i + at_once] = shares.reshape(len(part), count, -1).mean(1)
        return means

    def _play_on(self, room: BatchedGames) -> None:
        index = np.flatnonzero(~room.over)
        while len(index):
            decisions = room.ask(index)
            room.step(index, self._player.act(decisions.part(self._player, np.arange(len(index)))))
            index = index[room.states["over"][index] == 0]
