"""Measures a run's network by games, or on the whole tree of a small game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np

from spacemission_agents import exploitability as exact
from spacemission_agents.arena.play import Results, play_games
from spacemission_agents.arena.schedule import set_up_seed
from spacemission_agents.arena.shares import parts_of_win, share_with_interval, win_parts
from spacemission_env.core.agents import Agent, Decisions, agent_name, make_agent
from spacemission_env.core.errors import AgentError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, Components
from spacemission_env.core.reading import Json
from spacemission_train.settings import Settings

MOST_NODES = 200_000  # maximum number of nodes of a tree; in a larger game the network is measured by games
EVALUATION_STREAM = 0xE7A1  # changes the seeds, so that evaluations and training have different set-ups


class OutOfTimeError(AgentError):
    """The deadline of `Until` has passed."""


class Until(Agent):
    """Plays as another agent does until a deadline (`time.monotonic`); then OutOfTimeError ends the game."""

    def __init__(self, agent: Agent, deadline: float) -> None:
        self._agent, self._deadline, self.needs = agent, deadline, agent.needs

    def act(self, decisions: Decisions) -> np.ndarray:
        if monotonic() > self._deadline:
            raise OutOfTimeError("out of time")
        return self._agent.act(decisions)


@dataclass(frozen=True)
class WinShare:
    """A measured win share: wins divided by games; a win shared by k seats counts 1 / k.

    Attributes:
        opponent: name of the agent in all other seats.
        share: the win share.
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


def score(results: list[WinShare], against: str, of: str = "share") -> float:
    """Mean, over the results against one opponent, of win share × number of players; 1: equal strength.

    With `of="low"`, the lower end of the intervals takes the place of the win share.
    """
    return float(np.mean([getattr(one, of) * one.players for one in results if one.opponent == against]))


def win_share(
    agent: Agent,
    opponent: str | Agent,
    num_players: int,
    games: int,
    seed: int,
    rules: str | None,
    components: Components | str | None,
    name: str | None = None,
    game: str = DEFAULT_GAME,
    deadline: float = float("inf"),
    told: Callable[[int], object] = lambda games: None,
) -> WinShare:
    """Play `games` games of the agent, from each seat in turn, against the opponent in all other seats.

    The same seed gives all agents the same set-ups, so that their results can be compared. `name`: the
    opponent's name in the result; None: its `agent_name`. After the deadline (`time.monotonic`) no more games
    begin. Games that end by OutOfTimeError (`Until`) do not count, but if there are no others, the first
    set-up counts as lost. `told` is called with the number of games played so far.
    """
    opponent, name = make_agent(opponent, game), name or agent_name(opponent)
    seats = np.arange(games) % num_players
    lineups = np.ones((games, num_players), np.int64)
    lineups[np.arange(games), seats] = 0
    # The agent plays each set-up once from each seat.
    seeds = np.array([set_up_seed(seed ^ EVALUATION_STREAM, i // num_players) for i in range(games)])
    played: list[Results] = []
    done, more = 0, num_players if deadline < float("inf") else games
    while done < games and (not played or monotonic() < deadline):
        part = slice(done, done + more)
        try:
            played.append(
                play_games([agent, opponent], lineups[part], seeds[part], rules, components, 1, game=game)
            )
        except OutOfTimeError:
            break
        done, more = min(games, done + more), 2 * more
        told(done)
    if not played:
        lost = share_with_interval(np.zeros(num_players), np.ones(num_players), seeds[:num_players])
        return WinShare(name, **lost, truncated=1.0, margin=0.0, players=num_players)
    seats, lineups, seeds, rows = seats[:done], lineups[:done], seeds[:done], np.arange(done)
    points = np.concatenate([win_parts(results.winners) for results in played])[rows, seats]
    figures = share_with_interval(points, np.full(done, parts_of_win(num_players)), seeds)
    totals = np.concatenate([results.scores[..., -1].astype(np.int64) for results in played])
    own = totals[rows, seats]
    others = np.where(lineups == 0, np.iinfo(np.int64).min, totals).max(1)
    truncated = float(np.concatenate([results.truncated for results in played]).mean())
    margin = float((own - others).mean())
    return WinShare(name, **figures, truncated=truncated, margin=margin, players=num_players)


class Exploitability:
    """The exact distance of policies from an equilibrium, for a game with a small tree."""

    def __init__(self, settings: Settings) -> None:
        """Grow the tree; SetupError if the tree is too large."""
        of = settings
        if len(of.player_counts) > 1:
            raise SetupError("exploitability: one number of players")
        game = make_game(of.game, of.players[0], of.rules, of.components)
        self.tree = exact.grow(game, of.reward, MOST_NODES)
        self.of_uniform = exact.nash_conv(self.tree, exact.uniform(self.tree))

    def nash_conv(self, player: Agent) -> float:
        """The sum of what each seat gains by a best response to the player in all other seats."""
        return exact.nash_conv(self.tree, exact.policy_of(player, self.tree))
