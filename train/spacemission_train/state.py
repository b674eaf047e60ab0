"""Writes, reads and checks checkpoint files: safetensors with a checksum, without pickle.

The entry `state` is a JSON text; `sha256` is the checksum of all other entries.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load
from safetensors.torch import save as to_bytes

from spacemission_env.core.errors import SpaceMissionError
from spacemission_env.core.game_spec import find_game
from spacemission_env.core.reading import STATE_BYTES, loads, read_bytes

FORMAT = 4
STATE, CHECKSUM = "state", "sha256"
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # Adam's state of each parameter

Saved = dict[str, Any]
Tensors = dict[str, torch.Tensor]


class ResumeError(SpaceMissionError):
    """A run folder cannot be resumed; the message says why in one line."""


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
        raise ResumeError(f"{path}: no such file")
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
    version = find_game(text["settings"]["game"]).layout_version
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
        """Restore these tensors; RuntimeError if they belong to other networks."""
        self.networks.load_state_dict(part(tensors, "network."))
        if self.mean is not None:
            self.mean.load_state_dict(part(tensors, "mean."))
        for name, parameter in self.networks.named_parameters():
            found = {m: tensors[key].clone() for m in MOMENTS if (key := f"optimizer.{m}.{name}") in tensors}
            if len(found) == len(MOMENTS):
                self.optimizer.state[parameter] = found


def part(tensors: Tensors, prefix: str) -> Tensors:
    """The tensors whose names begin with `prefix`, by their names without `prefix`."""
    return {name.removeprefix(prefix): one for name, one in tensors.items() if name.startswith(prefix)}
