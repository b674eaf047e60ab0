"""Keeps a running mean of a network's weights."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel


def mean_weights(network: nn.Module, share: float) -> AveragedModel | None:
    """Copy a network to keep the mean of its weights; None if `share` is 0.

    After each update of the network, `update_parameters(network)` joins its weights to the mean, with the
    step 1 / (share * updates). So the mean covers about this share of the updates so far. The noise of the
    updates and the cycles of self-play cancel in it (Shamir and Zhang, ICML 2013).
    """

    def join(mean: torch.Tensor, now: torch.Tensor, joined: torch.Tensor | int) -> torch.Tensor:
        return mean.lerp(now, min(1.0, 1.0 / (share * (int(joined) + 1))))

    return AveragedModel(network, avg_fn=join) if share else None
