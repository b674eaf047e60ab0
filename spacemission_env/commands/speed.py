"""Measures the speed of the front ends for `spacemission bench`.

Plays random legal moves with mask and observation in one process. Each rate is that of the fastest of several
rounds, because other work on the machine only slows a round down.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game import Game, make_game
from spacemission_env.core.game_spec import DEFAULT_GAME, find_game
from spacemission_env.core.masks import choose_uniform
from spacemission_env.core.private_folder import CHOSEN
from spacemission_env.pictures.raster import frame, has_pygame

START_UP = (
    "import time; t = time.perf_counter()\n"
    "from spacemission_env import space_mission_v0\n"
    "env = space_mission_v0.env(); env.reset(seed=1); env.last()\n"
    "print(time.perf_counter() - t)"
)
FIRST_MOVE = (
    "from spacemission_env.core.agents import act_alone, make_agent, prepare_agents\n"
    "from spacemission_env.core.batched import BatchedGames\n"
    "agent, games = make_agent('ismcts:50'), BatchedGames(1, 3)\n"
    "prepare_agents([agent], games.info)\n"
    "games.deal(0, 1)\n"
    "act_alone(agent, games.ask(games.everyone))\n"
)
PLAYERS = 3  # or the nearest number that the game allows
GAMES, MANY = 256, 2048  # games in a batch
RECORDED = 200  # moves per game that `rules_play` records and repeats
DECISIONS = 200_000
FRAMES, FRAME_ROUNDS = 200, 5

Play = Callable[[int], int]  # takes the number of decisions wanted, returns the number made
Report = Callable[[str], None]  # called with the name of each part


def best_rate(play: Play, decisions: int, rounds: int = 5) -> float:
    """Decisions per second in the best of some rounds of `play(decisions)`, after a warm-up."""
    return best_rates({"": play}, decisions, rounds)[""]


def best_rates(plays: dict[str, Play], decisions: int, rounds: int = 7) -> dict[str, float]:
    """`best_rate` of several ways to play, by name; their rounds alternate."""
    best = dict.fromkeys(plays, 0.0)
    for play in plays.values():
        play(max(1, decisions // 20))
    for _ in range(rounds):
        for name, play in plays.items():
            start = time.perf_counter()
            made = play(decisions)
            best[name] = max(best[name], made / (time.perf_counter() - start))
    return best


# ---------------------------------------------------------------- ways to play


def _dealt(games: int, num_players: int, seed: int, **options: Any) -> BatchedGames:
    table = BatchedGames(games, num_players, **options)
    for i in range(games):
        table.deal(i, seed + i)
    return table


def batched_play(
    games: int = GAMES, num_players: int = PLAYERS, seed: int = 0, observe: bool = True, **options: Any
) -> Play:
    """Play with `BatchedGames`; without `observe`, masks only."""
    table = _dealt(games, num_players, seed, **options)
    everyone, parameters = table.everyone, table.template.parameters
    actions = np.zeros(games, np.int64)
    masks_only = np.zeros((games, table.spec.action_count), np.int8)

    def chosen(rows: slice, observations: np.ndarray, masks: np.ndarray, keys: np.ndarray) -> None:
        choose_uniform(masks, keys, actions[rows])

    def play(count: int) -> int:
        steps = max(1, count // games)
        for _ in range(steps):
            if observe:
                table.view(everyone, chosen)
            else:
                table.spec.batch.mask_batch(table.states, parameters, everyone, masks_only)
                _choose(table, masks_only, table.keys(everyone), actions)
            _step(table, actions)
        return steps * games

    return play


def _step(games: BatchedGames, actions: np.ndarray) -> None:
    """Make a move in each game; deal finished games again."""
    if games.step(games.everyone, actions):
        games.deal_next(np.flatnonzero(games.over))


def _choose(games: BatchedGames, masks: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
    """Choose a random legal action for each row in the threads of these games."""
    games.share(lambda a, z: choose_uniform(masks[a:z], keys[a:z], actions[a:z]), len(keys))


def rules_play(game: str, num_players: int, seed: int = 0, games: int = GAMES, moves: int = RECORDED) -> Play:
    """Play with the rules alone: check and make moves that were chosen before, without observations."""
    table = _dealt(games, num_players, seed, game=game)
    start = table.states.copy()
    chosen = np.zeros((moves, games), np.int64)
    for actions in chosen:
        _, masks = table.view(table.everyone)
        choose_uniform(masks, table.keys(table.everyone), actions)
        _step(table, actions)

    def play(count: int) -> int:
        made = 0
        while made < count:
            table.states[:] = start
            for actions in chosen:
                _step(table, actions)
            made += chosen.size
        return made

    return play


def vector_play(
    num_envs: int = GAMES, seed: int = 0, game: str = DEFAULT_GAME, num_players: int = PLAYERS, **options: Any
) -> Play:
    """Play in the Gymnasium vector environment against `random`; a learner step counts as one decision."""
    from spacemission_env.frontends.vector_env import LearnerVectorEnv

    env = LearnerVectorEnv(num_envs, num_players, game=game, **options)
    _, infos = env.reset(seed=seed)
    actions = np.zeros(num_envs, np.int64)
    keys = np.random.default_rng(seed).integers(0, 2**62, (1024, num_envs))

    def play(count: int) -> int:
        nonlocal infos
        steps = max(1, count // num_envs)
        for i in range(steps):
            _choose(env.games, infos["action_mask"], keys[i % len(keys)], actions)
            _, _, _, _, infos = env.step(actions)
        return steps * num_envs

    return play


def aec_rate(env: AECEnv, seed: int = 0, decisions: int = 40_000) -> float:
    """Decisions per second in a usual PettingZoo loop: `last`, a random legal action, `step`."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)

    def play(count: int) -> int:
        made = 0
        while made < count:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * len(legal))]))
            made += 1
        return made

    return best_rate(play, decisions)


def gymnasium_rate(seed: int = 0, decisions: int = 10_000) -> float:
    """Learner steps per second of the single Gymnasium environment against `random`."""
    import gymnasium

    env = gymnasium.make("SpaceMission-v0", num_players=PLAYERS, opponents="random")
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)

    def play(count: int) -> int:
        nonlocal info
        for _ in range(count):
            legal = np.flatnonzero(info["action_mask"])
            _, _, terminated, truncated, info = env.step(int(legal[int(rng.random() * len(legal))]))
            if terminated or truncated:
                _, info = env.reset()
        return count

    return best_rate(play, decisions, 3)


def connect_four_rate(seed: int = 0) -> float | None:
    """The same AEC loop in PettingZoo's connect_four, for comparison; None if it cannot be imported."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    return aec_rate(connect_four_v3.env(), seed, 20_000)


def many_rates(seed: int = 0, games: int = MANY, decisions: int = 400_000) -> dict[str, float]:
    """Rates of `BatchedGames` and the vector environment with many games: 1 or 2 threads, floats or bytes."""
    rates: dict[str, float] = {}
    kinds = [(dtype, threads) for dtype in ("float32", "uint8") for threads in (1, 2)]
    makers = (("batched", batched_play, decisions), ("gymnasium_vector", vector_play, decisions // 4))
    for front, make, count in makers:
        plays = {}
        for dtype, threads in kinds:
            name = f"{front}_{games}" + "_compact" * (dtype == "uint8") + "_2_threads" * (threads == 2)
            plays[name] = make(games, seed=seed, threads=threads, dtype=dtype)
        rates |= best_rates(plays, count)
    return rates


# ---------------------------------------------------------------- pictures


def frame_rate(
    name: str = DEFAULT_GAME, size: int | tuple[int, int] = 256, seed: int = 0, frames: int = FRAMES
) -> float | None:
    """Pictures per second, one per move of random games; None without pygame."""
    if not has_pygame():
        return None
    rng, game = np.random.default_rng(seed), make_game(name)
    games: list[Game] = []
    game.reset(seed)
    while len(games) < frames:
        games.append(game.clone())
        game.step(int(rng.choice(game.legal_actions())))
        if game.over:
            game.reset()

    def draw(count: int) -> int:
        for one in games:
            frame(one, size=size)
        return len(games)

    return best_rate(draw, frames, FRAME_ROUNDS)


# ---------------------------------------------------------------- start-up


def start_up_seconds() -> float:
    """Seconds from `import` to the first observation in a new process with cached code: best of 3."""
    command = [sys.executable, "-c", START_UP]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(4)]
    return min(map(float, runs[1:]))


def cold_seconds(program: str) -> tuple[float, float]:
    """Extra seconds of a program with an empty cache: wall-clock and CPU time."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _seconds(program, cache)
        warm = min(_seconds(program, cache) for _ in range(2))
    return cold[0] - warm[0], cold[1] - warm[1]


def _seconds(program: str, cache: str) -> tuple[float, float]:
    began, before = time.perf_counter(), os.times()
    environment = {**os.environ, CHOSEN: cache}
    subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    used = [b - a for a, b in zip(before, os.times(), strict=True)]
    return time.perf_counter() - began, used[2] + used[3]  # user and system time of child processes


# ---------------------------------------------------------------- all measurements


def measure(seed: int = 0, report: Report = lambda name: None) -> dict[str, float | None]:
    """Measure everything by name: decisions or learner steps per second, and start-up seconds."""
    from spacemission_env import space_mission_v0

    parts: dict[str, Callable[[], float | None]] = {
        "batched_256_games": lambda: best_rate(batched_play(seed=seed), 1_000_000),
        "batched_256_games_mask_only": lambda: best_rate(batched_play(seed=seed, observe=False), 1_000_000),
        "aec": lambda: aec_rate(space_mission_v0.env(num_players=PLAYERS), seed),
        "aec_connect_four": lambda: connect_four_rate(seed),
        "gymnasium": lambda: gymnasium_rate(seed),
        "gymnasium_vector_256": lambda: best_rate(vector_play(seed=seed), DECISIONS, 3),
        "pictures_256": lambda: frame_rate(seed=seed),
        "start_up_seconds": start_up_seconds,
    }
    figures: dict[str, float | None] = {}
    for name, part in parts.items():
        report(name)
        figures[name] = part()
    report("many games")
    figures |= many_rates(seed)
    report("cold_first_move")
    figures["cold_first_move_seconds"], figures["cold_first_move_cpu_seconds"] = cold_seconds(FIRST_MOVE)
    return figures


def players_of(game: str) -> int:
    """3 players, or the nearest number that the game allows."""
    spec = find_game(game)
    return min(max(PLAYERS, spec.min_players), spec.max_players)


def measure_game(
    game: str, seed: int = 0, report: Report = lambda name: None, decisions: int = DECISIONS
) -> dict[str, float]:
    """Decisions or learner steps per second in a game, compared with Space Mission in alternating rounds."""
    from spacemission_env.frontends.aec import env

    players = players_of(game)
    report("batched engine")
    plays = {
        "batched_256_games": batched_play(GAMES, players, seed, game=game),
        "batched_256_games_compact": batched_play(GAMES, players, seed, dtype="uint8", game=game),
        "batched_256_games_mask_only": batched_play(GAMES, players, seed, observe=False, game=game),
        "rules_256_games": rules_play(game, players, seed),
        "space_mission_256_games": batched_play(GAMES, PLAYERS, seed),
    }
    figures = best_rates(plays, decisions, rounds=9)
    figures["to_space_mission"] = figures["batched_256_games"] / figures["space_mission_256_games"]
    report("aec")
    figures["aec"] = aec_rate(env(game=game, num_players=players), seed, decisions // 5)
    report("gymnasium_vector_256")
    vector = {
        "gymnasium_vector_256": vector_play(GAMES, seed, game, players),
        "gymnasium_vector_256_compact": vector_play(GAMES, seed, game, players, dtype="uint8"),
    }
    return figures | best_rates(vector, decisions // 2, rounds=3)
