"""Defines the network of afterstate values in torch, and joins networks to an ensemble.

An ensemble is one network that contains its members and returns their mean. The errors of independent runs
differ, so the mean has a smaller error (Hansen and Salamon, "Neural Network Ensembles", 1990).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from spacemission_agents.afterstates.network import INPUT, RATED_INPUTS, Features
from spacemission_env.core.reading import Json

Arrays = dict[str, np.ndarray]
FACTOR = f"{INPUT}.log_factor"
RATING_FACTOR = 60.0  # weights of the ratings in a new policy's logits, as multiples of those in its critic
SLOPE = 4.0  # a new network's logit rises with the potential at this rate: the share is about the potential
OUTPUT_TENSORS = ("outputs.weight", "outputs.bias", "residual.weight")  # these have one row for each output
TABLES = ("table.weight", "table.bias", "rating.weight")  # units for rows come before those for the table


class Value(nn.Module):
    """The network of `afterstates/network.py`, which defines rows, table and pools, in torch."""

    share = 0  # index of the output that is the logit of the seat's share

    def __init__(self, of: Features, network: Json) -> None:
        """`network`: the entry of a model card, with two widths in `hidden`."""
        super().__init__()
        self.of, self.wide, (table, joined) = of, network["planets"], network["hidden"]
        self.row = nn.Linear(len(of.row_scales), self.wide, bias=False) if self.wide else None
        both = self.wide + table
        self.table = nn.Linear(len(of.table_scales), both)
        rated, ratings = network["input"] in RATED_INPUTS, len(of.rating_scales)
        self.rating = nn.Linear(ratings, both, bias=False) if rated else None
        self.residual = nn.Linear(ratings, 1 + self.share, bias=False) if rated else None
        self.joined = nn.Linear(of.pools * self.wide + table, joined)
        self.outputs = nn.Linear(joined, len(of.outputs))
        nn.init.zeros_(self.outputs.weight)
        nn.init.zeros_(self.outputs.bias)
        if of.potential is not None:
            self._begin_with(of.potential)
        if self.residual is not None:
            nn.init.zeros_(self.residual.weight)
        self.scales = [torch.from_numpy(part) for part in (of.row_scales, of.table_scales, of.rating_scales)]

    def _begin_with(self, potential: int) -> None:
        # Pass the potential, a feature of the table, through one unit of each layer to the share's output.
        first = self.of.pools * self.wide
        with torch.no_grad():
            for weight, unit, source in (
                (self.table.weight, self.wide, potential),
                (self.joined.weight, 0, first),
                (self.outputs.weight, self.share, 0),
            ):
                weight[unit] = 0.0
                weight[unit, source] = 1.0
            self.table.bias[self.wide] = self.joined.bias[0] = 0.0
            if self.rating is not None:
                self.rating.weight[self.wide] = 0.0
            self.outputs.weight[self.share, 0], self.outputs.bias[self.share] = SLOPE, -SLOPE / 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs, float32 (n, outputs), from features, uint8 (n, features)."""
        outputs: torch.Tensor = self.outputs(self.hidden(x))
        if self.residual is not None:
            of_ratings = self.residual(x[:, self.of.ratings :].float() * self.scales[2])
            outputs = outputs + functional.pad(of_ratings, (0, outputs.shape[1] - of_ratings.shape[1]))
        return outputs

    def hidden(self, x: torch.Tensor) -> torch.Tensor:
        """Compute the last hidden layer, float32 (n, width), from features, uint8 (n, features)."""
        of = self.of
        table = self.table(x[:, of.table : of.ratings].float() * self.scales[1])
        if self.rating is not None:
            table = table + self.rating(x[:, of.ratings :].float() * self.scales[2])
        parts = self._pools(x[:, : of.table], table[:, : self.wide])
        joined = self.joined(torch.cat([*parts, torch.relu(table[:, self.wide :])], 1))
        return torch.relu(joined)

    def _pools(self, x: torch.Tensor, table: torch.Tensor) -> list[torch.Tensor]:
        # The pools of the rows as in `afterstates/network.py`, each (n, wide).
        if self.row is None:
            return []
        rows = x.view(len(x), self.of.rows, -1)
        there = rows.any(-1, keepdim=True)
        last = _last_row(there)
        rows, there = rows[:, :last], there[:, :last]
        each = torch.relu(self.row(rows.float() * self.scales[0]) + table[:, None])
        each = each * there  # an empty row counts for nothing
        marked = [(each * rows[..., mark : mark + 1]).sum(-2) for mark in self.of.marks]
        return [each.sum(-2), each.amax(-2), *marked]

    def arrays(self) -> Arrays:
        """The weights under the names of a model folder."""
        return {f"{INPUT}.{k}": v.detach().cpu().numpy().copy() for k, v in self.state_dict().items()}

    def set_arrays(self, arrays: Arrays) -> None:
        """Load the weights of a model folder; weights of ratings that it lacks are those of a new network."""
        new = {k.removeprefix(f"{INPUT}."): torch.from_numpy(v) for k, v in arrays.items()}
        if self.rating is not None and self.residual is not None:
            new.setdefault("rating.weight", torch.zeros_like(self.rating.weight))
            new.setdefault("residual.weight", self.residual.weight)
        self.load_state_dict(new)

    def set_ensemble(self, values: list[Arrays]) -> None:
        """Load several models as an ensemble; their widths must sum to the widths of this network."""
        self.set_arrays(ensemble_arrays(values))


class Policy(Value):
    """A policy over afterstates: the logit of a move is a multiple of its value plus a learnt correction.

    The first output is the correction, the others are the outputs of a value. At first the correction is 0,
    so the policy follows the value; the factor is learnt too. The policy's loss sends no gradient through the
    logits into the value output. A new policy that reads ratings prefers the moves that are rated higher.
    """

    share = 1

    def __init__(self, of: Features, network: Json, temperature: float) -> None:
        """`temperature`: at first, the factor of the value in a logit is 1 / `temperature`."""
        super().__init__(replace(of, outputs=("correction", *of.outputs)), network)
        self.log_factor = nn.Parameter(-torch.log(torch.tensor(temperature)))
        if self.residual is not None and of.residual:
            by_rating = torch.tensor(of.residual)
            self.residual.weight.data[:2] = torch.stack(
                [(RATING_FACTOR - 1 / temperature) * by_rating, by_rating]
            )

    def logits_of(self, outputs: torch.Tensor) -> torch.Tensor:
        """The logits of moves (n,) from their outputs (n, outputs)."""
        return outputs[:, 0] + self.log_factor.exp() * outputs[:, 1].detach()

    def arrays(self) -> Arrays:
        """The weights under the names of a model folder, where the first output is the logit of a move."""
        arrays = super().arrays()
        self._correct(arrays, float(np.exp(arrays.pop(FACTOR))))
        return arrays

    def set_arrays(self, arrays: Arrays) -> None:
        """Load the weights of a policy, or of a value that the policy then follows; keep the factor."""
        factor = self.log_factor.detach().numpy()
        arrays = {name: array.copy() for name, array in arrays.items()}
        if len(arrays[f"{INPUT}.outputs.bias"]) == len(self.of.outputs):
            self._correct(arrays, -float(np.exp(factor)))
        else:
            for name in arrays.keys() & {f"{INPUT}.{name}" for name in OUTPUT_TENSORS}:
                arrays[name] = np.concatenate([0 * arrays[name][:1], arrays[name]])
        super().set_arrays({**arrays, FACTOR: factor})

    @staticmethod
    def _correct(arrays: Arrays, factor: float) -> None:
        for name in OUTPUT_TENSORS:
            outputs = arrays.get(f"{INPUT}.{name}")
            if outputs is not None:
                outputs[0] += factor * outputs[1]


def _last_row(there: torch.Tensor) -> int:
    # Number of rows up to the last one that any position uses; `there`: bool (n, rows, 1).
    used = there.any(0).nonzero()
    return int(used[-1, 0]) + 1 if len(used) else 1


def ensemble_arrays(values: list[Arrays]) -> Arrays:
    """Join the weights of networks to those of one ensemble."""
    ratings = [of[f"{INPUT}.residual.weight"] for of in values if f"{INPUT}.residual.weight" in of]
    rated = len(ratings) > 0
    values = [_named(value, 0 * ratings[0] if rated else None) for value in values]
    rows = "row.weight" in values[0]
    wide = [len(value["row.weight"]) if rows else 0 for value in values]
    joined = {"row.weight": np.concatenate([value["row.weight"] for value in values])} if rows else {}
    for name in TABLES if rated else TABLES[:2]:
        both = [(value[name][:w], value[name][w:]) for value, w in zip(values, wide, strict=True)]
        joined[name] = np.concatenate([part[0] for part in both] + [part[1] for part in both])
    joined["joined.weight"] = _blocks([_pooled(value) for value in values])
    joined["joined.bias"] = np.concatenate([value["joined.bias"] for value in values])
    joined["outputs.weight"] = np.concatenate([value["outputs.weight"] for value in values], 1) / len(values)
    if rated:
        joined["residual.weight"] = np.mean([value["residual.weight"] for value in values], axis=0)
    joined["outputs.bias"] = np.mean([value["outputs.bias"] for value in values], axis=0)
    return {f"{INPUT}.{name}": array.astype(np.float32) for name, array in joined.items()}


def _named(value: Arrays, unrated: np.ndarray | None) -> Arrays:
    # The weights by short names; a value that reads no ratings gets weights 0 for ratings (`unrated`).
    short = {name.removeprefix(f"{INPUT}."): array for name, array in value.items()}
    if unrated is not None:
        none = np.zeros((len(short["table.bias"]), unrated.shape[1]), np.float32)
        short = {"rating.weight": none, "residual.weight": unrated, **short}
    return short


def _pooled(value: Arrays) -> list[np.ndarray]:
    # Split the columns of the joined layer by their input: one part for each pool of the rows, and the table.
    wide = len(value["row.weight"]) if "row.weight" in value else 0
    table, columns = len(value["table.bias"]) - wide, value["joined.weight"].shape[1]
    return np.split(value["joined.weight"], list(range(wide, columns - table + 1, wide)) if wide else [], 1)


def _blocks(values: list[list[np.ndarray]]) -> np.ndarray:
    # Block-diagonal weights: each member reads only its own part of the input.
    parts = [torch.block_diag(*map(torch.from_numpy, of)) for of in zip(*values, strict=True)]
    return torch.cat(parts, 1).numpy()
