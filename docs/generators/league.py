"""Plays a game's league and writes its table into docs/leaderboard.md.

`python -m docs.generators.league planet_hexx` (`make league GAME=planet_hexx`) plays all shipped agents with
each number of players. Quick agents play every combination at a table. A search plays a few games against the
strongest quick agents. Ratings are of all these games together. Games are kept in runs/league: the command
goes on where it was stopped, and plays anew what has other agents, weights or rules.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np

from spacemission_agents.arena.play import worker_count
from spacemission_agents.arena.ratings import FOLDS, Ordering, rate
from spacemission_agents.arena.results import ResultsFile
from spacemission_agents.arena.schedule import Limits
from spacemission_agents.arena.shares import Tally
from spacemission_agents.arena.tournament import TournamentRun, define
from spacemission_agents.arena.workers import LocalEngine
from spacemission_agents.commands.agents import about
from spacemission_agents.models.network_input import find_network_input
from spacemission_agents.report.text import milliseconds, percent, points
from spacemission_env.core.agents import act_alone, agent_entries, make_agent
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import GameSpec, find_game
from spacemission_env.core.heartbeat import heartbeat
from spacemission_env.core.reading import Json

PAGE = Path(__file__).parents[1] / "leaderboard.md"
BOTS = "random", "greedy", "heuristic"
# Against the first of these with fewer players than agents; strongest first.
MEASURES = "policy:default", "heuristic", "policy:scratch", "greedy", "random"
SEARCHES = {
    "space_mission": ("ismcts:80?rollouts", "ismcts:default:50?rollouts"),
    "planet_hexx": ("ismcts:50",),
}
SEED = 2026
PATIENCE = 600.0  # seconds for a decision: shipped agents answer, but may compile first
TIMED = 2.0  # seconds in which an agent's decisions are timed
Counts = dict[tuple[tuple[str, ...], ...], np.ndarray]  # as `rate` takes them, with names
# Models of several runs: the card has only the last command, as it was then. The page has all.
COMMANDS = {
    ("space_mission", "policy:default"): "#how-policydefault-was-trained",
    ("planet_hexx", "policy:default"): "#mission-to-planet-hexx",
    ("planet_hexx", "policy:scratch"): "training.md#learning-from-nothing",
}


def quick_agents(game: GameSpec) -> list[str]:
    """The bots and the shipped policies of a game."""
    bots = [name for name in BOTS if name in agent_entries(game)]
    return [*bots, *(f"policy:{name}" for name in find_network_input(game).shipped)]


def play(agents: Sequence[str], players: int, games: int, game: GameSpec, folder: Path) -> Tally:
    """Play a tournament, or what is left of it."""
    limits = Limits(games, seconds_per_decision=PATIENCE)
    tournament = define(agents, players, limits, seed=SEED, game=game)
    digest = hashlib.sha256(json.dumps(tournament.to_json(), sort_keys=True).encode()).hexdigest()
    where = folder / f"{players}-{digest[:12]}"
    where.mkdir(parents=True, exist_ok=True)
    with ResultsFile(tournament, where, resume=True) as results:
        engine = LocalEngine(tournament, worker_count(None))
        run = TournamentRun(tournament, results, engine, None, lambda progress: None)
        with heartbeat(lambda: f"{players} players: {run.set_ups} set-ups"):
            run.play()
    tally = run.tally()
    print(f"{players} players, {', '.join(agents)}: {tally.games} games", flush=True)
    return tally


def add(counts: Counts, agents: Sequence[str], tally: Tally) -> None:
    """Add the orderings of a tournament."""
    for ordering, times in tally.orderings().items():
        named = tuple(tuple(agents[a] for a in group) for group in ordering)
        counts[named] = counts.get(named, np.zeros(FOLDS)) + times


def ratings(counts: Counts, agents: Sequence[str], players: int, game: GameSpec) -> dict[str, Json]:
    """The row of each agent in `rate`."""
    numbered: dict[Ordering, np.ndarray] = {}
    for ordering, times in counts.items():
        numbered[tuple(tuple(agents.index(name) for name in group) for group in ordering)] = times
    return {row["agent"]: row for row in rate(agents, numbered, players, game=game).rows}


def cpu_milliseconds(agent: str, game: GameSpec) -> float:
    """CPU time of a decision, asked one at a time in games of the agent against itself."""
    player, spent, asked = make_agent(agent, game), 0.0, -1  # the first decision may compile
    for seed in count():
        one = make_game(game)
        one.reset(seed)
        player.prepare(one.info)
        while not one.over:
            decisions = one.ask()
            start = time.process_time()
            action = int(act_alone(player, decisions)[0])
            spent = 0.0 if asked < 0 else spent + time.process_time() - start
            asked += 1
            if spent > TIMED:
                return 1000 * spent / asked
            one.step(action)
    raise AssertionError


def how_made(agent: str, game: GameSpec) -> str:
    """What the card of a model or the class of an agent says, or where the page has the commands."""
    name = agent.partition(":")[0]
    if name != "policy":
        return about(agent_entries(game)[name])
    if (game.name, agent) in COMMANDS:
        return f"in several runs: [the commands]({COMMANDS[game.name, agent]})"
    training = make_agent(agent, game).card["training"]  # type: ignore[attr-defined]
    command = re.sub(r" --out \S+", "", training["command"])
    time_taken = f"{training['steps'] / 1e6:,.2g} million decisions, {training['seconds'] / 60:,.0f} minutes"
    return f"`{command}` ({time_taken})"


def cell(row: Json | None) -> str:
    """A rating with its interval."""
    if row is None or row["rating"] is None:
        return ""
    if row["anchor"]:
        return f"{points(row['rating'])} (fixed)"
    return f"{points(row['rating'])} ({points(row['low'])} to {points(row['high'])})"


def table(game: GameSpec, games: int, search_games: int, runs: Path) -> str:
    """Play the league of a game; its tables as Markdown."""
    quick, searches = quick_agents(game), SEARCHES.get(game.name, ()) if search_games else ()
    agents, ahead, by_players = [*quick, *searches], dict[str, str](), dict[int, dict[str, Json]]()
    for players in range(game.min_players, game.max_players + 1):
        counts: Counts = {}
        tally = play(quick, players, games if players == 2 else games // 4, game, runs)
        add(counts, quick, tally)
        for search in searches:
            met = [search, *(other for other in MEASURES if other in quick)][: max(players, 2)]
            found = play(met, players, search_games, game, runs)
            add(counts, met, found)
        if players == 2 and "heuristic" in quick:
            for a, b in tally.pairs:
                if quick[b] == "heuristic":
                    row = tally.ahead(a, b)
                    interval = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"
                    ahead[quick[a]] = f"{percent(row['share'])} ({interval})"
        by_players[players] = ratings(counts, agents, players, game)
    first = by_players[game.min_players]
    agents.sort(key=lambda agent: -first[agent]["rating"])
    lines = [
        f"| agent | ms | ahead of `heuristic` | {' | '.join(f'{n} players' for n in by_players)} |",
        "| --- | --- | --- |" + " --- |" * len(by_players),
    ]
    for agent in agents:
        cells = " | ".join(cell(rows.get(agent)) for rows in by_players.values())
        with heartbeat(lambda agent=agent: f"timing {agent}"):
            ms = milliseconds(cpu_milliseconds(agent, game))
        lines.append(f"| `{agent}` | {ms} | {ahead.get(agent, '')} | {cells} |")
    lines += ["", "| agent | how it was made |", "| --- | --- |"]
    lines += [f"| `{agent}` | {how_made(agent, game)} |" for agent in agents]
    return "\n".join(lines)


def write(game: GameSpec, text: str) -> None:
    """Replace what stands in the page between the marks of the game."""
    begin, end = f"<!-- league {game.name} -->\n", "\n<!-- /league -->"
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(begin)
    PAGE.write_text(before + begin + text + end + rest.partition(end)[2], "utf-8")


def main() -> None:
    """Play and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", type=find_game)
    parser.add_argument("--games", type=int, default=400, help="of each pair; a quarter a table of more")
    parser.add_argument("--search-games", type=int, default=24, help="of a search at a table; 0: no search")
    parser.add_argument("--runs", type=Path, default=Path("runs/league"))
    given = parser.parse_args()
    write(given.game, table(given.game, given.games, given.search_games, given.runs / given.game.name))


if __name__ == "__main__":
    main()
