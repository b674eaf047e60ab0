"""Estimates the advantage of each move by rollouts, for the chance correction.

One rollout player makes all moves of a rollout, to the end of the game, with new draws of what no player
knows. If an agent's move differs from the player's move, the advantage of the move is the mean result of
rollouts after the agent's move minus that after the player's move. The result of a game is the mean result of
rollouts from the deal, plus the advantages of all moves, plus chance (advantage sum: Zinkevich et al. 2006,
White and Bowling 2009). The correction is that chance. Its mean is zero for every player and every number of
rollouts. A player that plays like the agents needs fewer rollouts and leaves less variance.

Both moves are tried in the same worlds, drawn by random numbers that are independent of the game's own. All
games with one deal begin with the same rollouts, so the errors of these rollouts cancel within a block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from spacemission_agents.arena.games import play_on, shares_of_wins
from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.policy import PolicyAgent
from spacemission_env.core.agents import Agent, GameInfo, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.reading import Json

PLAYER = "heuristic"
MOST = 10_000  # maximum number of rollouts from a position
ROOM = 4096  # rollouts in one batch; if one position needs more, the batch is larger
STARTS = 8  # maximum number of rollouts from a deal: their error cancels within a block


@dataclass(frozen=True)
class RolloutSettings:
    """Settings of the correction by rollouts."""

    players: tuple[str, ...]  # specs of the rollout players; the correction is the mean over players
    digests: tuple[str | None, ...]  # sha256 of each player's weights; None for a player without weights
    count: int  # number of rollouts from a position, for each player

    def to_json(self) -> Json:
        pairs = zip(self.players, self.digests, strict=True)
        return {"count": self.count, "players": [{"player": one, "sha256": digest} for one, digest in pairs]}


def define_rollouts(count: int, players: Sequence[str], info: GameInfo, spec: GameSpec) -> RolloutSettings:
    """Check the rollout players and the number of rollouts.

    Raises:
        AgentError: a player cannot be made, does not fit the game, or searches; or the number is out of
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


class Rollouts:
    """Sums the advantages of the moves in a batch of games, by the rollouts of one player."""

    def __init__(
        self,
        games: BatchedGames,
        draw_anew: Callable[[BatchedGames, np.ndarray, int, np.ndarray], None],
        player: str,
        count: int,
    ) -> None:
        """`draw_anew`: as in `ChanceCorrection`; `player`: spec; `count`: rollouts from each position."""
        self._games, self._draw_anew, self._count = games, draw_anew, count
        self._player = make_agent(player, games.spec)
        prepare_agents([self._player], games.info)
        rules, components = games.template.rules, games.template.components
        room = max(ROOM, count)
        self._room = BatchedGames(room, games.num_players, rules, components, game=games.spec)
        self._worth = self._of_deals()

    def _of_deals(self) -> np.ndarray:
        """Mean results of rollouts from the deals, (games, seats)."""
        _, first, deal = np.unique(self._games.states["seed"], return_index=True, return_inverse=True)
        return self.worth(first, min(self._count, STARTS))[deal]

    def before(self, index: np.ndarray, actions: np.ndarray) -> None:
        """Add the advantages of these moves before they are made."""
        decisions = self._games.ask(index)
        other = self._player.act(decisions.part(self._player, np.arange(len(index))))
        differ = other != actions
        index, actions, other = index[differ], actions[differ], other[differ]
        if len(index):
            self._worth[index] += self.worth(index, self._count, actions)
            self._worth[index] -= self.worth(index, self._count, other)

    def correction(self, i: int) -> np.ndarray:
        """What chance gave each seat of game i, at its end or forfeit, in shares of the win (seats,)."""
        one = np.array([i])
        over = self._games.over[i]
        came = shares_of_wins(self._games, one) if over else self.worth(one, self._count)
        correction: np.ndarray = came[0] - self._worth[i]
        return correction

    def worth(self, index: np.ndarray, count: int, actions: np.ndarray | None = None) -> np.ndarray:
        """Mean shares of the win in rollouts from the games of `index`, (n, seats).

        `actions`: the first move of the rollouts from each game; None: the player's.
        """
        means = np.zeros((len(index), self._games.num_players))
        at_once = max(1, self._room.count // count)
        for i in range(0, len(index), at_once):
            part = index[i : i + at_once]
            room = self._room.rows(0, len(part) * count)
            self._draw_anew(self._games, part, count, room.states)
            if actions is not None:
                room.step(room.everyone, np.repeat(actions[i : i + at_once], count))
            play_on(room, self._player)
            shares = shares_of_wins(room, room.everyone)
            means[i : i + at_once] = shares.reshape(len(part), count, -1).mean(1)
        return means
