"""Checks of a training run's state file before anything is restored from it: types, shapes, ranges, games.

Compiled code and torch trust what they are handed; whatever stands in a file is checked here first. Each
function raises ValueError with one line that names the entry.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import torch

from spacemission_train.game_training import find_game_training
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.self_play.league import MAX_SNAPSHOTS

MOST = 10**15  # of counts: steps, games
MOST_THINNED = 40
NUMPY_KIND, NUMPY_WORDS = "MT19937", 624
Tensors = dict[str, torch.Tensor]
ANY_RUN = {  # entries of a run of any method and their types
    "settings": dict, "components_sha256": str, "command": str, "seconds": float, "training": float,
    "rows": list, "results": list, "warnings": dict,
}  # fmt: skip
RUN = {**ANY_RUN, "env_seconds": dict, "snapshots": list, "pool_results": list, "thinned": int}


def check_tensors(tensors: Tensors, expected: Tensors, optional: set[str]) -> None:
    """The tensors are the expected ones by name, type and shape, and finite; `optional` may be missing."""
    for name in sorted(set(expected) ^ set(tensors)):
        if name not in expected:
            raise ValueError(f"{name}: is no tensor of such a run")
        if name not in optional:
            raise ValueError(f"{name}: is missing")
    for name, tensor in tensors.items():
        like = expected[name]
        if tensor.dtype != like.dtype or tensor.shape != like.shape:
            raise ValueError(
                f"{name}: {tensor.dtype} of shape {tuple(tensor.shape)}, "
                f"expected {like.dtype} of shape {tuple(like.shape)}"
            )
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise ValueError(f"{name}: holds numbers that are not finite")
        if name.startswith(("optimizer.step.", "optimizer.exp_avg_sq.")) and (tensor < 0).any():
            raise ValueError(f"{name}: holds numbers below 0")


def check_numbers(text: dict[str, Any], tensors: Tensors) -> None:
    """The counts, and the states of the generators of random numbers."""
    for name in ("steps", "updates", "games_played"):
        _check_count(text, name)
    torch.Generator().set_state(tensors["rng.torch"])  # it checks them itself
    kind, *rest = text["numpy"]
    words = tensors["rng.numpy"]
    if kind != NUMPY_KIND or len(rest) != 3 or tuple(words.shape) != (NUMPY_WORDS,):
        raise ValueError("numpy: is no state of numpy's generator")
    position, has_gauss, gauss = rest
    if type(position) is not int or not 0 <= position <= NUMPY_WORDS or has_gauss not in (0, 1):
        raise ValueError("numpy: is no state of numpy's generator")
    if type(gauss) is not float or not math.isfinite(gauss):
        raise ValueError("numpy: is no state of numpy's generator")
    if (words < 0).any() or (words >= 2**32).any():
        raise ValueError("rng.numpy: holds numbers that are no 32 bits")
    state = text["env_rng"]
    generator = np.random.default_rng(0).bit_generator
    generator.state = state
    if generator.state != state or state["state"]["inc"] % 2 == 0:
        raise ValueError("env_rng: is no state of numpy's generator")


def check_games(tensors: Tensors, env: Any, opponents: int, snapshots: int) -> None:
    """The games under way, and who sits in them; `opponents`: in the mixture."""
    spec = env.table.spec
    states = tensors["env.games"].numpy().reshape(-1).view(spec.state)
    box = env.table.template.box
    allowed = set(env.table.numbers)
    for i in range(len(states)):
        s: Any = states[i]
        n = int(s.num_players)
        problem = "num_players does not hold" if n not in allowed else None
        problem = problem or spec.state_problem(s, box, n)
        if problem or s.over:
            raise ValueError(f"env.games: game {i}: {problem or 'is over'}")
    seats = states["num_players"].astype(np.int64)
    most = opponents + (MAX_SNAPSHOTS if snapshots else 0)
    ranges = {
        "turn": (0, MOST),
        "seat": (0, seats - 1),
        "symmetry": (0, find_game_training(spec).symmetries - 1),
        "players": (0, most - 1),
        "length": (0, MOST),
    }
    for name, (low, high) in ranges.items():
        array = tensors[f"env.seating.{name}"].numpy()
        if (array < low).any() or (array > high).any():
            raise ValueError(f"env.seating.{name}: holds numbers out of range")


def check_run(saved: dict[str, Any], env_seconds: dict[str, float]) -> None:
    """What a run of self-play in a league has noted (run_state.save)."""
    _check_entries(saved, RUN)
    if set(saved["env_seconds"]) != set(env_seconds):
        raise ValueError("env_seconds: expected other entries")
    for value in saved["env_seconds"].values():
        _check_seconds("env_seconds", value)
    steps, results = saved["snapshots"], saved["pool_results"]
    if not len(steps) == len(results) <= MAX_SNAPSHOTS or not all(map(_is_count, steps)):
        raise ValueError("snapshots: expected counts of steps, and a result of each")
    if not all(type(result) is float and 0 <= result <= 1 for result in results):
        raise ValueError("pool_results: expected numbers from 0 to 1")
    if not 0 <= saved["thinned"] <= MOST_THINNED:
        raise ValueError(f"thinned: expected 0 to {MOST_THINNED}, not {saved['thinned']}")


def check_value_run(saved: dict[str, Any]) -> None:
    """What a run of method td has noted (values/state.py)."""
    _check_entries(saved, ANY_RUN)
    for name in ("steps", "updates", "games"):
        _check_count(saved, name)
    if saved["rows"][-1]["steps"] != saved["steps"]:
        raise ValueError("steps: not those of its last evaluation")
    loss = saved.get("loss")
    if loss is not None and (type(loss) is not float or not math.isfinite(loss)):
        raise ValueError("loss: expected a number")


def _check_entries(saved: dict[str, Any], entries: dict[str, type]) -> None:
    for name, kind in entries.items():
        value = saved.get(name)
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ValueError(f"{name}: expected {kind.__name__}, not {type(value).__name__}")
    for name in ("seconds", "training"):
        _check_seconds(name, saved[name])
    _check_rows(saved["rows"])
    for result in saved["results"]:
        _check_result(result)
    best = saved.get("best")
    if not isinstance(best, dict) or set(best) != {"steps", "score"} or type(best["score"]) is not float:
        raise ValueError("best: expected steps and score")
    _check_count(best, "steps")
    if not all(type(k) is str and type(v) is str for k, v in saved["warnings"].items()):
        raise ValueError("warnings: expected texts")


def _check_rows(rows: list[Any]) -> None:
    # Steps grow from row to row; the other columns are figures for people.
    if not rows or not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        raise ValueError("rows: expected an evaluation each, all of the same columns")
    if not all(type(value) in (int, float, type(None)) for row in rows for value in row.values()):
        raise ValueError("rows: expected numbers")
    before = -1
    for row in rows:
        _check_count(row, "steps")
        if row["steps"] <= before or type(row.get("score")) is not float:
            raise ValueError("rows: expected steps that grow, each with a score")
        before = row["steps"]


def _check_result(result: Any) -> None:
    known = get_type_hints(WinShare)
    if not isinstance(result, dict) or set(result) != {field.name for field in fields(WinShare)}:
        raise ValueError("results: expected the entries of a win share")
    for name, value in result.items():
        if type(value) is not known[name] and not (known[name] is float and type(value) is int):
            raise ValueError(f"results: {name}: expected {known[name].__name__}, not {type(value).__name__}")


def _check_seconds(name: str, value: Any) -> None:
    if type(value) not in (int, float) or not 0 <= value < MOST:
        raise ValueError(f"{name}: expected a number of seconds")


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST


def _check_count(text: dict[str, Any], name: str) -> None:
    if not _is_count(text.get(name)):
        raise ValueError(f"{name}: expected a count")
