"""Gymnasium's own vector wrappers behave over our vector environment as over its `SyncVectorEnv`.

Some refuse both: those for images and for continuous actions, conversions to other frameworks (no framework
has arrays of objects, such as Gymnasium's own `final_obs`), those of observations with "same_step", and any
whose own library is not installed.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import vector
from gymnasium.wrappers.vector import common

from spacemission_env.frontends import rendering
from tests.support.front_ends import assert_same, make_vector, sync_vector
from tests.support.random_play import uniform

GAMES, ENDS = 32, 1_000
PIXELS = np.zeros((32, 32, 3), np.uint8)
ARGUMENTS: dict[str, Callable[[VectorEnv, str], dict[str, Any]]] = {
    "VectorizeTransformObservation": lambda env, folder: {
        "wrapper": gymnasium.wrappers.TransformObservation,
        "func": lambda observation: observation / 2,
        "observation_space": env.single_observation_space,
    },
    "VectorizeTransformAction": lambda env, folder: {
        "wrapper": gymnasium.wrappers.TransformAction,
        "func": lambda action: action,
        "action_space": env.single_action_space,
    },
    "VectorizeTransformReward": lambda env, folder: {
        "wrapper": gymnasium.wrappers.TransformReward,
        "func": lambda reward: 2 * reward,
    },
    "TransformObservation": lambda env, folder: {"func": lambda observations: 1 - observations},
    "FilterObservation": lambda env, folder: {"filter_keys": ["observation"]},
    "ResizeObservation": lambda env, folder: {"shape": (8, 8)},
    "ReshapeObservation": lambda env, folder: {"shape": (1, *env.single_observation_space.shape)},  # type: ignore[misc]
    "RescaleObservation": lambda env, folder: {"min_obs": -1.0, "max_obs": 1.0},
    "DtypeObservation": lambda env, folder: {"dtype": np.float64},
    "TransformAction": lambda env, folder: {"func": lambda actions: actions + 0},
    "RescaleAction": lambda env, folder: {"min_action": -1.0, "max_action": 1.0},
    "TransformReward": lambda env, folder: {"func": lambda rewards: 3 * rewards},
    "ClipReward": lambda env, folder: {"min_reward": -0.5, "max_reward": 0.5},
    "RecordVideo": lambda env, folder: {"video_folder": folder, "episode_trigger": lambda episode: False},
    "ArrayConversion": lambda env, folder: {"env_xp": np, "target_xp": torch},
}

REFUSING = {
    "FilterObservation", "GrayscaleObservation", "ResizeObservation", "ClipAction", "RescaleAction",
    "ArrayConversion", "JaxToNumpy", "JaxToTorch", "NumpyToTorch",
}  # fmt: skip
LIBRARY = {"HumanRendering": "cv2", "RecordVideo": "moviepy"}


def refuses(name: str, mode: str) -> bool:
    missing = name in LIBRARY and find_spec(LIBRARY[name]) is None
    return name in REFUSING or missing or (mode == "same_step" and name.endswith("Observation"))


def wrapped(name: str, env: VectorEnv, folder: Path) -> tuple[VectorEnv | None, object]:
    """The environment in a wrapper, and what `reset` returns; or None, and why the wrapper refuses it."""
    try:
        arguments = ARGUMENTS.get(name, lambda env, folder: {})(env, str(folder))
        made = getattr(vector, name)(env, **arguments)
        return made, made.reset(seed=3)
    except (AssertionError, ValueError, TypeError, ImportError, BufferError, gymnasium.error.Error) as error:
        return None, f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("mode", ["same_step", "next_step"])
@pytest.mark.parametrize("name", vector.__all__)
def test_each_wrapper_steps_over_a_thousand_ends(
    name: str, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "time", SimpleNamespace(perf_counter=lambda: 0.0))
    monkeypatch.setattr(rendering, "frame", lambda *_, **__: PIXELS)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    options: dict[str, Any] = {"num_players": 3, "illegal": "lose", "shaping": 0.5, "seat": None}
    if name in ("HumanRendering", "RecordVideo"):
        options["render_mode"] = "rgb_array"
    inner = make_vector(GAMES, "KuhnPoker-v0", autoreset_mode=mode, **options)
    other = sync_vector(GAMES, mode, "KuhnPoker-v0", **options)
    for env in (inner, other):
        assert env.metadata["render_fps"] == rendering.FRAMES
        env.metadata["render_fps"] = 100_000  # do not wait for people
    (ours, given), (theirs, expected) = wrapped(name, inner, tmp_path), wrapped(name, other, tmp_path)
    assert_same(given, expected)
    assert [ours is None, theirs is None] == [refuses(name, mode)] * 2
    if ours is None or theirs is None:
        return
    ends, rng = 0, np.random.default_rng(2)
    while ends < ENDS:
        masks = inner.unwrapped.action_masks()  # type: ignore[attr-defined]
        actions: Any = np.array([uniform(row, int(rng.integers(2**40))) if row.any() else 0 for row in masks])
        actions[rng.random(GAMES) < 0.02] = -1  # illegal
        result = theirs.step(actions)
        assert_same(ours.step(actions), result)
        ends += int((result[2] | result[3]).sum())
    ours.close()
    theirs.close()
