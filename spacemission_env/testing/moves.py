"""Checks that masks, refusals and batch functions agree about every move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spacemission_env.core.constants import GAME_OVER, ILLEGAL_MOVE, NO_ORDER
from spacemission_env.core.game_spec import GameSpec
from spacemission_env.core.rng import next_seed
from spacemission_env.testing.sample import Sample, among_others


def check_moves(sample: Sample) -> Iterator[str]:
    """Check every action in every position, and moves in many games at once."""
    for i in range(len(sample.states)):
        problem = position_problem(sample.spec, sample.parameters, sample.states[i : i + 1])
        if problem:
            yield f"{sample.where(i)}: {problem}"
            break
    yield from _many_games(sample)
    yield from _dealing(sample)


def position_problem(spec: GameSpec, parameters: np.ndarray, states: np.ndarray) -> str | None:
    """Describe the first action about which the functions do not agree in a position, an array (1,)."""
    batch, count = spec.batch, spec.action_count
    states, first = states.copy(), np.zeros(1, np.int64)
    mask = np.zeros((1, count), np.int8)
    batch.mask_batch(states, parameters, first, mask)
    over = bool(states[0]["over"])
    if not set(mask[0].tolist()) <= {0, 1}:
        return "mask_batch: expected zeros and ones"
    if over == bool(mask.any()):
        return (
            "mask_batch: a game that is over has a move" if over else "mask_batch: no move in a running game"
        )
    for action in range(-1, count + 1):
        legal = 0 <= action < count and bool(mask[0, action])
        again = states.copy()
        refused = batch.first_refused(again, parameters, first, np.array([action]))
        if (refused == -1) != legal:
            return f"action {action}: the mask says {int(legal)}, first_refused {refused}"
        follows = batch.step_checked(again, parameters, action)
        if not legal:
            if (
                follows != ILLEGAL_MOVE
                or batch.step_batch(again, parameters, first, np.array([action])) != -1
            ):
                return f"action {action}: is illegal, but not refused"
            if again.tobytes() != states.tobytes():
                return f"action {action}: is refused, but changes the game"
            continue
        due = GAME_OVER if again[0]["over"] else int(again[0]["player"])
        if follows != due:
            return f"action {action}: step_checked gives {follows}, expected {due}"
        if again[0]["decisions"] != states[0]["decisions"] + 1:
            return f"action {action}: expected one decision more"
        other = states.copy()
        batch.apply_one(other, 0, parameters, action, NO_ORDER)
        if other.tobytes() != again.tobytes():
            return f"action {action}: apply_one and step_checked differ"
    return None


def _many_games(sample: Sample) -> Iterator[str]:
    batch = sample.spec.batch
    parameters, told = sample.parameters, f"{sample.players} players"
    states = among_others(sample.states[sample.running])
    index = np.arange(len(states))
    masks = np.zeros((len(states), sample.spec.action_count), np.int8)
    batch.mask_batch(states, parameters, index, masks)
    actions = masks.argmax(1)
    one, other, before = states.copy(), states.copy(), states.tobytes()
    over = batch.step_batch(one, parameters, index, actions)
    applied = batch.apply_batch(other, parameters, index, actions)
    if one.tobytes() != other.tobytes() or over != applied or over != (one["over"] != 0).sum():
        yield f"{told}: step_batch and apply_batch differ, or return a wrong number of finished games"
    blank = among_others(states)
    blank[-1] = np.zeros((), states.dtype)
    rows = (
        ("a place outside", states, len(states)),
        ("place -1", states, -1),
        ("a game that is not dealt", blank, len(states) - 1),
        ("a repeated place", states, 0),
    )
    for what, games, place in rows:
        places = np.array([0, place])
        for name in ("first_refused", "step_batch", "deal_next"):
            arguments = (places,) if name == "deal_next" else (places, actions[[0, 0]])
            try:
                answer = getattr(batch, name)(games, parameters, *arguments)
            except Exception as error:
                answer = type(error).__name__
            due = -2 if name == "step_batch" else 1
            if answer != due:
                yield f"batch.{name}, {told}: expected {due} for {what} in row 1, got {answer!r}"
                return
    if states.tobytes() != before:
        yield f"{told}: a refused index changes a game"


def _dealing(sample: Sample) -> Iterator[str]:
    batch = sample.spec.batch
    states = sample.states[:2].copy()
    seed = int(states[0]["seed"])
    dealt = sample.spec.new_states(1)
    dirty = np.full(1, 0, states.dtype)
    dirty[:] = sample.states[-1:]
    for into in (dealt, dirty):
        batch.deal_one(into, 0, sample.parameters, sample.players, int(next_seed(seed)))
    if (
        batch.deal_next(states, sample.parameters, np.array([0])) != -1
        or states[:1].tobytes() != dealt.tobytes()
    ):
        yield f"batch.deal_next, {sample.players} players: expected the game of the next seed (rng.next_seed)"
    if dealt.tobytes() != dirty.tobytes():
        yield f"batch.deal_one, {sample.players} players: a part of the previous game remains"
