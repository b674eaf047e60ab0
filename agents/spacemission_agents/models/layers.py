"""Computes dense layers one row at a time, and chooses actions by logits, in compiled code.

Observations and hidden layers after relu are mostly zeros. The kernel skips zeros, which makes it faster than
a dense matrix product.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))

UNIT = 2.0**-53


def pack(arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The tensors of a network as the kernel reads them: widths of all layers, and one flat float32 array.

    The array has the weights (in, out) and the bias of each layer in turn.
    """
    layers = range(len(arrays) // 2)
    parts = [arrays[f"policy.{i}.{part}"].T.ravel() for i in layers for part in ("weight", "bias")]
    widths = [arrays[f"policy.{i}.weight"].shape for i in layers]
    sizes = np.array([width[1] for width in widths] + [widths[-1][0]])
    return sizes, np.ascontiguousarray(np.concatenate(parts), np.float32)


def live_inputs(weight: np.ndarray) -> np.ndarray:
    """The indices of a layer's inputs that have a nonzero weight; `weight`: (out, in). int64, ascending."""
    return np.flatnonzero((weight != 0).any(0))


@njit
def forward(o, count, sizes, weights, use_tanh, first, second, places):
    """Logits of one observation `o`; only its inputs at `places[:count]` (from `heard`) are read.

    `first`, `second`, `places`: scratch; the result is a part of `first` or `second`.
    """
    start = 0
    x = o
    last = len(sizes) - 2
    for i in range(last + 1):
        y = first[: sizes[i + 1]] if i % 2 == 0 else second[: sizes[i + 1]]
        if i > 0:
            count = not_zero(x, places)
        add_layer(x, count, weights[start:], y, places)
        start += (sizes[i] + 1) * sizes[i + 1]
        if i < last:
            activate(y, use_tanh)
        x = y
    return x


@njit
def not_zero(x, places):
    """Write the indices of the nonzero numbers in `x` to `places`; return their number."""
    count = 0
    for i in range(len(x)):
        places[count] = i
        count += x[i] != 0
    return count


@njit
def heard(x, live, places):
    """Do the same as `not_zero`, but only for the indices in `live` (from `live_inputs`)."""
    count = 0
    for i in live:
        places[count] = i
        count += x[i] != 0
    return count


@njit
def add_layer(x, count, weights, y, places):
    """Compute y = x W + b, four inputs at a time; read only the inputs `x[places[:count]]`."""
    width = len(y)
    first = len(x) * width
    for j in range(width):  # a slice assignment takes numba two seconds to compile
        y[j] = weights[first + j]
    for n in range(0, count - 3, 4):
        a, b, c, d = places[n], places[n + 1], places[n + 2], places[n + 3]
        row_a = weights[a * width : (a + 1) * width]
        row_b = weights[b * width : (b + 1) * width]
        row_c = weights[c * width : (c + 1) * width]
        row_d = weights[d * width : (d + 1) * width]
        xa, xb, xc, xd = x[a], x[b], x[c], x[d]
        for j in range(width):
            y[j] += (xa * row_a[j] + xb * row_b[j]) + (xc * row_c[j] + xd * row_d[j])
    for n in range(count - count % 4, count):
        a = places[n]
        row_a = weights[a * width : (a + 1) * width]
        xa = x[a]
        for j in range(width):
            y[j] += xa * row_a[j]


@njit
def activate(y, use_tanh):
    """Apply relu or tanh in place."""
    if use_tanh:
        for j in range(len(y)):
            y[j] = 1.0 - 2.0 / (np.exp(2.0 * np.float64(y[j])) + 1.0)  # tanh, faster than np.tanh
    else:
        for j in range(len(y)):
            y[j] = max(y[j], np.float32(0))


@njit
def most_probable(logits, mask):
    """The legal action with the highest logit; ties go to the lowest index."""
    best = -1
    for a in range(len(mask)):
        if mask[a] and (best < 0 or logits[a] > logits[best]):
            best = a
    return max(best, 0)


@njit
def draw(logits, mask, key):
    """A legal action sampled from the softmax of the legal logits; a 63-bit key decides which."""
    best = most_probable(logits, mask)
    total = 0.0
    for a in range(len(mask)):
        if mask[a]:
            total += np.exp(np.float64(logits[a]) - np.float64(logits[best]))
    left = (key >> 10) * UNIT * total
    for a in range(len(mask)):
        if mask[a]:
            left -= np.exp(np.float64(logits[a]) - np.float64(logits[best]))
            if left < 0:
                return a
    return best
