"""Counts how often the intervals of small tournaments hold the truth, with players of known strength.

`python -m studies.known_players [TOURNAMENTS] [GAMES]` cuts one long tournament of Space Mission into so many
(default 500) of so many games of each pair (default 40); the truth is the result of all their games. Minutes.
"""

from __future__ import annotations

import sys

import numpy as np

from spacemission_agents.arena.play import OwnAgent, TournamentPlayer
from spacemission_agents.arena.ratings import rate
from spacemission_agents.arena.results import Collector
from spacemission_agents.arena.schedule import Limits, Tournament
from spacemission_agents.arena.shares import Tally
from spacemission_agents.arena.tournament import define
from spacemission_agents.bots.bot import is_bot
from spacemission_agents.games.space_mission.greedy import GreedyAgent
from spacemission_env.core.agents import Decisions, make_agent
from spacemission_env.core.masks import choose_uniform

PLAYERS = ("weak=studies.known_players:Mixed:0.2", "half=studies.known_players:Mixed:0.5", "greedy", "random")
SEED = 2058


class Mixed(GreedyAgent):
    """Plays like `greedy` in a share of its decisions, else at random: the scripted model."""

    needs = GreedyAgent.needs

    def __init__(self, parameter: str) -> None:
        super().__init__()
        self.share = float(parameter)

    def act(self, decisions: Decisions) -> np.ndarray:
        actions, others = super().act(decisions), np.zeros(len(decisions), np.int64)
        choose_uniform(decisions.masks, decisions.keys, others)
        mixed: np.ndarray = np.where((decisions.keys >> 40 & 0xFFFF) < self.share * 0x10000, actions, others)
        return mixed


def played(of: Tournament) -> np.ndarray:
    """Play a tournament in this process: a row for each set-up with its games."""
    player, collected = TournamentPlayer(of), Collector(of)
    for number, spec in enumerate(of.specs):
        if is_bot(spec, of.game):  # a process for each seat would take much longer
            player.own[number] = OwnAgent(make_agent(spec, of.game), np.inf)
    player.play(np.arange(of.set_ups * of.schedule.per_set_up), lambda games: collected.add(games.rows))
    return collected.take()


def held(tournaments: int, games: int) -> tuple[dict[str, float], dict[str, int], dict[str, float]]:
    """True value, number of intervals that hold it, and mean half width: of each pair and each rating."""
    of = define(PLAYERS, 2, Limits(games=tournaments * games), seed=SEED)
    set_ups = played(of)
    truth, ends = {}, {}  # by what is measured
    for k in range(-1, tournaments):  # first all games
        part = set_ups if k < 0 else set_ups[k * games // 2 : (k + 1) * games // 2]
        tally = Tally(part, of.schedule.lineups, of.game_spec)
        rated = rate(of.names, tally.orderings(), 2, specs=of.specs).rows
        found = {f"rating of {row['agent']}": row for row in rated if not row["anchor"]}
        for a, b in tally.pairs:
            if a < b:
                found[f"{of.names[a]} before {of.names[b]}"] = tally.ahead(a, b)
        for name, row in found.items():
            if k < 0:
                truth[name] = row.get("share", row.get("rating"))
            ends.setdefault(name, []).append((row["low"], row["high"]))
    counts = {
        name: sum(low - 1e-9 <= truth[name] <= high + 1e-9 for low, high in ends[name][1:]) for name in truth
    }
    widths = {name: float(np.mean([(high - low) / 2 for low, high in ends[name][1:]])) for name in truth}
    return truth, counts, widths


def main() -> None:
    """Print what was measured; the status is 1 if an interval holds the truth in fewer than 92 %."""
    tournaments, games = [*map(int, sys.argv[1:]), *(500, 40)[len(sys.argv) - 1 :]]
    truth, counts, widths = held(tournaments, games)
    for name, value in truth.items():
        print(
            f"{name}: {value:.3g}, ± {widths[name]:.2g} by {games} games of a pair; "
            f"{counts[name]} of {tournaments} intervals hold it"
        )
    sys.exit(min(counts.values()) < 0.92 * tournaments)


if __name__ == "__main__":
    main()
