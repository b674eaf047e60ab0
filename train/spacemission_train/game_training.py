"""What the training storey knows of a game: presets, yardsticks, what its learner reads, its networks.

A game has it in `games/NAME/spec.py` of this storey, found through the entry-point group
`spacemission.games.training`. A game without it is trained on the plain observation by plain networks,
against `random` and its own past selves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.named import load_named, load_of_game

GROUP = "spacemission.games.training"

# Small and frequent updates: good within minutes.
QUICK: dict[str, Any] = {
    "reward": "win",
    "opponents": "random=0.2,latest=0.5,past=0.3",
    "shaping": 0.0,
    "final_lead": False,
    "input": "observation",
    "planets": 0,
}


@dataclass(frozen=True)
class GameTraining:
    """A game as the training storey sees it.

    Attributes:
        name: of the game.
        presets: settings of each preset that differ from the default of `Settings`; "quick" is among them.
        yardsticks: agents that an evaluation plays against, the strongest last.
        view: "module:Class" of what the learner reads (`self_play.view.View`); None: the observation.
        networks: "module:Class" of the networks (`learning.networks.Networks`); None: plain ones.
        symmetries: in how many forms a game may be shown to the learner.
        values: "module:Class" of the games of method td (`values.learner.ValueGames`); None: it has none.
        ahead: "module:function" that is called as a run begins, to have compiled ahead what it will need.
    """

    name: str
    presets: Mapping[str, dict[str, Any]] = field(default_factory=lambda: {"quick": QUICK})
    yardsticks: tuple[str, ...] = ("random",)
    view: str | None = None
    networks: str | None = None
    symmetries: int = 1
    ahead: str | None = None
    values: str | None = None

    def begin(self) -> None:
        """Start compiling, in a second process, what a run of this game will call."""
        self.load(self.ahead, lambda: None)()

    def load(self, what: str | None, default: Any) -> Any:
        """What "module:Class" names, or the default for None."""
        return default if what is None else load_named(what)


def find_game_training(game: str | GameSpec = DEFAULT_GAME) -> GameTraining:
    """What this storey knows of a game; an empty one where it has nothing.

    Raises:
        SetupError: no such game is installed, or what its entry names is not for it.
    """
    return _loaded(find_game(game).name)


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameTraining:
    return load_of_game(GROUP, name, GameTraining) or GameTraining(name)
