"""Runs networks of afterstates, which use the same weights for each row of features.

The features of an afterstate are equal *rows*, such as one for each planet, and the *table*, which has the
features that belong to no row. The first layer reads each row together with the table. The second layer reads
the first layer's outputs: their sum and maximum over the rows, their sums weighted by the marked features of
each row, and the outputs of the table alone. The network's first output is the logit of the share of the win
of the seat that moved; its other outputs predict auxiliary targets in training. Ratings of the moves are also
added directly to that logit (as in residual policy learning, Silver et al. 2018), because the errors of the
layers are often larger than the differences between moves. A move changes few features, so the first layer's
sums are kept and only the changes are added ("efficiently updatable" networks of shogi programs, Nasu 2018).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacemission_env.core.compiling import make_njit
from spacemission_env.core.errors import AgentError
from spacemission_env.core.reading import Json

njit = make_njit(Path(__file__))

INPUT = "afterstate"  # name of the input in a model's card, and prefix of the tensors
RATED_INPUT = "afterstate_rated"  # the same with ratings of the moves by a hand-written agent
INPUTS = (INPUT, RATED_INPUT)  # the inputs of value networks
POLICY_INPUT = "afterstate_policy"  # for policies: a move's logit comes before a value network's outputs
RATED_POLICY_INPUT = "afterstate_policy_rated"
POLICY_INPUTS = (POLICY_INPUT, RATED_POLICY_INPUT)
RATED_INPUTS = (RATED_INPUT, RATED_POLICY_INPUT)
WIN = (-1.0, 0.0, 1.0)  # what shares measure: index of a reward (-1: the win), its lowest and highest value
MOST = 255  # the largest value of a feature
GROUP = 8  # features are compared in eights; a row, the table and the ratings have a multiple of 8 features


@dataclass(frozen=True, eq=False)
class Features:
    """Sizes and scales of the features of an afterstate, uint8 (size,): rows, then table, then ratings.

    Attributes:
        rows: number of rows; 0: all features belong to the table.
        row_scales, table_scales, rating_scales: factor of each feature in a row, the table and the ratings.
        marks: features of a row by which sums over the rows are weighted.
        outputs: names of the outputs of a network.
        potential: the feature of the table by which an untrained network judges positions, if any.
        residual: weight of each rating in the logit of an untrained policy's critic; empty: all 0.
    """

    rows: int
    row_scales: np.ndarray
    table_scales: np.ndarray
    rating_scales: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    marks: tuple[int, ...] = ()
    outputs: tuple[str, ...] = ("share",)
    potential: int | None = None
    residual: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        assert not any(len(part) % GROUP for part in (self.row_scales, self.table_scales, self.rating_scales))

    @property
    def table(self) -> int:
        """First index of the table."""
        return self.rows * len(self.row_scales)

    @property
    def ratings(self) -> int:
        """First index of the ratings."""
        return self.table + len(self.table_scales)

    @property
    def size(self) -> int:
        return self.ratings + len(self.rating_scales)

    @property
    def pools(self) -> int:
        """Number of vectors that the second layer has for all rows: sum, maximum and one for each mark."""
        return 2 + len(self.marks)


def placed_features(*pieces: tuple[str, int, float]) -> tuple[list[int], np.ndarray]:
    """The first index of each piece, and the scales of all features, with zeros up to a multiple of `GROUP`.

    `pieces`: name, size and scale of each piece; they lie one after another.
    """
    at, scales = list[int](), list[float]()
    for _, size, scale in pieces:
        at.append(len(scales))
        scales += [scale] * size
    return at, np.array(scales + [0.0] * (-len(scales) % GROUP), np.float32)


class Network(NamedTuple):
    """A network's weights in the form that compiled code reads, and scratch memory, for one thread."""

    row: np.ndarray  # weights of a row's features times their scales, (row features, wide)
    table: np.ndarray  # as `row`, (table and rating features, wide + table); the first `wide` go to each row
    bias: np.ndarray  # biases of the first layer, (wide + table,)
    joined: np.ndarray  # weights of the second layer, (pools * wide + table, joined)
    joined_bias: np.ndarray
    share: np.ndarray  # weights of the first output, (joined,)
    share_bias: np.ndarray  # (1,)
    residual: np.ndarray  # the ratings' weights in the logit, times their scales; empty without ratings
    critic: np.ndarray  # weights of the share for a policy, whose `share` gives the move's logit; else empty
    critic_bias: np.ndarray
    critic_residual: np.ndarray
    marks: np.ndarray  # int64 (marks,)
    reads_ratings: bool
    is_policy: bool  # whether the first output is a policy's logit, not that of the share of the win
    reward: np.ndarray  # what the share measures, in the form of `WIN`: float64 (3,)
    base: np.ndarray  # features that the kept sums belong to, uint8 (features,)
    base_rows: np.ndarray  # kept sums of the rows, (rows, wide)
    base_table: np.ndarray  # kept sums of the table
    rows: np.ndarray  # sums of the rows after a move, (rows, wide)
    summed: np.ndarray  # sums of the table after a move
    features: np.ndarray  # features after each move of a decision, uint8 (actions, features)
    pooled: np.ndarray  # inputs of the second layer for each move, (actions, …)
    hidden: np.ndarray  # outputs of the second layer for each move, (actions, joined)


def shapes(of: Features, network: Json) -> dict[str, tuple[int, ...]]:
    """The name and shape of each tensor; `network`: entry of a card, whose `hidden` has two widths.

    Raises:
        AgentError: a width is missing or invalid.
    """
    wide, widths = network.get("planets", 0), network["hidden"]
    relu = network.get("activation", "relu") == "relu"
    if not relu or (wide > 0) != (of.rows > 0) or len(widths) != 2:
        entry = "planets" if of.rows else "planets 0"
        raise AgentError(f"input {network['input']!r}: expected relu, {entry}, two widths in hidden")
    table, joined = widths
    is_policy = network["input"] in POLICY_INPUTS
    outputs = len(of.outputs) + is_policy
    rating, row = (wide + table, len(of.rating_scales)), (wide, len(of.row_scales))
    rows = {f"{INPUT}.row.weight": row} if of.rows else {}
    residual = (1 + is_policy, len(of.rating_scales))
    ratings = {f"{INPUT}.rating.weight": rating, f"{INPUT}.residual.weight": residual}
    ratings = ratings if network["input"] in RATED_INPUTS else {}
    return (
        ratings
        | rows
        | {
            f"{INPUT}.table.weight": (wide + table, len(of.table_scales)),
            f"{INPUT}.table.bias": (wide + table,),
            f"{INPUT}.joined.weight": (joined, of.pools * wide + table),
            f"{INPUT}.joined.bias": (joined,),
            f"{INPUT}.outputs.weight": (outputs, joined),
            f"{INPUT}.outputs.bias": (outputs,),
        }
    )


def new_network(
    of: Features,
    actions: int,
    arrays: dict[str, np.ndarray],
    is_policy: bool = False,
    reward: tuple[float, float, float] = WIN,
) -> Network:
    """Make the network from these tensors; `actions`: maximum number of afterstates that it reads at once."""

    def across(name: str, scales: np.ndarray | None = None) -> np.ndarray:
        weight = np.ascontiguousarray(np.asarray(arrays[f"{INPUT}.{name}.weight"], np.float32).T)
        return weight if scales is None else weight * scales[:, None]

    def bias(name: str) -> np.ndarray:
        return np.array(arrays[f"{INPUT}.{name}.bias"], np.float32)

    table, joined = across("table", of.table_scales), across("joined")
    both = table.shape[1]
    row = across("row", of.row_scales) if of.rows else np.zeros((GROUP, 0), np.float32)
    reads_ratings = f"{INPUT}.rating.weight" in arrays
    unread = np.zeros((len(of.rating_scales), both), np.float32)
    rating = across("rating", of.rating_scales) if reads_ratings else unread
    wide = row.shape[1]
    none = np.zeros((0, 1 + is_policy), np.float32)
    residual = across("residual", of.rating_scales) if reads_ratings else none
    return Network(
        row=row,
        table=np.concatenate([table, rating]),
        bias=bias("table"),
        joined=joined,
        joined_bias=bias("joined"),
        share=np.array(arrays[f"{INPUT}.outputs.weight"][0], np.float32),
        share_bias=bias("outputs")[:1].copy(),
        residual=residual[:, 0].copy(),
        critic=np.array(arrays[f"{INPUT}.outputs.weight"][1 : 1 + is_policy].ravel(), np.float32),
        critic_bias=bias("outputs")[1 : 1 + is_policy].copy(),
        critic_residual=residual[:, 1:].ravel().copy(),
        marks=np.array(of.marks, np.int64),
        reads_ratings=reads_ratings,
        is_policy=is_policy,
        reward=np.array(reward),
        base=np.zeros(of.size, np.uint8),
        base_rows=np.zeros((of.rows, wide), np.float32),
        base_table=np.zeros(both, np.float32),
        rows=np.zeros((of.rows, wide), np.float32),
        summed=np.zeros(both, np.float32),
        features=np.zeros((actions, of.size), np.uint8),
        pooled=np.zeros((actions, len(joined)), np.float32),
        hidden=np.zeros((actions, joined.shape[1]), np.float32),
    )


@njit
def byte(value):
    """The nearest value that a feature can have."""
    return min(MOST, max(0, int(value + 0.5)))


@njit
def write_two_best(values, least, best):
    """Write the two highest values into `best`, (2,); values not above `least` count as `least`."""
    best[:] = least
    for value in values:
        if value > best[0]:
            best[1] = best[0]
            best[0] = value
        elif value > best[1]:
            best[1] = value


@njit
def copy_numbers(numbers, out):
    """Copy an array (n,) by a loop, which numba compiles much faster than an assignment of arrays."""
    for i in range(len(out)):
        out[i] = numbers[i]


@njit
def begin_sums(net, x):
    """Write the sums of the first layer for features x, to which moves add their changes."""
    net.base_rows[:] = 0.0
    copy_numbers(net.bias, net.base_table)
    net.base[:] = 0
    add_changes(x, net.base, net.row, net.table, net.base_rows, net.base_table)
    copy_numbers(x, net.base)


@njit
def add_changes(x, base, row, table, rows, summed):
    """Add to the sums of the first layer what changes between the features `base` and x.

    The loops over weights use no slices, because a slice takes as much time as the sums.
    """
    size, wide, both = len(row), rows.shape[1], len(summed)
    first = len(rows) * size  # first index of the table
    eights, eights_of = x.view(np.uint64), base.view(np.uint64)
    for n in range(len(eights)):
        if eights[n] != eights_of[n]:
            at = 8 * n
            p = at // size
            for i in range(at, at + 8):
                if x[i] != base[i]:
                    change = np.float32(x[i]) - np.float32(base[i])
                    if i < first:
                        for v in range(wide):
                            rows[p, v] += change * row[i - p * size, v]
                    else:
                        for v in range(both):
                            summed[v] += change * table[i - first, v]


@njit
def add_row(by, row, out):
    for v in range(len(out)):
        out[v] += by * row[v]


@njit
def add_four(by, rows, out):
    """Add four rows times their factors to `out`, one after the other, but read `out` only once."""
    a, b, c, d = by[0], by[1], by[2], by[3]
    if a != 0 or b != 0 or c != 0 or d != 0:  # many factors are 0 after the relu
        for v in range(len(out)):
            out[v] = (((out[v] + a * rows[0, v]) + b * rows[1, v]) + c * rows[2, v]) + d * rows[3, v]


@njit
def read_move(net, n):
    """Write the input of the second layer for move n from its features."""
    for p in range(len(net.rows)):
        copy_numbers(net.base_rows[p], net.rows[p])
    copy_numbers(net.base_table, net.summed)
    add_changes(net.features[n], net.base, net.row, net.table, net.rows, net.summed)
    pool(net.rows, net.summed, net.features[n], net.marks, len(net.row), net.pooled[n])


@njit
def is_empty(x):
    """Whether all features of a row are 0; such a row is skipped."""
    for eight in x.view(np.uint64):  # noqa: SIM110 - numba knows no all()
        if eight != 0:
            return False
    return True


@njit
def pool(rows, summed, x, marks, size, pooled):
    """Write the second layer's input: the rows' sum, maximum and sums weighted by marks, and the table.

    `rows`, `summed`: sums of the first layer; `x`: the features; `size`: number of features of a row.
    """
    wide = rows.shape[1]
    pooled[:] = 0.0
    zero = np.float32(0)
    for p in range(len(rows)):
        own = x[p * size : (p + 1) * size]
        if is_empty(own):
            continue
        for v in range(wide):
            h = max(zero, rows[p, v] + summed[v])
            pooled[v] += h
            pooled[wide + v] = max(pooled[wide + v], h)
        for m in range(len(marks)):
            by = np.float32(own[marks[m]])
            if by != 0:
                for v in range(wide):
                    pooled[(2 + m) * wide + v] += by * max(zero, rows[p, v] + summed[v])
    start = len(pooled) - (len(summed) - wide)
    for v in range(len(summed) - wide):
        pooled[start + v] = max(zero, summed[wide + v])


@njit
def write_logits(net, count, logits):
    """Write the logit of each of `count` moves: the network's first output plus what the ratings add."""
    write_outputs(net, count, logits)
    for n in range(count):
        logits[n] += of_ratings(net.features[n], net.residual)


@njit
def write_outputs(net, count, outputs):
    """Write the first output for `count` moves together, so that each row of weights is read only once."""
    for n in range(count):
        copy_numbers(net.joined_bias, net.hidden[n])
    fours = len(net.joined) // 4 * 4
    for i in range(0, fours, 4):
        for n in range(count):
            add_four(net.pooled[n, i : i + 4], net.joined[i : i + 4], net.hidden[n])
    for i in range(fours, len(net.joined)):
        for n in range(count):
            add_row(net.pooled[n, i], net.joined[i], net.hidden[n])
    for n in range(count):
        outputs[n] = output_of(net.hidden[n], net.share, net.share_bias)


@njit
def of_ratings(x, weights):
    """The part of a logit that comes directly from the ratings, which are the last features of x."""
    result, first = np.float32(0), len(x) - len(weights)
    for i in range(len(weights)):
        result += weights[i] * np.float32(x[first + i])
    return result


@njit
def output_of(hidden, weights, bias):
    """One output of the network; `hidden`: values of the last hidden layer before its relu."""
    result = bias[0]
    for v in range(len(weights)):
        result += max(hidden[v], np.float32(0)) * weights[v]
    return result


@njit
def share_of_move(net, n):
    """The share of the win after move n, according to a policy's critic."""
    by_rating = of_ratings(net.features[n], net.critic_residual)
    return share_of(output_of(net.hidden[n], net.critic, net.critic_bias) + by_rating)


@njit
def share_of(logit):
    """The share of the win for a logit."""
    return 1.0 / (1.0 + np.exp(-logit))
