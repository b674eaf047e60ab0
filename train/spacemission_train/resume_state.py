"""The state of a run between two updates, in one safetensors file with a JSON text: what `--resume` needs.

Nothing is pickled. The file is put in place in one step, so that a run stopped at any moment can go on.
A run that goes on makes the very steps that it would have made without the stop: games, opponents,
optimizer and all random numbers are in the state.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from spacemission_env.engine.layout import LAYOUT_VERSION
from spacemission_env.errors import SpaceMissionError
from spacemission_env.version import __version__
from spacemission_train.files import write_atomically
from spacemission_train.self_play_env import SelfPlayVecEnv

FORMAT = 2
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of Adam, for each parameter


class ResumeError(SpaceMissionError):
    """A run folder that cannot be gone on with; one line that says why."""


def save_state(path: Path, model: Any, env: SelfPlayVecEnv, run: dict[str, Any]) -> None:
    """Write the state of an SB3 model and its environment; `run` is any JSON that the run adds."""
    tensors = {**_policy_tensors(model), **_env_tensors(env)}
    tensors["episode_starts"] = torch.from_numpy(np.asarray(model._last_episode_starts, bool).copy())
    tensors["rng.torch"] = torch.get_rng_state()  # and SB3 shuffles with numpy's global generator
    kind, words, *rest = cast(tuple[Any, ...], np.random.get_state())
    tensors["rng.numpy"] = torch.from_numpy(words.astype(np.int64))
    text = {
        "format": FORMAT,
        "version": __version__,
        "layout": LAYOUT_VERSION,
        "numpy": [kind, *rest],
        "env_rng": env.rng.bit_generator.state,
        "games_played": env.games_played,
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "run": run,
    }
    write_atomically(path, save({k: v.contiguous() for k, v in tensors.items()}, {"state": json.dumps(text)}))


def read_state(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """The JSON text and the tensors of a state file.

    Raises:
        ResumeError: one line naming the file and what is wrong with it.
    """
    if not path.is_file():
        raise ResumeError(f"{path}: no such file; a run can be resumed after its first checkpoint")
    try:
        with safe_open(path, "pt") as file:
            text = json.loads((file.metadata() or {}).get("state", "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
    except (SafetensorError, ValueError, OSError) as error:
        raise ResumeError(f"{path}: not a state file: {str(error).splitlines()[0]}") from None
    if not isinstance(text, dict) or text.get("format") != FORMAT:
        raise ResumeError(f"{path}: not a state file of format {FORMAT}")
    layout = text.get("layout", 1)
    if layout != LAYOUT_VERSION:
        raise ResumeError(
            f"{path}: the run began with observation layout {layout}, this version has {LAYOUT_VERSION}; "
            "a new run can --start from its best model"
        )
    return text, tensors


def restore_state(
    path: Path, text: dict[str, Any], tensors: dict[str, torch.Tensor], model: Any, env: SelfPlayVecEnv
) -> None:
    """Put a state that was read into a new model and environment of the same settings.

    Raises:
        ResumeError: naming what does not fit.
    """
    try:
        _restore_policy(tensors, model)
        _restore_env(tensors, text, env)
        model._last_obs = env.observe_again()
        model._last_episode_starts = tensors["episode_starts"].numpy().copy()
        model.num_timesteps, model._n_updates = int(text["steps"]), int(text["updates"])
        torch.set_rng_state(tensors["rng.torch"])
        kind, *rest = text["numpy"]
        np.random.set_state((kind, tensors["rng.numpy"].numpy().astype(np.uint32), *rest))
    except (KeyError, RuntimeError, ValueError, TypeError) as error:
        raise ResumeError(f"{path}: does not fit these settings: {' '.join(str(error).split())}") from None


def _policy_tensors(model: Any) -> dict[str, torch.Tensor]:
    tensors = {f"policy.{name}": tensor for name, tensor in model.policy.state_dict().items()}
    moments = model.policy.optimizer.state
    for name, parameter in model.policy.named_parameters():
        for moment in MOMENTS:
            if parameter in moments:
                tensors[f"optimizer.{moment}.{name}"] = torch.as_tensor(moments[parameter][moment])
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


def _restore_policy(tensors: dict[str, torch.Tensor], model: Any) -> None:
    prefix = "policy."
    model.policy.load_state_dict({k[len(prefix) :]: v for k, v in tensors.items() if k.startswith(prefix)})
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
