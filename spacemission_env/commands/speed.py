"""Speed of the environment's front ends on this machine; `spacemission bench` prints it.

All play is uniformly random over legal actions, mask and observation included, in one process. Each
figure is the best of a few rounds: other work on the machine only ever makes a round slower.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from spacemission_env.commands.cold import FIRST_MOVE, cold_seconds
from spacemission_env.commands.picture_speed import frame_rate
from spacemission_env.core.batched import BatchedGames
from spacemission_env.core.game_spec import DEFAULT_GAME
from spacemission_env.core.masks import choose_uniform

START_UP = (
    "import time; t = time.perf_counter()\n"
    "from spacemission_env import space_mission_v0\n"
    "env = space_mission_v0.env(); env.reset(seed=1); env.last()\n"
    "print(time.perf_counter() - t)"
)


def best_rate(play: Callable[[int], int], decisions: int, rounds: int = 5) -> float:
    """Decisions a second of the best of some rounds of `play(decisions)`, after a warm-up."""
    play(max(1, decisions // 20))
    best = 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        made = play(decisions)
        best = max(best, made / (time.perf_counter() - start))
    return best


MANY = 2048  # games: enough for threads
Play = Callable[[int], int]  # a number of decisions to the number that were made


def best_rates(plays: dict[str, Play], decisions: int, rounds: int = 7) -> dict[str, float]:
    """As `best_rate`, of several ways that are compared: their rounds take turns."""
    best = dict.fromkeys(plays, 0.0)
    for play in plays.values():
        play(max(1, decisions // 20))
    for _ in range(rounds):
        for name, play in plays.items():
            start = time.perf_counter()
            made = play(decisions)
            best[name] = max(best[name], made / (time.perf_counter() - start))
    return best


def choose(games: BatchedGames, masks: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
    """A random legal action for each row, chosen in the threads of these games."""
    games.share(lambda a, z: choose_uniform(masks[a:z], keys[a:z], actions[a:z]), len(keys))


def batched_rate(
    games: int = 256, num_players: int = 3, seed: int = 0, observe: bool = True, decisions: int = 1_000_000
) -> float:
    """The batched engine driven from Python; without `observe`, masks only."""
    return best_rate(batched_play(games, num_players, seed, observe), decisions)


def batched_play(
    games: int = 256,
    num_players: int = 3,
    seed: int = 0,
    observe: bool = True,
    threads: int = 1,
    dtype: str = "float32",
    game: str = DEFAULT_GAME,
) -> Play:
    """The batched engine, each game with its own random moves."""
    table = BatchedGames(games, num_players, game=game, threads=threads, dtype=dtype)
    for i in range(games):
        table.deal(i, seed + i)
    actions = np.zeros(games, np.int64)
    masks_only = np.zeros((games, table.spec.action_count), np.int8)

    def chosen(rows: slice, observations: np.ndarray, masks: np.ndarray, keys: np.ndarray) -> None:
        choose_uniform(masks, keys, actions[rows])

    def play(count: int) -> int:
        steps = max(1, count // games)
        for _ in range(steps):
            if observe:
                table.view(table.everyone, chosen)
            else:
                masks = masks_only
                table.spec.batch.mask_batch(table.states, table.template.boxes, table.everyone, masks)
                choose(table, masks, table.keys(table.everyone), actions)
            if table.step(table.everyone, actions):
                table.deal_next(np.flatnonzero(table.over))
        return steps * games

    return play


def aec_rate(env: Any, seed: int = 0, decisions: int = 40_000) -> float:
    """A PettingZoo AEC loop as users write it: `last`, a random legal action, `step`."""
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
    """Learner steps a second of the single Gymnasium environment against `random`."""
    import gymnasium

    env = gymnasium.make("SpaceMission-v0", num_players=3, opponents="random")
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


def vector_rate(num_envs: int = 256, seed: int = 0, decisions: int = 200_000) -> float:
    """Learner steps a second of the native Gymnasium vector environment against `random`."""
    return best_rate(vector_play(num_envs, seed), decisions, 3)


def vector_play(
    num_envs: int = 256,
    seed: int = 0,
    threads: int = 1,
    dtype: str = "float32",
    game: str = DEFAULT_GAME,
    num_players: int = 3,
) -> Play:
    """The same, one learner step counting as one decision."""
    import gymnasium

    env: Any = gymnasium.make_vec(
        "SpaceMission-v0",
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        game=game,
        num_players=num_players,
        opponents="random",
        threads=threads,
        dtype=dtype,
    )
    _, infos = env.reset(seed=seed)
    games = env.unwrapped.games
    actions = np.zeros(num_envs, np.int64)
    keys = np.random.default_rng(seed).integers(0, 2**62, (1024, num_envs))

    def play(count: int) -> int:
        nonlocal infos
        steps = max(1, count // num_envs)
        for i in range(steps):
            masks, drawn = infos["action_mask"], keys[i % len(keys)]
            choose(games, masks, drawn, actions)
            _, _, _, _, infos = env.step(actions)
        return steps * num_envs

    return play


def many_rates(seed: int = 0, games: int = MANY, decisions: int = 400_000) -> dict[str, float]:
    """Batched engine and vector environment with many games: on one core and on two, floats and bytes.

    What is compared takes turns, as other work on the machine comes and goes.
    """
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


def start_up_seconds() -> float:
    """Seconds from `import` to the first observation in a new process, compiled code cached: best of 3."""
    runs = [
        float(
            subprocess.run(
                [sys.executable, "-c", START_UP], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(4)
    ]
    return min(runs[1:])


def connect_four_rate(seed: int = 0) -> float | None:
    """The same AEC loop over PettingZoo's connect_four, for comparison; None where it cannot be imported."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    return aec_rate(connect_four_v3.env(), seed, 20_000)


def measure(seed: int = 0, report: Callable[[str], None] = lambda name: None) -> dict[str, float | None]:
    """All figures of the environment: decisions or learner steps a second, and the start-up seconds."""
    from spacemission_env import space_mission_v0

    parts: dict[str, Callable[[], float | None]] = {
        "batched_256_games": lambda: batched_rate(seed=seed),
        "batched_256_games_mask_only": lambda: batched_rate(seed=seed, observe=False),
        "aec": lambda: aec_rate(space_mission_v0.env(num_players=3), seed),
        "aec_connect_four": lambda: connect_four_rate(seed),
        "gymnasium": lambda: gymnasium_rate(seed),
        "gymnasium_vector_256": lambda: vector_rate(seed=seed),
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
