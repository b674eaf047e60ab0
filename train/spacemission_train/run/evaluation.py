"""Measures an agent's win share against one opponent in all other seats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spacemission_agents.arena.games import play_games
from spacemission_agents.arena.schedule import set_up_seed
from spacemission_agents.arena.shares import share_with_interval
from spacemission_env.core.agents import Agent, agent_name
from spacemission_env.core.game_spec import DEFAULT_GAME, Components
from spacemission_env.core.reading import Json

EVALUATION_STREAM = 0xE7A1  # changes the seeds, so that evaluations and training have different set-ups


@dataclass(frozen=True)
class WinShare:
    """A measured win share: wins divided by games; a win shared by k seats counts 1 / k.

    Attributes:
        opponent: agent in all other seats.
        low, high: 95 % interval of the share, as in the arena (shares.py).
        truncated: share of games that ended by the round limit.
        margin: mean of the agent's score minus the highest other score.
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
        """The name of this measurement on a model card."""
        return f"win_share_against_{self.opponent}_{self.players}p"

    def to_json(self) -> Json:
        """The entry of a model card."""
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in vars(self).items()}


def score(results: list[WinShare], against: str) -> float:
    """Average of win share × number of players, over the player counts played; 1: equal to the opponent."""
    return float(np.mean([one.share * one.players for one in results if one.opponent == against]))


def win_share(
    agent: Agent,
    opponent: str | Agent,
    num_players: int,
    games: int,
    seed: int,
    rules: str,
    components: Components | str | None,
    name: str | None = None,
    game: str = DEFAULT_GAME,
) -> WinShare:
    """Play `games` games of the agent, from each seat in turn, against the opponent in all other seats.

    The same seed gives all agents the same set-ups, so that their results can be compared. `name`: the
    opponent's name in the result; None: its spec.
    """
    seats = np.arange(games) % num_players
    lineups = np.ones((games, num_players), np.int64)
    lineups[np.arange(games), seats] = 0
    # The agent plays each set-up once from each seat.
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
