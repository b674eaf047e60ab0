"""Computes dense layers one row at a time and chooses by logits; compiled.

An observation is mostly zeros, and so is a hidden layer after relu: a zero adds nothing, so its row of
weights is skipped. That makes a row cheaper than a dense product over the batch.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))

UNIT = 2.0**-53


def pack(arrays: dict[str, np.ndarray], network: str = "policy") -> tuple[np.ndarray, np.ndarray]:
    """What the kernel reads of a model folder's tensors: widths of all layers, and one flat float32 array.

    Layer by layer, the weights as (in, out), so that the kernel adds whole rows, then the bias. `network`:
    policy, or value for the critic. A network's `planet` tensors are not among them (`network.py`).
    """
    layers = range(sum(f"{network}.{i}.weight" in arrays for i in range(len(arrays))))
    parts = [arrays[f"{network}.{i}.{part}"].T.ravel() for i in layers for part in ("weight", "bias")]
    widths = [arrays[f"{network}.{i}.weight"].shape for i in layers]
    sizes = np.array([width[1] for width in widths] + [widths[-1][0]])
    return sizes, np.ascontiguousarray(np.concatenate(parts), np.float32)


def live_inputs(weight: np.ndarray) -> np.ndarray:
    """The inputs that a layer (out, in) gives any weight, int64, ascending.

    Only they are read: inputs that weigh nothing change no sum.
    """
    return np.flatnonzero((weight != 0).any(0))


@njit
def forward(o, sizes, weights, use_tanh, first, second, places):
    """Logits of one observation; a view into one of the two buffers."""
    return forward_from(o, not_zero(o, places), sizes, weights, use_tanh, first, second, places)


@njit
def forward_from(o, count, sizes, weights, use_tanh, first, second, places):
    """The same where the first `count` of `places` say already which numbers of `o` are to be read."""
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
    """Write the places of the numbers that are not zero; how many."""
    count = 0
    for i in range(len(x)):
        places[count] = i
        count += x[i] != 0
    return count


@njit
def heard(x, live, places):
    """The same among the inputs `live` (`live_inputs`)."""
    count = 0
    for i in live:
        places[count] = i
        count += x[i] != 0
    return count


@njit
def add_layer(x, count, weights, y, places):
    """The layer y = x W + b, four inputs at a time; the first `count` of `places` are those to be read."""
    width = len(y)
    first = len(x) * width
    for j in range(width):  # setting a slice takes numba two seconds to compile, for the message of an error
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
    """Relu or tanh, in place."""
    if use_tanh:
        for j in range(len(y)):
            y[j] = 1.0 - 2.0 / (np.exp(2.0 * np.float64(y[j])) + 1.0)  # tanh, several times as fast
    else:
        for j in range(len(y)):
            y[j] = max(y[j], np.float32(0))


@njit
def most_probable(logits, mask):
    """The legal action with the highest logit, the lowest index of several."""
    best = -1
    for a in range(len(mask)):
        if mask[a] and (best < 0 or logits[a] > logits[best]):
            best = a
    return max(best, 0)


@njit
def draw(logits, mask, key):
    """A legal action drawn from the softmax over the legal logits by a 63-bit key."""
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
