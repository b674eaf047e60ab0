"""Measures how well a network plays: its win share against one agent in all other seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spacemission_agents.arena.games import play_games
from spacemission_agents.arena.schedule import set_up_seed
from spacemission_agents.arena.shares import share_with_interval
from spacemission_env.core.agents import Agent, agent_name
from spacemission_env.core.game_spec import DEFAULT_GAME

EVALUATION_STREAM = 0xE7A1  # set-ups of evaluations are others than those of the training games


@dataclass(frozen=True)
class WinShare:
    """A measured win share: wins divided by games, a shared win counting as its share.

    Attributes:
        opponent: agent in all other seats.
        low, high: 95 % interval of the share, as in the arena (shares.py).
        truncated: share of games that ended by the round limit.
        margin: mean of own total less the best other total.
    """

    opponent: str
    share: float
    low: float
    high: float
    games: int
    truncated: float
    margin: float
    players: int = 2

    @property
    def name(self) -> str:
        """What it is called on a model's card."""
        return f"win_share_against_{self.opponent}_{self.players}p"

    def to_json(self) -> dict[str, Any]:
        """As it stands on a model's card."""
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in vars(self).items()}


def score(results: list[WinShare], against: str) -> float:
    """How good a checkpoint is: its share in terms of an equal share, the mean over numbers of players."""
    # 1 is as good as the opponent.
    return float(np.mean([one.share * one.players for one in results if one.opponent == against]))


def win_share(
    agent: Agent,
    opponent: str | Agent,
    num_players: int,
    games: int,
    seed: int,
    rules: Any,
    components: Any,
    name: str | None = None,
    game: str = DEFAULT_GAME,
) -> WinShare:
    """Play `games` games, the agent's seat moving on by one each game; the opponent has all other seats.

    The same seed gives the same set-ups, whoever plays: figures of different times compare. `name` is what
    the opponent is called in the result; default: its spec.
    """
    seats = np.arange(games) % num_players
    lineups = np.ones((games, num_players), np.int64)
    lineups[np.arange(games), seats] = 0
    # Every set-up is played once from each seat.
    seeds = np.array([set_up_seed(seed ^ EVALUATION_STREAM, i // num_players) for i in range(games)])
    results = play_games([agent, opponent], lineups, seeds, rules, components, workers=1, game=game)
    figures = share_with_interval(results.shares[np.arange(games), seats], np.ones(games), seeds)
    totals = results.scores[..., -1].astype(np.int64)
    own = totals[np.arange(games), seats]
    others = np.where(lineups == 0, np.iinfo(np.int64).min, totals).max(1)
    return WinShare(
        opponent=name or agent_name(opponent),
        share=figures["share"],
        low=figures["low"],
        high=figures["high"],
        games=games,
        truncated=float(results.truncated.mean()),
        margin=float((own - others).mean()),
        players=num_players,
    )
