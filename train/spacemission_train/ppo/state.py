"""Saves, checks and restores what only self-play by PPO has: games, random numbers, league."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from spacemission_agents.models.folder import load_model
from spacemission_train.game_training import find_game_training
from spacemission_train.ppo.ppo import LeaguePPO
from spacemission_train.run.folder import checkpoint_folder
from spacemission_train.run.state import MOST, Saved, Tensors, check_kind, part
from spacemission_train.self_play.league import MAX_SNAPSHOTS, Pool
from spacemission_train.self_play.table import GameTable
from spacemission_train.self_play.vec_env import SelfPlayVecEnv

MOST_THINNED = 40
NUMPY_KIND, NUMPY_WORDS = "MT19937", 624


def entries(env: SelfPlayVecEnv, pool: Pool) -> Saved:
    """As JSON types."""
    kind, _, *rest = _numpy_state()
    return {
        "numpy": [kind, *rest],
        "env_rng": env.rng.bit_generator.state,
        "env_seconds": env.seconds,
        "snapshots": pool.snapshots,
        "pool_results": pool.results.tolist(),
        "thinned": pool.thinned,
    }


def tensors_of(model: LeaguePPO, env: SelfPlayVecEnv) -> Tensors:
    """As tensors; the random numbers are torch's, and numpy's global ones, by which SB3 shuffles."""
    starts: Any = model._last_episode_starts
    mean = {} if model.mean is None else model.mean.state_dict()
    return {
        **{f"mean.{name}": tensor for name, tensor in mean.items()},
        **{f"env.{name}": torch.from_numpy(array.copy()) for name, array in _env_arrays(env).items()},
        "episode_starts": torch.from_numpy(
            np.array(np.ones(env.num_envs) if starts is None else starts, bool)
        ),
        "rng.torch": torch.get_rng_state(),
        "rng.numpy": torch.from_numpy(_numpy_state()[1].astype(np.int64)),
    }


def restore(
    saved: Saved, tensors: Tensors, model: LeaguePPO, env: SelfPlayVecEnv, pool: Pool, out: Path
) -> None:
    """Take over what was checked; the networks are restored already. `out`: where past selves lie."""
    if model.mean is not None:
        model.mean.load_state_dict(part(tensors, "mean."))
    for name, array in _env_arrays(env).items():
        array[...] = tensors[f"env.{name}"].numpy()
    env.rng.bit_generator.state = saved["env_rng"]
    env.games_played = saved["games"]
    env.seconds.update(saved["env_seconds"])
    model._last_obs = env.observe_again()
    model._last_episode_starts = tensors["episode_starts"].numpy().copy()
    model.num_timesteps, model._n_updates = saved["steps"], saved["updates"]
    torch.set_rng_state(tensors["rng.torch"])
    kind, *rest = saved["numpy"]
    np.random.set_state((kind, tensors["rng.numpy"].numpy().astype(np.uint32), *rest))
    model.remember()  # the state is a checkpoint's: its policy is the one remembered there
    for steps, result in zip(saved["snapshots"], saved["pool_results"], strict=True):
        pool.add_snapshot(steps, load_model(checkpoint_folder(out, steps))[1], result)
    pool.thinned = saved["thinned"]


def _env_arrays(env: SelfPlayVecEnv) -> dict[str, np.ndarray]:
    # Views into the environment: read for saving, written into for restoring.
    states = cast(GameTable, env.table).states
    games = states.view(np.uint8).reshape(len(states), -1)
    return {"games": games, **{f"seating.{name}": array for name, array in vars(env.seating).items()}}


def _numpy_state() -> tuple[Any, ...]:
    return cast(tuple[Any, ...], np.random.get_state())


def check(saved: Saved, tensors: Tensors, env: SelfPlayVecEnv, opponents: int) -> None:
    """Refuse, with ValueError, what no such run has saved; `opponents`: in the mixture."""
    for name, kind in (("env_seconds", dict), ("snapshots", list), ("pool_results", list), ("thinned", int)):
        check_kind(name, saved.get(name), kind)
    if set(saved["env_seconds"]) != set(env.seconds):
        raise ValueError("env_seconds: expected other entries")
    for value in saved["env_seconds"].values():
        check_kind("env_seconds", value, float)
    steps, results = saved["snapshots"], saved["pool_results"]
    if not len(steps) == len(results) <= MAX_SNAPSHOTS:
        raise ValueError("snapshots: expected counts of steps, and a result of each")
    for one in steps:
        check_kind("snapshots", one, int)
    if not all(type(result) is float and 0 <= result <= 1 for result in results):
        raise ValueError("pool_results: expected numbers from 0 to 1")
    if saved["thinned"] > MOST_THINNED:
        raise ValueError(f"thinned: expected 0 to {MOST_THINNED}, not {saved['thinned']}")
    _check_generators(saved, tensors)
    _check_games(tensors, env, opponents + (MAX_SNAPSHOTS if steps else 0))


def _check_generators(saved: Saved, tensors: Tensors) -> None:
    torch.Generator().set_state(tensors["rng.torch"])  # it checks them itself
    kind, position, has_gauss, gauss = saved["numpy"]
    check_kind("numpy: is no state of numpy's generator", position, int)
    if kind != NUMPY_KIND or position > NUMPY_WORDS or has_gauss not in (0, 1) or type(gauss) is not float:
        raise ValueError("numpy: is no state of numpy's generator")
    words = tensors["rng.numpy"]
    if not np.isfinite(gauss) or (words < 0).any() or (words >= 2**32).any():
        raise ValueError("rng.numpy: holds numbers that are no 32 bits")
    state = saved["env_rng"]
    generator = np.random.default_rng(0).bit_generator
    generator.state = state
    if generator.state != state or state["state"]["inc"] % 2 == 0:
        raise ValueError("env_rng: is no state of numpy's generator")


def _check_games(tensors: Tensors, env: SelfPlayVecEnv, players: int) -> None:
    table = cast(GameTable, env.table)
    states = tensors["env.games"].numpy().reshape(-1).view(table.spec.state)
    for i in range(len(states)):
        s: Any = states[i]
        n = int(s.num_players)
        problem = "num_players does not hold" if n not in table.numbers else None
        problem = problem or table.spec.state_problem(s, table.template.t, n)
        if problem or s.over:
            raise ValueError(f"env.games: game {i}: {problem or 'is over'}")
    most = {
        "turn": MOST,
        "seat": states["num_players"].astype(np.int64) - 1,
        "symmetry": find_game_training(table.spec).symmetries - 1,
        "players": players - 1,
        "length": MOST,
    }
    for name, high in most.items():
        array = tensors[f"env.seating.{name}"].numpy()
        if (array < 0).any() or (array > high).any():
            raise ValueError(f"env.seating.{name}: holds numbers out of range")
