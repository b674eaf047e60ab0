"""Measures the balance of Planet Hexx: wins by seat, turn order, mission side and card.

    python -m studies.planet_hexx_balance --games 4000 [--players 2,3,4] [--agent heuristic] [--page FILE]

All seats play the same agent; each game has another set-up. Shares are relative to the fair share: 1.00 is
even. Bars: seats, turn order and mission sides from 0.8 to 1.25; 30 to 90 turns a game; fewer than 2 % of the
games truncated. A forced decision has one legal move (HR-14), which the environment makes itself.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from spacemission_agents.games.planet_hexx.compiled import njit
from spacemission_agents.games.planet_hexx.heuristic.agent import shipped_digest
from spacemission_env.core.agents import make_agent
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.constants import TRUNCATED
from spacemission_env.core.decisions import Decisions
from spacemission_env.core.rng import hash63
from spacemission_env.games.planet_hexx.components.deck import Deck
from spacemission_env.games.planet_hexx.engine import constants as c
from spacemission_env.games.planet_hexx.engine.play import apply
from spacemission_env.games.planet_hexx.spec import SPEC
from studies.planet_hexx_games import play_out

BATCH = 500  # games played in parallel
FEWEST_PLAYS = 200  # seats that played a card, below which its share is not shown
LOWEST, HIGHEST = 0.8, 1.25
SHORTEST, LONGEST = 30.0, 90.0
MOST_TRUNCATED = 0.02


@dataclass
class Tally:
    """Sums over games with one number of players; `won` counts finished games only.

    Attributes:
        seats, order, sides: (won, games) by seat, by place in the turn order, by file and side.
        cards: (won, games) by kind, of seats that played the card at least once.
        plays, uploads: counts by kind.
    """

    players: int
    kinds: int
    games: int = 0
    truncated: int = 0
    turns: list[int] = field(default_factory=list)
    decisions: int = 0
    forced: int = 0

    def __post_init__(self) -> None:
        """Make the arrays of sums."""
        self.seats = np.zeros((self.players, 2))
        self.order = np.zeros((self.players, 2))
        self.sides = np.zeros((c.FILES, c.SIDES, 2))
        self.cards = np.zeros((self.kinds, 2))
        self.plays = np.zeros(self.kinds, np.int64)
        self.uploads = np.zeros(self.kinds, np.int64)

    def add(self, games: BatchedGames, played: np.ndarray) -> None:
        """Add finished games; `played`: number of plays (games, seats, kinds)."""
        n = self.players
        states = games.states
        done = states["over"] != TRUNCATED
        self.games += len(states)
        self.truncated += int((~done).sum())
        self.turns += [int(turn) for turn in states["turn"]]
        self.plays += played.sum((0, 1))
        filled = states["filled"][:, :n]
        self.uploads += np.bincount(filled[filled != c.NOTHING], minlength=self.kinds)[: self.kinds]
        seats = np.arange(n)
        for s, counts in zip(states[done], played[done], strict=True):
            won = s["won"][:n] / s["won"][:n].sum()
            place = (seats - int(s["start_player"])) % n
            for j in range(n):
                result = np.array([won[j], 1.0])
                self.seats[j] += result
                self.order[place[j]] += result
                self.sides[s["file"][j], s["side"][j]] += result
                self.cards[counts[j] > 0] += result


def measure(players: int, games: int, agent: str, seed: int = 0, components: object = None) -> Tally:
    """Play games in which all seats play one agent, and sum them up."""
    deck = SPEC.load_components(components)
    tally = Tally(players, len(deck.cards))
    made = make_agent(agent, SPEC)
    for first in range(0, games, BATCH):
        seeds = [int(hash63(seed, players, k)) for k in range(first, min(first + BATCH, games))]
        played = np.zeros((len(seeds), players, tally.kinds), np.int64)

        watch = partial(_watch, tally, played)
        batch, _ = play_out([made] * players, seeds, components=deck, watch=watch, rotate=False)
        tally.add(batch, played)
    return tally


def _watch(
    tally: Tally,
    played: np.ndarray,
    batch: BatchedGames,
    index: np.ndarray,
    asked: Decisions,
    actions: np.ndarray,
) -> None:
    """Count the decisions and the played cards of one batch of moves."""
    forced = count_forced(batch.states, batch.template.parameters, index, actions)
    tally.decisions += len(index) + forced
    tally.forced += int((asked.masks.sum(1) == 1).sum()) + forced
    plays = np.isin(batch.states["asked"][index], (c.MAIN, c.GAINED, c.WINDOW, c.PLACE, c.REPLACE))
    rows = np.flatnonzero(plays & (actions >= c.TO_PLAY) & (actions < c.TO_UPLOAD))
    seat = batch.players[index[rows]]
    card = batch.states["hand"][index[rows], seat, actions[rows] - c.TO_PLAY]
    np.add.at(played, (index[rows], seat, card), 1)


@dataclass(frozen=True)
class Report:
    """The figures for one number of players; shares are relative to the fair share."""

    players: int
    games: int
    truncated: float
    forced: float  # share of the decisions
    decisions: float
    turns: float
    shortest: int
    longest: int
    seats: list[float]
    order: list[float]
    sides: dict[str, float]
    cards: dict[str, dict[str, float]]

    @classmethod
    def of(cls, tally: Tally, components: object = None) -> Report:
        """The shares of a tally."""
        deck = SPEC.load_components(components)
        n = tally.players
        names = {(mission.file, mission.side): mission.name for mission in deck.missions}
        cards = {}
        for kind, card in enumerate(deck.cards):
            won, games = tally.cards[kind]
            share = round(n * won / games, 3) if games >= FEWEST_PLAYS else float("nan")
            counts = {"plays": int(tally.plays[kind]), "uploads": int(tally.uploads[kind])}
            cards[card.id] = {"share": share, "games": int(games), **counts}
        return cls(
            players=n,
            games=tally.games,
            truncated=tally.truncated / tally.games,
            forced=tally.forced / tally.decisions,
            decisions=tally.decisions / tally.games,
            turns=float(np.mean(tally.turns)),
            shortest=min(tally.turns),
            longest=max(tally.turns),
            seats=_even(tally.seats, n),
            order=_even(tally.order, n),
            sides={
                f"{file}{'ab'[side]} {names[file, side]}": _even(tally.sides[file, side : side + 1], n)[0]
                for file in range(c.FILES)
                for side in range(c.SIDES)
            },
            cards=cards,
        )

    def outside(self) -> list[str]:
        """The figures outside the bars, as texts."""
        shares = {f"seat {j}": share for j, share in enumerate(self.seats)}
        shares |= {f"place {j + 1} in turn order": share for j, share in enumerate(self.order)}
        shares |= self.sides
        found = [f"{name}: {x:.2f}" for name, x in shares.items() if not LOWEST <= x <= HIGHEST]
        if not SHORTEST <= self.turns <= LONGEST:
            found.append(f"{self.turns:.1f} turns a game")
        if self.truncated >= MOST_TRUNCATED:
            found.append(f"{self.truncated:.1%} truncated")
        return found


def _even(sums: np.ndarray, players: int) -> list[float]:
    """Shares of the wins relative to the fair share; 0 without games."""
    return [round(float(players * won / max(games, 1.0)), 3) for won, games in sums]


COMMAND = "python -m studies.planet_hexx_balance"
DIGITS = 12
CARDS = """## Cards

The share of wins of the seats that played or laid the card at least once in a game. Leading seats play more
cards, so most shares are slightly above 1. Plays and uploads are averages over all games.
"""


def measured_with(deck: Deck) -> str:
    """Short digests of a deck and of the heuristic's weights, which determine the figures."""
    return f"deck `{deck.sha256[:DIGITS]}`, weights `{shipped_digest()[:DIGITS]}`"


def page(reports: Sequence[Report], deck: Deck, agent: str, command: str) -> str:
    """The page of the reports, one report for each number of players."""
    n = [f"{report.players} players" for report in reports]
    parts = [
        _head(deck, agent, command),
        "## Length and course of a game\n",
        _table(["", *n], _course(reports)),
        "## Seats\n\nThe place in the turn order is counted from the first player.\n",
        _table(["share of the wins", *n], _seats(reports)),
        "## Mission sides\n\nThe two sides of each file, sorted from the worst to the best.\n",
        _table(["side", *n], _sides(reports)),
        CARDS,
        _table(["card", *n, "plays", "uploads"], _cards(reports, deck)),
    ]
    return "\n".join(parts)


def _head(deck: Deck, agent: str, command: str) -> str:
    return f"""# How balanced Planet Hexx is

Read this page to see who wins among equal players with the [shipped deck](planet_hexx_deck.md),
by seat and by Mission File: all seats play `{agent}`, each
game with another set-up. Shares are relative to the fair share: 1.00 is even.

```bash
{COMMAND} {command}
```

writes this page; measured with {measured_with(deck)}. The bars: seats, places in
the turn order and mission sides from 0.8 to 1.25 of their fair share, 30 to 90 turns a game, fewer than 2 %
of the games truncated. CI does not run this command, because it takes long; the tests play fewer games.
"""


def _course(reports: Sequence[Report]) -> Iterable[list[str]]:
    yield ["games", *(f"{r.games:,}" for r in reports)]
    yield ["turns a game, mean", *(f"{r.turns:.1f}" for r in reports)]
    yield ["shortest and longest", *(f"{r.shortest} to {r.longest}" for r in reports)]
    yield ["decisions a game", *(f"{r.decisions:.0f}" for r in reports)]
    yield ["of them forced (one legal move)", *(f"{100 * r.forced:.1f} %" for r in reports)]
    yield ["truncated", *(f"{100 * r.truncated:.1f} %" for r in reports)]
    yield ["outside the bars", *("; ".join(r.outside()) or "nothing" for r in reports)]


def _seats(reports: Sequence[Report]) -> Iterable[list[str]]:
    most = max(report.players for report in reports)
    rows = (("seat", 0, [r.seats for r in reports]), ("place", 1, [r.order for r in reports]))
    for name, first, shares in rows:
        for j in range(most):
            yield [f"{name} {j + first}", *(_share(row[j]) if j < len(row) else "" for row in shares)]


def _sides(reports: Sequence[Report]) -> Iterable[list[str]]:
    for name in sorted(reports[0].sides, key=lambda name: sum(r.sides[name] for r in reports)):
        number, _, title = name.partition(" ")
        yield [f"{title} ({number})", *(_share(r.sides[name]) for r in reports)]


def _cards(reports: Sequence[Report], deck: Deck) -> Iterable[list[str]]:
    games = sum(report.games for report in reports)
    rows = []
    for card in deck.cards:
        if card.copies:
            told = [report.cards[card.id] for report in reports]
            known = [one["share"] for one in told if not math.isnan(one["share"])]
            mean = sum(known) / len(known) if known else 0.0
            each = [f"{sum(one[key] for one in told) / games:.2f}" for key in ("plays", "uploads")]
            rows.append((mean, [card.name, *(_share(one["share"]) for one in told), *each]))
    return [row for _, row in sorted(rows, key=lambda entry: (entry[0], entry[1][0]))]


def _share(share: float) -> str:
    return "too few" if math.isnan(share) else f"{share:.2f}"


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@njit
def _count(states, parameters, index, actions, scratch):
    forced = 0
    for n in range(len(index)):
        scratch[0] = states[index[n]]
        forced += apply(scratch[0], parameters[0], actions[n])
    return forced


def count_forced(states: np.ndarray, parameters: np.ndarray, index: np.ndarray, actions: np.ndarray) -> int:
    """The number of forced decisions after these moves; the games do not change."""
    return int(_count(states, parameters, index, actions, SPEC.new_states(1)))


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Balance of Planet Hexx among equal agents.")
    parser.add_argument("--games", type=int, default=2000, help="for each number of players")
    parser.add_argument("--players", default="2,3,4", help="numbers of players, separated by commas")
    parser.add_argument("--agent", default="heuristic", help="the agent in all seats")
    parser.add_argument("--components", help="another deck file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--page", type=Path, help="write the report to this file, as a page")
    given = parser.parse_args(arguments)
    reports = []
    for n in (int(text) for text in given.players.split(",")):
        tally = measure(n, given.games, given.agent, given.seed, given.components)
        reports.append(Report.of(tally, given.components))
    if given.json:
        given.json.write_text(json.dumps([asdict(report) for report in reports], indent=1), "utf-8")
    command = shlex.join(sys.argv[1:] if arguments is None else arguments)
    text = page(reports, SPEC.load_components(given.components), given.agent, command)
    print(text)
    if given.page:
        given.page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
