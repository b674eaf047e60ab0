"""Declares how a game is trained: presets and yardsticks.

The entry-point group `spacemission.games.training` names the `GameTraining` of a game. A game without one has
the presets of every game, and the yardstick `random`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game, load_of_game
from spacemission_env.core.reading import Json

GROUP = "spacemission.games.training"

# Small, frequent updates learn fast in the first minutes.
QUICK: Json = {
    "reward": "win",
    "opponents": "random=0.2,latest=0.5,past=0.3",
    "shaping": 0.0,
    "final_lead": False,
}

# Learns the values of afterstates from games of all seats against themselves, by no other agent.
SCRATCH: Json = {
    "method": "td",
    "reward": "win",
    "opponents": "latest=1",
    "steps": None,
    "minutes": 10.0,
    "envs": 128,
    "n_steps": 40,
    "batch_size": 512,
    "epochs": 1,
    "gamma": 1.0,
    "gae_lambda": 0.85,
    "temperature": 0.01,
    "random_moves": 0.01,
    "input": "afterstate",
    "hidden": (128, 128),
}

# Learns a policy over afterstates by PPO, with their values as critic, from the same games.
PPO_SCRATCH: Json = {
    **SCRATCH,
    "method": "ppo",
    "n_steps": 64,
    "batch_size": 128,
    "learning_rate": 2e-3,
    "last_learning_rate": 1e-4,
    "entropy": 0.0,
    "last_entropy": 0.0,
    "gae_lambda": 0.9,
    "input": "afterstate_policy",
}


# The same with smaller networks, for the first minutes.
DEMO: Json = {
    **PPO_SCRATCH,
    "minutes": 3.0,
    "hidden": (64, 64),
    "overlap_rollouts": True,
    "checkpoint_steps": 240_000,
    "final_games": 400,
}


@dataclass(frozen=True)
class GameTraining:
    """How a game is trained.

    Attributes:
        name: name of the game.
        presets: by preset, the settings that differ from the defaults of `Settings`; "quick" is required.
        yardsticks: opponents in evaluations, the strongest last.
    """

    name: str
    presets: Mapping[str, Json] = field(default_factory=lambda: {"quick": QUICK})
    yardsticks: tuple[str, ...] = ("random",)


def find_game_training(game: str | GameSpec = DEFAULT_GAME) -> GameTraining:
    """The `GameTraining` of a game, or the default one.

    Raises:
        SetupError: no such game is installed, or its entry names another game's training.
    """
    return _loaded(find_game(game).name)


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameTraining:
    return load_of_game(GROUP, name, GameTraining) or GameTraining(name)
