"""Plants faults into games, below the batch functions through which all code calls them.

A fault of `observe` or `write_mask` changes what was written: `fault(s, seat, recall, numbers)` and
`fault(s, seat, mask)`. Any other is called in place of the game's function: `fault(right, *arguments)`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from spacemission_env.core.batch_template import BOUND_TYPES, COMPACT_VIEWS, DEFAULTS, bind_batch
from spacemission_env.core.game_spec import GameSpec

Fault = Callable[..., Any]
SCORES = ("scores_batch", "ranks_batch", "rewards_batch", "margin_batch")
USERS = {  # the batch functions that call a function of the game
    "write_key": ("key_one",), "decision_key": ("keys_batch",),
    "determinize": ("determinize_one", "worlds_batch"), "score": SCORES,
    "observe": ("view_one", *COMPACT_VIEWS, *COMPACT_VIEWS.values()),
    "write_mask": ("view_one", *COMPACT_VIEWS, *COMPACT_VIEWS.values(), "mask_batch"),
}  # fmt: skip


@contextmanager
def planted(spec: GameSpec, name: str, fault: Fault) -> Iterator[None]:
    """Give a game a faulty function; the batch functions that call it are then plain Python."""
    batch = spec.batch
    before = {user: getattr(batch, user) for user in USERS[name]}
    if name in ("observe", "write_mask"):
        new = {user: _after(user, right, name, fault) for user, right in before.items()}
    else:
        whole = _bound(spec, name, lambda *arguments: fault(spec.batch.functions[name], *arguments))
        new = {user: getattr(whole, user) for user in before}
    try:
        for user, function in new.items():
            setattr(batch, user, function)
        yield
    finally:
        for user, function in before.items():
            setattr(batch, user, function)


def _bound(spec: GameSpec, name: str, function: Fault) -> Any:
    own = spec.batch.functions
    functions = {key: value for key, value in own.items() if key not in (*BOUND_TYPES, "SCRATCH")}
    for default in DEFAULTS:  # a default may call the faulty function
        there = functions[default.__name__]
        if getattr(there, "py_func", there).__code__ is default.__code__:
            del functions[default.__name__]
    return bind_batch(
        __name__, lambda one: one, observation=own["OBSERVATION"], action_count=spec.action_count,  # type: ignore[arg-type]
        max_players=spec.max_players, score_names=spec.score_names, reward_names=spec.reward_names,
        compact=own["COMPACT"], scratch=own["SCRATCH"], only_finished_wins=own["ONLY_FINISHED_WINS"],
        **{**functions, name: function},
    )  # fmt: skip


def _after(user: str, right: Fault, name: str, fault: Fault) -> Fault:
    """A batch function that also changes what it wrote, row by row."""

    def change(s: np.void, seat: int, recall: int, numbers: np.ndarray, mask: np.ndarray) -> None:
        fault(s, seat, recall, numbers) if name == "observe" else fault(s, seat, mask)

    def view_one(states: Any, i: int, t: Any, seat: int, recall: int, numbers: Any, mask: Any) -> bool:
        there = right(states, i, t, seat, recall, numbers, mask)
        if there:
            change(states[i], seat, recall, numbers, mask)
        return bool(there)

    def rows(states: Any, t: Any, places: Any, *more: Any) -> int:
        wrong = right(states, t, places, *more)
        for n, place in enumerate(places if wrong < 0 else []):
            i, seat = (n, place) if "seats" in user else (place, states[place].player)
            recall, numbers, masks = more if len(more) == 3 else (1, more[-1], more[-1])
            change(states[i], int(seat), recall, numbers[n], masks[n])
        return int(wrong)

    return view_one if user == "view_one" else rows
