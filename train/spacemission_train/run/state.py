"""Writes, checks and reads a run's checkpoint file: safetensors with a checksum, nothing pickled.

Compiled code and torch trust what they are handed: all of a file is checked before anything is restored. The
entry `state` is a JSON text, `sha256` the checksum of everything else.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import abstractmethod
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load
from safetensors.torch import save as to_bytes

from spacemission_agents.models.card import weights_digest
from spacemission_agents.models.folder import load_model, save_model
from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import STATE_BYTES, loads, read_bytes
from spacemission_env.version import __version__
from spacemission_train.run.evaluation import WinShare
from spacemission_train.run.folder import BEST_FOLDER, STATE_FILE, checkpoint_folder, write_atomically
from spacemission_train.run.progress import Progress

FORMAT = 3
STATE, CHECKSUM = "state", "sha256"
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of Adam, for each parameter
MOST = 10**15  # of counts and seconds
ENTRIES: dict[str, type] = {  # of every run
    "settings": dict, "components_sha256": str, "command": str, "steps": int, "updates": int, "games": int,
    "seconds": float, "training": float, "rows": list, "results": list, "best": dict, "warnings": dict,
}  # fmt: skip

Saved = dict[str, Any]
Tensors = dict[str, torch.Tensor]


class ResumeError(SpaceMissionError):
    """A run folder that cannot be gone on with; one line that says why."""


class Resumable(Progress):
    """A run that a checkpoint file can hold."""

    @property
    @abstractmethod
    def learning(self) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
        """The networks and their optimizer."""

    @abstractmethod
    def own_state(self) -> Saved:
        """What of its method the file has, as JSON types."""

    def own_tensors(self) -> Tensors:
        """What of its method the file has beside networks and optimizer."""
        return {}

    @abstractmethod
    def check_own(self, saved: Saved, tensors: Tensors) -> None:
        """Refuse, with ValueError, what `own_state` and `own_tensors` cannot have given."""

    @abstractmethod
    def restore_own(self, saved: Saved, tensors: Tensors) -> None:
        """Take over what was checked, and `steps`, `updates` and `games`."""


def save(run: Resumable) -> None:
    """Write OUT/state.safetensors between two updates."""
    text = {
        "format": FORMAT,
        "version": __version__,
        "layout": run.settings.spec.layout_version,
        "settings": run.settings.to_json(),
        "components_sha256": run.components.sha256,
        "target_sha256": weights_digest(run.target),
        "command": run.command,
        "steps": run.steps,
        "updates": run.updates,
        "games": run.games,
        "seconds": run.seconds,
        "training": run.training,
        "rows": run.rows,
        "results": [result.to_json() for result in run.results],
        "best": run.best,
        "warnings": run.warnings,
        **run.own_state(),
    }
    write_atomically(run.out / STATE_FILE, state_bytes(text, _tensors(run)))


def state_bytes(text: Saved, tensors: Tensors) -> bytes:
    """A checkpoint file with its checksum."""
    data = np.frombuffer(json.dumps(text).encode(), np.uint8)
    tensors = {**tensors, STATE: torch.from_numpy(data.copy())}
    return to_bytes({**tensors, CHECKSUM: _checksum(tensors)})


def _checksum(tensors: Tensors) -> torch.Tensor:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        array = tensors[name].cpu().contiguous().numpy()
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return torch.tensor(list(digest.digest()), dtype=torch.uint8)


def read_state(path: Path) -> tuple[Saved, Tensors]:
    """The JSON text and the tensors of a checkpoint file.

    Raises:
        ResumeError: one line naming the file and what is wrong with it.
    """
    if not path.parent.is_dir():
        raise ResumeError(f"{path.parent}: no such folder")
    if not path.exists():
        raise ResumeError(f"{path}: no such file; a run can be resumed after its first checkpoint")
    data = read_bytes(path, STATE_BYTES, ResumeError, str(path))
    try:
        tensors = load(data)
        checksum = tensors.pop(CHECKSUM, None)
        if checksum is None or not torch.equal(checksum, _checksum(tensors)):
            raise ValueError(f"its checksum is {'missing' if checksum is None else 'wrong: it is damaged'}")
        text = loads(tensors.pop(STATE).numpy().tobytes())
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ResumeError(f"{path}: not a state file: {reason}") from None
    if not isinstance(text, dict) or text.get("format") != FORMAT:
        raise ResumeError(f"{path}: not a state file of format {FORMAT}")
    try:
        _check_entries(text)
        version = find_game(text["settings"].get("game")).layout_version
    except (SpaceMissionError, ValueError) as error:
        raise ResumeError(f"{path}: not the state of a run: {error}") from None
    if text.get("layout") != version:
        raise ResumeError(
            f"{path}: the run began with observation layout {text.get('layout')}, this version has"
            f" {version}; "
            "a new run can --start from its best model"
        )
    return text, tensors


def restore(run: Resumable, path: Path, saved: Saved, tensors: Tensors) -> None:
    """Put a state that was read into a run just made with its settings.

    Raises:
        ResumeError: naming the file and what does not fit; nothing is restored then.
    """
    if saved["components_sha256"] != run.components.sha256:
        raise ResumeError(f"{path}: components: the run began with another table of components")
    if saved.get("target_sha256") != weights_digest(run.target):
        raise ResumeError(f"{path}: exploit: {run.settings.exploit!r} is another model by now")
    networks, optimizer = run.learning
    moments = {
        f"optimizer.{moment}.{name}": torch.tensor(0.0) if moment == "step" else parameter
        for name, parameter in networks.named_parameters()
        for moment in MOMENTS
    }
    try:
        _check_tensors(tensors, _tensors(run) | moments, set(moments))
        run.check_own(saved, tensors)
    except (KeyError, RuntimeError, ValueError, TypeError, OverflowError) as error:
        raise ResumeError(f"{path}: does not fit these settings: {' '.join(str(error).split())}") from None
    networks.load_state_dict(part(tensors, "network."))
    for name, parameter in networks.named_parameters():
        found = {moment: tensors.get(f"optimizer.{moment}.{name}") for moment in MOMENTS}
        if None not in found.values():
            optimizer.state[parameter] = {
                moment: one.clone() for moment, one in found.items() if one is not None
            }
    run.seconds, run.training = float(saved["seconds"]), float(saved["training"])
    run.rows, run.results = saved["rows"], [WinShare(**result) for result in saved["results"]]
    run.best, run.warnings = saved["best"], saved["warnings"]
    run.restore_own(saved, tensors)


def part(tensors: Tensors, prefix: str) -> Tensors:
    """The tensors whose names begin so, without the prefix."""
    return {name.removeprefix(prefix): one for name, one in tensors.items() if name.startswith(prefix)}


def mend(run: Progress) -> None:
    """Let OUT/best be the best checkpoint of the state: a killed process may have been replacing it."""
    assert run.best is not None  # a state is a checkpoint's
    folder = checkpoint_folder(run.out, run.best["steps"])
    if folder.is_dir():
        card, arrays = load_model(folder)
        save_model(run.out / BEST_FOLDER, arrays, card, run.settings.spec)


def _tensors(run: Resumable) -> Tensors:
    networks, optimizer = run.learning
    tensors = {f"network.{name}": tensor for name, tensor in networks.state_dict().items()}
    for name, parameter in networks.named_parameters():
        for moment in MOMENTS if parameter in optimizer.state else ():
            tensors[f"optimizer.{moment}.{name}"] = torch.as_tensor(optimizer.state[parameter][moment])
    tensors |= run.own_tensors()
    return {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}


# ------------------------------------------------------------ checks; each raises ValueError, one line


def _check_tensors(tensors: Tensors, expected: Tensors, optional: set[str]) -> None:
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


def _check_entries(saved: Saved) -> None:
    for name, kind in ENTRIES.items():
        check_kind(name, saved.get(name), kind)
    rows = saved["rows"]
    if not rows or not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        raise ValueError("rows: expected an evaluation each, all of the same columns")
    if not all(type(value) in (int, float, type(None)) for row in rows for value in row.values()):
        raise ValueError("rows: expected numbers")
    steps = [row.get("steps") for row in rows]
    for one, row in zip(steps, rows, strict=True):
        check_kind("rows: steps", one, int)
        check_kind("rows: score", row.get("score"), float)
    if steps != sorted(set(steps)) or steps[-1] != saved["steps"]:
        raise ValueError("rows: expected steps that grow, up to those of the run")
    known = get_type_hints(WinShare)
    for result in saved["results"]:
        if not isinstance(result, dict) or set(result) != {field.name for field in fields(WinShare)}:
            raise ValueError("results: expected the entries of a win share")
        for name, value in result.items():
            if type(value) is not known[name] and not (known[name] is float and type(value) is int):
                raise ValueError(f"results: {name}: expected {known[name].__name__}")
    if set(saved["best"]) != {"steps", "score"}:
        raise ValueError("best: expected steps and score")
    check_kind("best: steps", saved["best"]["steps"], int)
    check_kind("best: score", saved["best"]["score"], float)
    if not all(type(k) is str and type(v) is str for k, v in saved["warnings"].items()):
        raise ValueError("warnings: expected texts")


def check_kind(name: str, value: Any, kind: type[Any]) -> None:
    """Refuse a value of another type; numbers below 0, too large or not finite."""
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ValueError(f"{name}: expected {kind.__name__}, not {type(value).__name__}")
    if type(value) in (int, float) and not (math.isfinite(value) and 0 <= value <= MOST):
        raise ValueError(f"{name}: expected a number from 0, not {value}")
