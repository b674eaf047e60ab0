"""Makes the JSON reports of `play` and `arena`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spacemission_agents.arena.play import Results
from spacemission_agents.arena.ratings import rate
from spacemission_agents.arena.results import CUT_OFF, ResultsFile
from spacemission_agents.arena.schedule import Tournament
from spacemission_agents.arena.shares import Tally, parts_of_win, share_with_interval, win_parts
from spacemission_env.core.agents import agent_name, label_and_spec
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game, version_of
from spacemission_env.core.reading import Json

FORMAT = 1
LISTED_FORFEITS = 100


def header(
    command: str,
    seed: int,
    players: int,
    rules: Rules,
    components: Components,
    game: str | GameSpec = DEFAULT_GAME,
) -> Json:
    """The entries of a report that say what was played."""
    return {
        "type": command,
        "format": FORMAT,
        "env": find_game(game).env,
        "environment_version": version_of(find_game(game)),
        "seed": seed,
        "players": players,
        "rules": rules.for_players(players).to_json(),
        "components": {"name": components.name, "sha256": components.sha256},
    }


def play_report(
    head: Json, results: Results, agents: Sequence[str], game: str | GameSpec = DEFAULT_GAME
) -> Json:
    """The report of `play`: win shares by seat, and the outcome of each game. `agents`: names by seat."""
    names = [agent_name(agent) for agent in agents]
    seats = []
    for seat, name in enumerate(names):
        marked = np.zeros_like(results.winners)
        marked[:, seat] = True
        seats.append({"seat": seat, "agent": name, **seat_figures(results, marked, game)})
    results_of = [
        {
            "seed": int(results.seeds[g]),
            "totals": results.scores[g, :, -1].tolist(),
            "winners": np.flatnonzero(results.winners[g]).tolist(),
            "rounds": int(results.rounds[g]),
            "reason": "truncated" if results.truncated[g] else "finished",
        }
        for g in range(len(results.seeds))
    ]
    specs = [label_and_spec(agent)[1] for agent in agents]
    ended = endings(len(results.seeds), int(results.truncated.sum()), 0, int(results.rounds.sum()))
    return {**head, **ended, "agents": names, "specs": specs, "seats": seats, "results": results_of}


def seat_figures(results: Results, seats: np.ndarray, game: str | GameSpec = DEFAULT_GAME) -> Json:
    """Win share with interval, mean scores and mean decisions of the marked `seats`, bool (games, seats).

    Keys: `games`, `win_share`, `low`, `high`, `scores` (means by category), `decisions` (mean per game and
    seat). A mean is None if no seat is marked.
    """
    points = (win_parts(results.winners) * seats).sum(1)
    figures = share_with_interval(points, parts_of_win(seats.shape[1]) * seats.sum(1), results.seeds)
    count, scores = int(seats.sum()), results.scores[seats].sum(0).tolist()
    return {
        "games": figures["games"],
        "win_share": figures["share"],
        "low": figures["low"],
        "high": figures["high"],
        "scores": {
            name: mean(total, count) for name, total in zip(find_game(game).score_names, scores, strict=True)
        },
        "decisions": mean(int(results.decisions[seats].sum()), count),
    }


def endings(games: int, truncated: int, forfeited: int, rounds: int) -> Json:
    """How games ended, and the mean number of rounds of those without a forfeit; `rounds`: their sum."""
    played = games - forfeited
    return {
        "games": games,
        "finished": played - truncated,
        "truncated": truncated,
        "forfeited": forfeited,
        "rounds": mean(rounds, played),
    }


def mean(total: float, count: int) -> float | None:
    """`total` / `count`; None if `count` is 0."""
    return total / count if count else None


def tournament_report(head: Json, tournament: Tournament, tally: Tally, results: ResultsFile) -> Json:
    """The report of a tournament, without `stopped_by` and `records`.

    The rows of `ladder` and `pairs` have the shares of shares.py. A ladder row also has `forfeits` and
    `ms_per_decision` (wall-clock time; None if no decision was measured). Means of scores, decisions and
    rounds exclude forfeited games; they are None if all games were forfeited.
    """
    names, specs, forfeited = tournament.names, tournament.specs, int(tally.forfeited.sum())
    truncated = int((tally.rows["ending"] == CUT_OFF).sum())
    rounds = int(tally.rows["rounds"][~tally.forfeited].sum())
    rated = rate(names, tally.orderings(), tournament.players, game=tournament.game, specs=specs)
    return {
        **head,
        **endings(tally.games, truncated, forfeited, rounds),
        "set_ups": tally.set_ups,
        "equal_share": 1 / tournament.players,
        "agents": names,
        "specs": specs,
        "ladder": ladder(tally, names),
        "ratings": rated.rows,
        "ratings_note": rated.note,
        "pairs": pair_table(tally, names),
        "tables": table_figures(tally, names),
        "interval_asked": tournament.limits.interval,
        "forfeits_total": forfeited,
        "forfeits": forfeits(tournament, results, tally.set_ups),
    }


def ladder(tally: Tally, names: list[str]) -> list[Json]:
    rows = []
    for a, name in enumerate(names):
        figures = tally.win_share(a)
        figures["win_share"] = figures.pop("share")
        seats = tally.lineups == a
        counted = seats & ~tally.forfeited[..., None]
        played, decisions = int(counted.sum()), tally.rows["decisions"]
        scores = zip(tally.game.score_names, tally.rows["scores"][counted].sum(0).tolist(), strict=True)
        seconds = tally.rows["seconds"][:, seats].sum(dtype=np.float64)
        rows.append(
            {
                "agent": name,
                **figures,
                "scores": {score: mean(total, played) for score, total in scores},
                "decisions": mean(int(decisions[counted].sum()), played),
                "ms_per_decision": mean(1000 * float(seconds), int(decisions[:, seats].sum())),
                "forfeits": int((tally.losers & seats).sum()),
            }
        )
    return sorted(rows, key=lambda row: -(row["win_share"] or 0.0))


def pair_table(tally: Tally, names: list[str]) -> list[Json]:
    """A row for each ordered pair of opponents: how often `agent` finished ahead of `other`."""
    return [{"agent": names[a], "other": names[b], **tally.ahead(a, b)} for a, b in tally.pairs]


def table_figures(tally: Tally, names: list[str]) -> list[Json]:
    """A row for each agent of each table: the win share of all the agent's seats together."""
    seats = tally.lineups.shape[1]
    found = []
    for t, a in tally.at_tables:
        table = sorted(tally.lineups[t * seats].tolist())
        row = {
            "agent": names[a],
            "seats": table.count(a),
            "others": [names[b] for b in table if b != a],
            "equal": table.count(a) / seats,
            **tally.at_table(t, a),
        }
        found.append((table, row))
    return [row for _, row in sorted(found, key=lambda one: one[0])]


def forfeits(tournament: Tournament, results: ResultsFile, set_ups: int) -> list[Json]:
    """The first hundred forfeits: `agent`, `game`, `seed`, `seat`, `kind`, and `reason` in words."""
    schedule, names = tournament.schedule, tournament.names
    return [
        {
            "agent": names[schedule.agent_at(number, seat)],
            "game": number,
            "seed": schedule.seed_of(number),
            "seat": seat,
            "kind": kind,
            "reason": text,
        }
        for number, seat, kind, text in results.forfeits(set_ups, LISTED_FORFEITS)
    ]
