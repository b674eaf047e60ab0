"""What a run of values needs to go on, in one safetensors file: weights, Adam's moments, and a JSON text.

Games under way and positions to learn from are not kept: a run that goes on begins new games.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save as save_tensors

from spacemission_agents.models.card import weights_digest
from spacemission_env.version import __version__
from spacemission_train.learning.evaluation import WinShare
from spacemission_train.run.files import write_atomically
from spacemission_train.run.folder import STATE_FILE
from spacemission_train.run.resume_state import FORMAT, MOMENTS, ResumeError
from spacemission_train.run.seal import BLANK, KEY, sealed
from spacemission_train.run.state_checks import check_tensors, check_value_run

if TYPE_CHECKING:
    from pathlib import Path

    from spacemission_train.values.run import ValueRun


def save(run: ValueRun) -> None:
    """Write the state of a run at a checkpoint."""
    learner = run.learner
    text = {
        "format": FORMAT,
        "version": __version__,
        "layout": run.settings.spec.layout_version,
        "run": {
            "settings": run.settings.to_json(),
            "components_sha256": run.components.sha256,
            "target_sha256": weights_digest(run.target),
            "command": run.command,
            "steps": learner.steps,
            "updates": learner.updates,
            "loss": learner.loss,
            "games": run.games,
            "seconds": run.seconds,
            "training": run.training,
            "rows": run.rows,
            "results": [result.to_json() for result in run.results],
            "best": run.best,
            "warnings": run.warnings,
        },
    }
    metadata = {"state": json.dumps(text), KEY: BLANK}
    write_atomically(run.out / STATE_FILE, sealed(save_tensors(_tensors(learner), metadata)))


def _tensors(learner: Any) -> dict[str, torch.Tensor]:
    tensors = {f"network.{name}": tensor for name, tensor in learner.network.state_dict().items()}
    for name, parameter in learner.network.named_parameters():
        for moment in MOMENTS:
            kept = learner.optimizer.state.get(parameter, {}).get(moment, torch.zeros_like(parameter))
            kept = torch.zeros(()) if moment == "step" and kept.dim() else kept
            tensors[f"optimizer.{moment}.{name}"] = torch.as_tensor(kept)
    return {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}


def restore(run: ValueRun, path: Path, text: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
    """Put a state that was read into a run just made with its settings.

    Raises:
        ResumeError: naming the file and what does not fit; nothing is restored then.
    """
    saved, learner = text["run"], run.learner
    try:
        check_value_run(saved)
    except (ValueError, KeyError, TypeError) as error:
        raise ResumeError(f"{path}: not the state of a run: {error}") from None
    if saved["components_sha256"] != run.components.sha256:
        raise ResumeError(f"{path}: components: the run began with another table of components")
    if saved.get("target_sha256") != weights_digest(run.target):
        raise ResumeError(f"{path}: exploit: {run.settings.exploit!r} is another model by now")
    try:
        check_tensors(tensors, _tensors(learner), set())
    except ValueError as error:
        raise ResumeError(f"{path}: does not fit these settings: {error}") from None
    learner.network.load_state_dict(
        {k.removeprefix("network."): v for k, v in tensors.items() if k.startswith("network.")}
    )
    for name, parameter in learner.network.named_parameters():
        learner.optimizer.state[parameter] = {
            moment: tensors[f"optimizer.{moment}.{name}"].clone() for moment in MOMENTS
        }
    learner.steps, learner.updates, run.games_before = saved["steps"], saved["updates"], saved["games"]
    learner.loss, run.seconds, run.training = saved["loss"], float(saved["seconds"]), float(saved["training"])
    run.rows, run.results = saved["rows"], [WinShare(**result) for result in saved["results"]]
    run.best, run.warnings = saved["best"], saved["warnings"]
