"""One model from several checkpoints of a run: the mean of their weights.

While a policy learns, its weights wander about the best that they come near to; their mean over the last
checkpoints lies nearer to it than any of them, and costs no more to play (stochastic weight averaging,
Izmailov et al. 2018, arXiv:1803.05407).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_agents.model_folder import load_model, save_model
from spacemission_env.errors import AgentError

SHARED = ("rules", "components_sha256", "observation", "network")  # of the cards: these have to be alike


def average(folders: Sequence[str | Path], out: str | Path) -> dict[str, Any]:
    """Write a model folder whose every weight is the mean of those of the models in `folders`.

    The models should be checkpoints of one run: the mean of weights that were learnt apart plays badly. The
    card is the last one's, without results, as the new model has not been measured; its `training.mean_of`
    tells from which weights the mean was taken.

    Returns:
        The card as written.

    Raises:
        AgentError: one line naming the folder that cannot be read, or is not of the same network, rules,
            components or observation as the first, or the folder that cannot be written.
    """
    if not folders:
        raise AgentError("average: no model folder given")
    cards, models = zip(*(load_model(folder) for folder in folders), strict=True)
    for folder, card in zip(folders, cards, strict=True):
        for key in SHARED:
            if card[key] != cards[0][key]:
                other = f"not the same as in {str(folders[0])!r}"
                raise AgentError(f"model folder {str(folder)!r}: {key}: {other}")
    means = {
        name: np.asarray(np.mean([model[name] for model in models], axis=0, dtype=np.float64), np.float32)
        for name in models[0]
    }
    parts = [
        {"steps": card["training"].get("steps"), "weights_sha256": card["weights_sha256"]} for card in cards
    ]
    card = {key: cards[-1][key] for key in SHARED}
    return save_model(out, means, {**card, "training": {**cards[-1]["training"], "mean_of": parts}})
