"""Selects actions by masks: int8 (n, actions), 1 for a legal action."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (numba infers the types of compiled functions)

from __future__ import annotations

from pathlib import Path

from spacemission_env.core.compiling import make_njit

njit = make_njit(Path(__file__))


@njit
def choose_uniform(masks, keys, actions):
    """Write a random legal action for each row; the row's key alone determines it."""
    for n in range(len(keys)):
        count = 0
        for a in range(masks.shape[1]):
            count += masks[n, a]
        pick = (keys[n] >> 16) % max(count, 1)
        actions[n] = 0
        for a in range(masks.shape[1]):
            if masks[n, a]:
                if pick == 0:
                    actions[n] = a
                    break
                pick -= 1
