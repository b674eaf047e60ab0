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
from spacemission_agents.models.network_input import find_network_input
from spacemission_agents.models.policy import probabilities_of
from spacemission_env.core.agents import Agent, Decisions, agent_name, make_agent
from spacemission_env.core.errors import SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, Components
from spacemission_env.core.reading import Json
from spacemission_train.settings import Form, Settings

MOST_NODES = 200_000  # maximum number of nodes of a tree; in a larger game the network is measured by games
# A lower entropy of the policy, in nats, causes a warning: at 0.05 nats the policy hardly explores.
LEAST_ENTROPY = 0.05
# So does an entropy below this share of that in the first row; a policy that learns well keeps more.
LEAST_ENTROPY_SHARE = 0.1
# So does a fall of a win share by more than three times the half-width of its 95 % interval over 400 games.
MOST_FALLEN = 0.15
EVALUATION_STREAM = 0xE7A1  # changes the seeds, so that evaluations and training have different set-ups


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


def score(results: list[WinShare], against: str) -> float:
    """Mean, over the results against one opponent, of win share × number of players; 1: equal strength."""
    return float(np.mean([one.share * one.players for one in results if one.opponent == against]))


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
    begin. `told` is called with the number of games played so far.
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
        played.append(
            play_games([agent, opponent], lineups[part], seeds[part], rules, components, 1, game=game)
        )
        done, more = min(games, done + more), 2 * more
        told(done)
    seats, lineups, seeds, rows = seats[:done], lineups[:done], seeds[:done], np.arange(done)
    points = np.concatenate([win_parts(results.winners) for results in played])[rows, seats]
    figures = share_with_interval(points, np.full(done, parts_of_win(num_players)), seeds)
    totals = np.concatenate([results.scores[..., -1].astype(np.int64) for results in played])
    own = totals[rows, seats]
    others = np.where(lineups == 0, np.iinfo(np.int64).min, totals).max(1)
    return WinShare(
        opponent=name,
        share=figures["share"],
        low=figures["low"],
        high=figures["high"],
        games=done,
        truncated=float(np.concatenate([results.truncated for results in played]).mean()),
        margin=float((own - others).mean()),
        players=num_players,
    )


class NetworkPlayer(Agent):
    """A network in memory that plays as `policy:FOLDER` does."""

    needs = {"observations", "worlds"}

    def __init__(self, form: Form, arrays: dict[str, np.ndarray]) -> None:
        self.form, self._input = form, find_network_input(form.game)
        self._network = self._input.new_network(arrays, form.card())

    def act(self, decisions: Decisions) -> np.ndarray:
        """A legal action for each row: int64 (n,)."""
        return self._input.run_rows(decisions, self._network, self.form.mixed)[0]

    def logits(self, decisions: Decisions) -> np.ndarray:
        """The network's output before masking, float32 (n, actions)."""
        return self._input.run_rows(decisions, self._network, False)[1]

    def action_probabilities(self, decisions: Decisions) -> np.ndarray | None:
        """The policy's probabilities, float64 (n, actions), if `act` samples moves from them; else None."""
        return probabilities_of(self.logits(decisions), decisions.masks) if self.form.mixed else None


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


# ------------------------------------------------------------ early warnings


def warnings(rows: list[Json]) -> dict[str, str]:
    """The warnings that the rows of progress.csv cause now, one line for each kind."""
    found = {}
    last = rows[-1]
    first, entropy = rows[0].get("entropy") or 0.0, last.get("entropy")
    from_first = f" (at first {first:.3f})" if len(rows) > 1 else ""
    if entropy is not None and entropy < max(LEAST_ENTROPY, LEAST_ENTROPY_SHARE * first):
        found["entropy"] = (
            f"the policy's entropy is down to {entropy:.3f} nats{from_first}: it no longer"
            " explores; a larger `entropy` or a smaller `learning_rate` may help"
        )
    for column in last:
        if column.startswith("win_") and column != "win_best" and _has_fallen([row[column] for row in rows]):
            best = max(row[column] for row in rows)
            found[column] = f"{column} has fallen to {last[column]:.1%}, twice in a row; it was {best:.1%}"
    return found


def _has_fallen(shares: list[float]) -> bool:
    return len(shares) > 2 and all(share < max(shares[:-2]) - MOST_FALLEN for share in shares[-2:])
