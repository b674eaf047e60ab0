"""The balance of Planet Hexx as a page: docs/planet_hexx_balance.md."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from spacemission_agents.games.planet_hexx.heuristic.weights import SHIPPED

if TYPE_CHECKING:
    from spacemission_agents.games.planet_hexx.balance import Report

COMMAND = "python -m spacemission_agents.games.planet_hexx.balance"
DIGITS = 12
CARDS = """## Cards

Share of the wins of those who played the card, or laid it, at least once in a game. Who is ahead plays more,
so most shares are a little above 1. Plays and uploads are a game, with all numbers of players together.
"""


def measured_with(deck: Any) -> str:
    """Short digests of a deck and of the heuristic's weights: other ones would give other figures."""
    weights = files("spacemission_agents.games.planet_hexx").joinpath(SHIPPED).read_bytes()
    return f"deck `{deck.sha256[:DIGITS]}`, weights `{hashlib.sha256(weights).hexdigest()[:DIGITS]}`"


def page(reports: Sequence[Report], deck: Any, agent: str, command: str) -> str:
    """The page of these reports, one for each number of players."""
    n = [f"{report.players} players" for report in reports]
    parts = [
        _head(deck, agent, command),
        "## Length and course of a game\n",
        _table(["", *n], _course(reports)),
        "## Seats\n\nThe place in the turn order is counted from who begins.\n",
        _table(["share of the wins", *n], _seats(reports)),
        "## Mission sides\n\nThe two sides of a file, as its player chose; from the worst to the best.\n",
        _table(["side", *n], _sides(reports)),
        CARDS,
        _table(["card", *n, "plays", "uploads"], _cards(reports, deck)),
    ]
    return "\n".join(parts)


def _head(deck: Any, agent: str, command: str) -> str:
    return f"""# How balanced Planet Hexx is

How the [deck that ships](planet_hexx_deck.md) plays among equals: every seat is the agent `{agent}`, every
game another set-up. A share is set against the fair one, 1 in as many as play: 1.00 is even.

```bash
{COMMAND} {command}
```

writes this page; measured with {measured_with(deck)}. The bars: seats, places in
the turn order and mission sides from 0.8 to 1.25 of their fair share, 30 to 90 turns a game, fewer than 2 %
of the games truncated. CI does not run it, for it takes long; its tests count fewer games.
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


def _cards(reports: Sequence[Report], deck: Any) -> Iterable[list[str]]:
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
