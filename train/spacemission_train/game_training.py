"""Declares how a game is trained: presets, yardsticks, network inputs, networks.

The entry-point group `spacemission.games.training` names the `GameTraining` of a game. A game without one
trains plain networks on the plain observation, against `random` and past selves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pkgutil import resolve_name
from typing import TypeVar

from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game, load_of_game
from spacemission_env.core.reading import Json

GROUP = "spacemission.games.training"
T = TypeVar("T")

# Small, frequent updates learn fast in the first minutes.
QUICK: Json = {
    "reward": "win",
    "opponents": "random=0.2,latest=0.5,past=0.3",
    "shaping": 0.0,
    "final_lead": False,
    "input": "observation",
    "planets": 0,
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
    "planets": 0,
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


@dataclass(frozen=True)
class GameTraining:
    """How a game is trained.

    Attributes:
        name: name of the game.
        presets: by preset, the settings that differ from the defaults of `Settings`; "quick" is required.
        yardsticks: opponents in evaluations, the strongest last.
        view: "module:name" of the learner's `self_play.table.View`; None: the plain observation.
        networks: "module:name" of the `ppo.networks.Networks`; None: plain networks.
        symmetries: number of symmetric forms of a game.
        compile_in_background: "module:function" that starts a second process to compile the code of a run.
    """

    name: str
    presets: Mapping[str, Json] = field(default_factory=lambda: {"quick": QUICK})
    yardsticks: tuple[str, ...] = ("random",)
    view: str | None = None
    networks: str | None = None
    symmetries: int = 1
    compile_in_background: str | None = None

    def begin(self) -> None:
        """Start compiling the code of a run in the background."""
        self.load(self.compile_in_background, lambda: None)()

    def load(self, what: str | None, default: Callable[..., T]) -> Callable[..., T]:
        """The class or function with the name "module:name"; the default for None."""
        named: Callable[..., T] = default if what is None else resolve_name(what)
        return named


def find_game_training(game: str | GameSpec = DEFAULT_GAME) -> GameTraining:
    """The `GameTraining` of a game, or the default one.

    Raises:
        SetupError: no such game is installed, or its entry names another game's training.
    """
    return _loaded(find_game(game).name)


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameTraining:
    return load_of_game(GROUP, name, GameTraining) or GameTraining(name)
