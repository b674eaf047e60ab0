"""Describes how a game is trained: presets, yardsticks, network inputs, networks.

A game's `GameTraining` is found through the entry-point group `spacemission.games.training`. A game without
one is trained on the plain observation by plain networks, against `random` and its own past selves.
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

# Small and frequent updates: good within minutes.
QUICK: Json = {
    "reward": "win",
    "opponents": "random=0.2,latest=0.5,past=0.3",
    "shaping": 0.0,
    "final_lead": False,
    "input": "observation",
    "planets": 0,
}


@dataclass(frozen=True)
class GameTraining:
    """How a game is trained.

    Attributes:
        name: of the game.
        presets: settings of each preset that differ from the default of `Settings`; "quick" is among them.
        yardsticks: agents that an evaluation plays against, the strongest last.
        view: "module:Class" of what the learner reads (`self_play.table.View`); None: the observation.
        networks: "module:Class" of the networks (`ppo.networks.Networks`); None: plain ones.
        symmetries: in how many forms a game may be shown to the learner.
        values: "module:Class" of the games of method td (`td.learner.ValueGames`); None: it has none.
        compile_in_background: "module:function" that starts compiling, in a second process, what a run needs.
    """

    name: str
    presets: Mapping[str, Json] = field(default_factory=lambda: {"quick": QUICK})
    yardsticks: tuple[str, ...] = ("random",)
    view: str | None = None
    networks: str | None = None
    symmetries: int = 1
    compile_in_background: str | None = None
    values: str | None = None

    def begin(self) -> None:
        """Start compiling what a run of this game will call."""
        self.load(self.compile_in_background, lambda: None)()

    def load(self, what: str | None, default: Callable[..., T]) -> Callable[..., T]:
        """The class or function that "module:name" names, or the default for None."""
        named: Callable[..., T] = default if what is None else resolve_name(what)
        return named


def find_game_training(game: str | GameSpec = DEFAULT_GAME) -> GameTraining:
    """How a game is trained; the default where it does not say.

    Raises:
        SetupError: no such game is installed, or what its entry names is not for it.
    """
    return _loaded(find_game(game).name)


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameTraining:
    return load_of_game(GROUP, name, GameTraining) or GameTraining(name)
