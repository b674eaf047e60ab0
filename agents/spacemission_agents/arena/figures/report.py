"""From the tally of a tournament to the figures of its report: the same as shares.py has from results."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacemission_agents.arena.definition import Tournament
from spacemission_agents.arena.figures.ratings import rate
from spacemission_agents.arena.figures.shares import interval_of_sums
from spacemission_agents.arena.figures.tally import Clustered, Tally
from spacemission_agents.arena.workers.forfeits import DIED, FAILED, ILLEGAL, TOO_SLOW, WRONG_FORM

REASONS = {
    FAILED: "failed",
    WRONG_FORM: "wrong form",
    ILLEGAL: "illegal move",
    TOO_SLOW: "too slow",
    DIED: "process ended",
}


def tournament_report(head: dict[str, Any], tournament: Tournament, tally: Tally) -> dict[str, Any]:
    """The arena's JSON, but for how the tournament ended and its records.

    `ladder`, `pairs` and `tables` are rows as shares.py makes them; a ladder row has also
    `ms_per_decision` (wall-clock, one core; None where nothing was timed) and `forfeits`. Means of scores,
    decisions and rounds are over games that were not forfeited. Agents go by their labels; `specs` says
    what they are made from.
    """
    names, specs = tournament.names, tournament.specs
    rated = rate(names, tally.orderings(), tournament.players, game=tournament.game, specs=specs)
    return {
        **head,
        **endings(tally),
        "set_ups": tally.set_ups,
        "equal_share": 1 / tournament.players,
        "agents": names,
        "specs": specs,
        "ladder": ladder(tally, names),
        "ratings": rated.rows,
        "ratings_note": rated.note,
        "pairs": pair_table(tally, names),
        "tables": table_figures(tally, names),
        "interval_asked": tournament.interval,
        "forfeits_total": int(tally.forfeited.sum()),
        "forfeits": forfeits(tournament, tally),
    }


def _share(shares: Clustered, i: int, set_ups: int) -> dict[str, Any]:
    return interval_of_sums(**shares.sums(i, set_ups))


def ladder(tally: Tally, names: list[str]) -> list[dict[str, Any]]:
    """Every agent's figures, the highest win share first (ties in the order given)."""
    rows = []
    for a, name in enumerate(names):
        figures = _share(tally.by_agent, a, tally.set_ups)
        played, timed = max(int(tally.played[a]), 1), int(tally.timed[a])
        rows.append(
            {
                "agent": name,
                "games": figures["games"],
                "win_share": figures["share"],
                "low": figures["low"],
                "high": figures["high"],
                "scores": {
                    score: int(total) / played
                    for score, total in zip(tally.score_names, tally.scores[a], strict=True)
                },
                "decisions": int(tally.decisions[a]) / played,
                "ms_per_decision": 1000 * float(tally.seconds[a]) / timed if timed else None,
                "forfeits": int(tally.forfeited[a]),
            }
        )
    return sorted(rows, key=lambda row: -(row["win_share"] or 0.0))


def pair_table(tally: Tally, names: list[str]) -> list[dict[str, Any]]:
    """For each ordered pair that sat together: how often `agent` placed before `other`, with interval."""
    return [
        {"agent": names[a], "other": names[b], **_share(tally.by_pair, i, tally.set_ups)}
        for i, (a, b) in enumerate(tally.pairs)
    ]


def table_figures(tally: Tally, names: list[str]) -> list[dict[str, Any]]:
    """For each table and agent at it, the share of the wins that its seats took together (shares.py)."""
    seats = tally.lineups.shape[1]
    sorted_tables = [tuple(sorted(lineup)) for lineup in tally.lineups[::seats].tolist()]
    order = sorted(range(len(tally.at_tables)), key=lambda i: (sorted_tables[tally.at_tables[i][0]], i))
    rows = []
    for i in order:
        t, a = tally.at_tables[i]
        table = sorted_tables[t]
        rows.append(
            {
                "agent": names[a],
                "seats": table.count(a),
                "others": [names[b] for b in table if b != a],
                "equal": table.count(a) / seats,
                **_share(tally.by_table, i, tally.set_ups),
            }
        )
    return rows


def widest(tally: Tally) -> float:
    """How far the 95 % interval of any pair's or any table's share reaches from the share, at most."""
    reach = 0.0
    for shares in (tally.by_pair, tally.by_table):
        for i in range(len(shares.weight)):
            row = _share(shares, i, tally.set_ups)
            reach = max(reach, row["high"] - row["share"], row["share"] - row["low"])
    return reach


def endings(tally: Tally) -> dict[str, Any]:
    """How the games ended: `games`, `finished`, `truncated`, `forfeited`, and mean `rounds`."""
    forfeited = int(tally.forfeited.sum())
    played = tally.games - forfeited
    return {
        "games": tally.games,
        "finished": played - tally.truncated,
        "truncated": tally.truncated,
        "forfeited": forfeited,
        "rounds": tally.rounds / played if played else 0.0,
    }


def forfeits(tournament: Tournament, tally: Tally) -> list[dict[str, Any]]:
    """The first hundred forfeited games: `agent`, `game`, `seed`, `seat`, `kind` and `reason` in words."""
    schedule, names = tournament.schedule, tournament.names
    return [
        {
            "agent": names[int(schedule.lineups_of(np.array([number]))[0, seat])],
            "game": number,
            "seed": schedule.seed_of(number),
            "seat": seat,
            "kind": REASONS.get(reason, "unknown"),
            "reason": text,
        }
        for number, seat, reason, text in tally.forfeits
    ]
