"""Prints what a rewrite must keep: digests of moves, records, results and messages; and speeds.

`python -m studies.what_stays digests` prints a line each. Run it before and after, and compare.
`python -m studies.what_stays speeds OLD [pairs]` runs this tree and another checkout in turn on a quiet
machine, and prints the medians of the ratios, new to old.
`python -m studies.what_stays rates` prints the speeds of this tree once, as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core.agents import Agent, agent_entries, make_agent, prepare_agents
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.core.masks import choose_uniform
from spacemission_env.records.writer import RecordWriter

DEALS = 200
FIRST = 60  # messages to each guest; how many there are at a moment depends on time
SLOW = {"ismcts": "ismcts:20"}
MODELS = {"space_mission": ("default", "scratch"), "planet_hexx": ("default", "scratch")}


def agents_of(game: str) -> list[str]:
    """Specs of the agents that ship for a game."""
    names = [SLOW.get(name, name) for name in agent_entries(game) if name != "policy"]
    return [*names, *(f"policy:{model}" for model in MODELS.get(game, ()))]


def made(spec: str, games: BatchedGames) -> Agent | None:
    """An agent, or None if it does not play these games."""
    try:
        agent = make_agent(spec, games.spec)
        prepare_agents([agent], games.info)
    except Exception as error:
        print(f"# {games.spec.name}, {games.num_players} players: {spec}: {error}")
        return None
    return agent


def middles(game: str, players: int) -> BatchedGames:
    """Games after 0 to 60 random moves, by their number."""
    games = BatchedGames(DEALS, players, game=game)
    for i in range(DEALS):
        games.deal(i, 1000 + i)
    for move in range(60):
        index = np.flatnonzero(np.arange(DEALS) % 61 > move)
        before = games.states.copy()
        actions = np.zeros(len(index), np.int64)
        decisions = games.ask(index)
        choose_uniform(decisions.masks, decisions.keys, actions)
        games.step(index, actions)
        over = games.over
        games.states[over] = before[over]
    return games


def digest(*parts: bytes) -> str:
    """The first digits of a digest."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]


def moves() -> Iterator[tuple[str, str]]:
    """The moves of each agent in 200 positions of each number of players."""
    for game in game_names():
        spec = find_game(game)
        for players in range(spec.min_players, spec.max_players + 1):
            games = middles(game, players)
            for name in agents_of(game):
                if agent := made(name, games):
                    decisions = games.ask(games.everyone)
                    actions = agent.act(decisions.part(agent, games.everyone))
                    yield f"moves {game} {players} {name}", digest(np.asarray(actions, np.int64).tobytes())


def records() -> Iterator[tuple[str, str]]:
    """The records of games between the fast agents, with rotated seats."""
    from spacemission_agents.arena.play import play_games  # not in the old tree

    for game in game_names():
        spec = find_game(game)
        for players in range(spec.min_players, spec.max_players + 1):
            probe = BatchedGames(1, players, game=game)
            agents = [name for name in agents_of(game) if name not in SLOW.values() and made(name, probe)]
            lineups = (np.arange(2 * players)[:, None] + np.arange(players)) % len(agents)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "games.jsonl"
                with RecordWriter(path) as writer:
                    play_games(agents, lineups, np.arange(len(lineups)) + 7, game=game, record=writer)
                yield f"records {game} {players}", digest(path.read_bytes())


def results() -> Iterator[tuple[str, str]]:
    """The report of a tournament, without its times."""
    from tests.support.tournaments import held, untimed

    for game, names in (
        ("space_mission", ["greedy", "heuristic", "random"]),
        ("planet_hexx", ["greedy", "random"]),
    ):
        for players in (2, 3):
            report = untimed(held(names, players, 24, game=game, seed=5))
            yield f"tournament {game} {players}", digest(json.dumps(report, sort_keys=True).encode())


def messages() -> Iterator[tuple[str, str]]:
    """What the page's server sends in a game of a person against an agent."""
    from tests.support.web_server import new_game, play, server_and_client

    for game in game_names():
        with (
            tempfile.TemporaryDirectory() as folder,
            server_and_client(Path(folder) / "games.sqlite") as (_, client),
        ):
            person, watcher = new_game(client, game, None, "random", seed=3)
            play(person, np.random.default_rng(0), 40)
            parts = [
                json.dumps(event, sort_keys=True)
                for guest in (person, watcher)
                for event in guest.events()[:FIRST]
            ]
            yield f"messages {game}", digest("\n".join(parts).encode())


def rates() -> dict[str, float]:
    """Speeds, each the best of several short rounds."""
    from spacemission_env.frontends.aec import env
    from spacemission_env.frontends.gym_env import LearnerEnv
    from spacemission_env.frontends.vector_env import LearnerVectorEnv
    from spacemission_train.commands.bench import (
        best_rate,
        play_aec,
        play_batch,
        play_single,
        play_vector,
        training_rate,
    )

    two: Any = {"num_players": 2}
    found = {
        "engine": best_rate(play_batch(BatchedGames(256, 3), 0), 200_000),
        "aec": best_rate(play_aec(env(num_players=3), 0), 10_000),
        "single": best_rate(play_single(LearnerEnv(**two), 0), 5_000),
        "single_3": best_rate(play_single(LearnerEnv(num_players=3), 0), 5_000),
        "vector_256": best_rate(play_vector(LearnerVectorEnv(256, **two), 0), 100_000),
        "vector_2048": best_rate(play_vector(LearnerVectorEnv(2048, **two), 0), 100_000),
        "vector_2048_2": best_rate(play_vector(LearnerVectorEnv(2048, threads=2, **two), 0), 200_000),
    }
    return found | {f"train_{game}": training_rate(game, 0) for game in ("space_mission", "planet_hexx")}


def other(tree: Path, *arguments: str) -> str:
    """What this study prints in another checkout."""
    path = os.pathsep.join(str(tree / part) for part in ("", "agents", "train"))
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def speeds(old: str, pairs: int = 10) -> None:
    """Print the median ratio of each speed over alternating pairs of runs."""
    trees = [Path.cwd(), Path(old).resolve()]
    both: list[list[dict[str, float]]] = [[], []]
    for number in range(pairs):
        for which in (number % 2, 1 - number % 2):
            both[which].append(json.loads(other(trees[which], "rates")))
    for name in both[1][0]:
        new, before = (np.array([run.get(name, np.nan) for run in runs]) for runs in both)
        medians = f"now {np.median(new):,.0f}, before {np.median(before):,.0f}"
        print(f"{name}: {np.median(new / before):.3f} ({medians})")


def main(what: str = "digests", *arguments: str) -> None:
    if what == "rates":
        print(json.dumps(rates()))
    elif what == "speeds":
        speeds(arguments[0], *map(int, arguments[1:]))
    else:
        for part in (moves, records, results, messages):
            if what in ("digests", part.__name__):
                for name, value in part():
                    print(name, value, flush=True)


if __name__ == "__main__":
    began = time.perf_counter()
    main(*sys.argv[1:])
    print(f"# {time.perf_counter() - began:.0f} s", file=sys.stderr)
