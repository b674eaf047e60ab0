"""The state of a run between two updates, in one safetensors file with a JSON text: what `--resume` needs.

Nothing is pickled. The file is put in place in one step, so that a run stopped at any moment can go on. It
holds a digest of itself (seal.py). All of it is checked before
anything is restored (state_checks.py).
A run that goes on makes the very steps that it would have made without the stop: games, opponents,
optimizer and all random numbers are in the state.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import STATE_BYTES, loads, read_bytes
from spacemission_env.version import __version__
from spacemission_train.run.files import write_atomically
from spacemission_train.run.seal import BLANK, KEY, check_seal, header_of, sealed
from spacemission_train.run.state_checks import check_games, check_numbers, check_tensors
from spacemission_train.self_play.vec_env import SelfPlayVecEnv

FORMAT = 2
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of Adam, for each parameter


class ResumeError(SpaceMissionError):
    """A run folder that cannot be gone on with; one line that says why."""


def save_state(path: Path, model: Any, env: SelfPlayVecEnv, run: dict[str, Any]) -> None:
    """Write the state of an SB3 model and its environment; `run` is any JSON that the run adds."""
    # Random numbers of torch, and of numpy's global generator, by which SB3 shuffles.
    tensors = {**_policy_tensors(model), **_env_tensors(env), **_other_tensors(model, env)}
    kind, _, *rest = _numpy_state()
    text = {
        "format": FORMAT,
        "version": __version__,
        "layout": env.table.spec.layout_version,  # type: ignore[attr-defined]
        "numpy": [kind, *rest],
        "env_rng": env.rng.bit_generator.state,
        "games_played": env.games_played,
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "run": run,
    }
    metadata = {"state": json.dumps(text), KEY: BLANK}
    write_atomically(path, sealed(save({k: v.contiguous() for k, v in tensors.items()}, metadata)))


def read_state(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """The JSON text and the tensors of a state file.

    Raises:
        ResumeError: one line naming the file and what is wrong with it.
    """
    if not path.parent.is_dir():
        raise ResumeError(f"{path.parent}: no such folder")
    if not path.exists():
        raise ResumeError(f"{path}: no such file; a run can be resumed after its first checkpoint")
    data = read_bytes(path, STATE_BYTES, ResumeError, str(path))
    try:
        check_seal(data)
        metadata = loads(header_of(data))["__metadata__"]
        if set(metadata) != {"state", KEY}:
            raise ValueError("its metadata are not those of a state")
        text = loads(metadata["state"].encode())
        tensors = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ResumeError(f"{path}: not a state file: {reason}") from None
    if not isinstance(text, dict) or text.get("format") != FORMAT:
        raise ResumeError(f"{path}: not a state file of format {FORMAT}")
    _check_layout(path, text)
    return text, tensors


def _check_layout(path: Path, text: dict[str, Any]) -> None:
    settings = text["run"].get("settings") if isinstance(text.get("run"), dict) else None
    if not isinstance(settings, dict) or "game" not in settings:
        return  # refused where the run and its settings are read
    try:
        version = find_game(settings["game"]).layout_version
    except SpaceMissionError as error:
        raise ResumeError(f"{path}: {error}") from None
    layout = text.get("layout")
    if layout != version:
        raise ResumeError(
            f"{path}: the run began with observation layout {layout}, this version has {version}; "
            "a new run can --start from its best model"
        )


def restore_state(
    path: Path,
    text: dict[str, Any],
    tensors: dict[str, torch.Tensor],
    model: Any,
    env: SelfPlayVecEnv,
    opponents: int,
    snapshots: int,
) -> None:
    """Put a state that was read into a new model and environment of the same settings.

    `opponents`: how many the mixture has; `snapshots`: how many past selves were kept.

    Raises:
        ResumeError: naming what does not fit; nothing is restored then.
    """
    try:
        _check(text, tensors, model, env, opponents, snapshots)
        _restore_policy(tensors, model)
        _restore_env(tensors, text, env)
        model._last_obs = env.observe_again()
        model._last_episode_starts = tensors["episode_starts"].numpy().copy()
        model.num_timesteps, model._n_updates = int(text["steps"]), int(text["updates"])
        torch.set_rng_state(tensors["rng.torch"])
        kind, *rest = text["numpy"]
        np.random.set_state((kind, tensors["rng.numpy"].numpy().astype(np.uint32), *rest))
    except (KeyError, RuntimeError, ValueError, TypeError, OverflowError) as error:
        raise ResumeError(f"{path}: does not fit these settings: {' '.join(str(error).split())}") from None


def _check(
    text: dict[str, Any],
    tensors: dict[str, torch.Tensor],
    model: Any,
    env: SelfPlayVecEnv,
    opponents: int,
    snapshots: int,
) -> None:
    expected = {**_policy_tensors(model), **_env_tensors(env), **_other_tensors(model, env)}
    moments = {
        f"optimizer.{moment}.{name}": (torch.tensor(0.0) if moment == "step" else parameter)
        for name, parameter in model.policy.named_parameters()
        for moment in MOMENTS
    }
    check_tensors(tensors, moments | expected, set(moments))
    check_numbers(text, tensors)
    check_games(tensors, env, opponents, snapshots)


def _other_tensors(model: Any, env: SelfPlayVecEnv) -> dict[str, torch.Tensor]:
    starts = np.ones(env.num_envs) if model._last_episode_starts is None else model._last_episode_starts
    return {
        "episode_starts": torch.from_numpy(np.array(starts, bool)),
        "rng.torch": torch.get_rng_state(),
        "rng.numpy": torch.from_numpy(_numpy_state()[1].astype(np.int64)),
    }


def _numpy_state() -> tuple[Any, ...]:
    return cast(tuple[Any, ...], np.random.get_state())


def _policy_tensors(model: Any) -> dict[str, torch.Tensor]:
    tensors = {f"policy.{name}": tensor for name, tensor in model.policy.state_dict().items()}
    if model.mean is not None:
        tensors |= {f"mean.{name}": tensor for name, tensor in model.mean.state_dict().items()}
    moments = model.policy.optimizer.state
    for name, parameter in model.policy.named_parameters():
        for moment in MOMENTS:
            if parameter in moments:
                tensors[f"optimizer.{moment}.{name}"] = torch.as_tensor(moments[parameter][moment])
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


def _restore_policy(tensors: dict[str, torch.Tensor], model: Any) -> None:
    for prefix, networks in (("policy.", model.policy), ("mean.", model.mean)):
        if networks is not None:
            saved = {k[len(prefix) :]: v for k, v in tensors.items() if k.startswith(prefix)}
            networks.load_state_dict(saved)
    optimizer = model.policy.optimizer
    for name, parameter in model.policy.named_parameters():
        found = {moment: tensors.get(f"optimizer.{moment}.{name}") for moment in MOMENTS}
        if all(tensor is not None for tensor in found.values()):
            if found["exp_avg"].shape != parameter.shape:  # type: ignore[union-attr]
                raise ValueError(f"optimizer state of {name} has another shape")
            optimizer.state[parameter] = {moment: tensor.clone() for moment, tensor in found.items()}  # type: ignore[union-attr]


def _env_arrays(env: SelfPlayVecEnv) -> dict[str, np.ndarray]:
    # Views into the environment: read for saving, written into for restoring.
    states: Any = env.table.states  # type: ignore[attr-defined]
    games = states.view(np.uint8).reshape(len(states), -1)
    return {"games": games, **{f"seating.{name}": array for name, array in vars(env.seating).items()}}


def _env_tensors(env: SelfPlayVecEnv) -> dict[str, torch.Tensor]:
    return {f"env.{name}": torch.from_numpy(array.copy()) for name, array in _env_arrays(env).items()}


def _restore_env(tensors: dict[str, torch.Tensor], text: dict[str, Any], env: SelfPlayVecEnv) -> None:
    for name, array in _env_arrays(env).items():
        saved = tensors[f"env.{name}"].numpy()
        if saved.shape != array.shape:
            raise ValueError(f"env.{name}: shape {saved.shape}, expected {array.shape}")
        array[...] = saved
    env.rng.bit_generator.state = text["env_rng"]
    env.games_played = int(text["games_played"])
