"""Writes, reads and checks checkpoint files: safetensors with a checksum, without pickle.

Compiled code and torch do not check their input, so the whole file is checked before anything is restored.
The entry `state` is a JSON text; `sha256` is the checksum of all other entries.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load
from safetensors.torch import save as to_bytes

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import STATE_BYTES, loads, read_bytes
from spacemission_train.run.evaluation import WinShare

FORMAT = 3
STATE, CHECKSUM = "state", "sha256"
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # Adam's state of each parameter
MOST = 10**15  # maximum of counts and of seconds
ENTRIES: dict[str, type] = {  # entries that all runs have
    "settings": dict, "components_sha256": str, "command": str, "steps": int, "updates": int, "games": int,
    "seconds": float, "training": float, "rows": list, "results": list, "best": dict, "warnings": dict,
}  # fmt: skip

Saved = dict[str, Any]
Tensors = dict[str, torch.Tensor]


class ResumeError(SpaceMissionError):
    """A run folder from which no run can resume; one line says why."""


def state_bytes(text: Saved, tensors: Tensors) -> bytes:
    """Encode a checkpoint file with its checksum."""
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
    """Read the JSON text and the tensors of a checkpoint file.

    Raises:
        ResumeError: one line naming the file and the fault.
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
            f"{path}: the run began with observation layout {text.get('layout')}, this version has {version};"
            " a new run can --start from its best model"
        )
    return text, tensors


class Learnt(NamedTuple):
    """What a run has learnt."""

    networks: torch.nn.Module
    optimizer: torch.optim.Optimizer  # Adam
    mean: torch.nn.Module | None  # the mean of the weights, if it is kept

    def tensors(self) -> Tensors:
        """The weights, their mean, and Adam's state of each parameter that has been updated."""
        tensors = {f"network.{name}": tensor for name, tensor in self.networks.state_dict().items()}
        for name, parameter in self.networks.named_parameters():
            for moment, tensor in self.optimizer.state.get(parameter, {}).items():
                tensors[f"optimizer.{moment}.{name}"] = torch.as_tensor(tensor)
        of_mean = {} if self.mean is None else self.mean.state_dict()
        return tensors | {f"mean.{name}": tensor for name, tensor in of_mean.items()}

    def restore(self, tensors: Tensors) -> None:
        """Restore these tensors; they have been checked."""
        self.networks.load_state_dict(part(tensors, "network."))
        if self.mean is not None:
            self.mean.load_state_dict(part(tensors, "mean."))
        for name, parameter in self.networks.named_parameters():
            found = {m: tensors[key].clone() for m in MOMENTS if (key := f"optimizer.{m}.{name}") in tensors}
            if len(found) == len(MOMENTS):
                self.optimizer.state[parameter] = found


def part(tensors: Tensors, prefix: str) -> Tensors:
    """The tensors whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): one for name, one in tensors.items() if name.startswith(prefix)}


# ------------------------------------------------------------ checks; each raises ValueError, one line


def check_tensors(tensors: Tensors, expected: Tensors, networks: torch.nn.Module) -> None:
    """Check names, shapes, types and values against `expected`; Adam's state may be missing."""
    moments = {
        f"optimizer.{moment}.{name}": torch.tensor(0.0) if moment == "step" else parameter
        for name, parameter in networks.named_parameters()
        for moment in MOMENTS
    }
    expected = expected | moments
    for name in sorted(set(expected) ^ set(tensors)):
        if name not in expected:
            raise ValueError(f"{name}: is no tensor of such a run")
        if name not in moments:
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
        raise ValueError("rows: expected one evaluation per row, with the same columns")
    if not all(type(value) in (int, float, type(None)) for row in rows for value in row.values()):
        raise ValueError("rows: expected numbers")
    for row in rows:
        check_kind("rows: steps", row.get("steps"), int)
        check_kind("rows: score", row.get("score"), float)
    steps = [row["steps"] for row in rows]
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


def check_kind(name: str, value: object, kind: type) -> None:
    """Check the type of a value; a number must be finite and from 0 to `MOST`."""
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ValueError(f"{name}: expected {kind.__name__}, not {type(value).__name__}")
    if isinstance(value, (int, float)) and not (math.isfinite(value) and 0 <= value <= MOST):
        raise ValueError(f"{name}: expected 0 or more, not {value}")
