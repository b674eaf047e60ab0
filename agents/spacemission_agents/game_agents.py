"""What the agents' storey has of a game beside its agents: one `GameAgents`, found by the game's name.

It stands in the entry-point group `spacemission.games.agents`; a game without one can be played all the same.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from string import Template
from types import ModuleType
from typing import Any

from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.named import load_named, load_of_game

GROUP = "spacemission.games.agents"


@dataclass(frozen=True)
class GameAgents:
    """Modules are given by their names and imported when they are asked for.

    Attributes:
        name: of the game.
        probes_module: module with `load_probes`, `of_theme`, `ask_all` and `summary`, as in
            games/space_mission/probes/asking.py; None: the game has no probes.
        bot_module: module with the texts `BOT` and `TEST` that `spacemission new-bot` writes, templates with
            `name` of the module, `cls` of the class and `game`; None: those for any game
            (bot_template.py).
        reading: "module:Class" of what the game's networks read (`models.reading.Reading`); None: the
            observation as it is.
        luck: "module:Class" of what luck was worth (`arena.luck.Luck`); None: the arena cannot tell.
    """

    name: str
    probes_module: str | None = None
    bot_module: str | None = None
    reading: str | None = None
    luck: str | None = None

    def new_reading(self) -> Any:
        """What the game's networks read, or None."""
        return None if self.reading is None else load_named(self.reading)()

    def new_luck(self) -> Any:
        """What tells what luck was worth, or None."""
        return None if self.luck is None else load_named(self.luck)()

    @property
    def probes(self) -> ModuleType | None:
        """Hand-made positions and how they are asked."""
        return None if self.probes_module is None else importlib.import_module(self.probes_module)

    @property
    def bot_templates(self) -> tuple[Template, Template] | None:
        """A bot to begin with, and its test; None: the game has none of its own."""
        if self.bot_module is None:
            return None
        module = importlib.import_module(self.bot_module)
        return module.BOT, module.TEST


def find_game_agents(game: str | GameSpec = DEFAULT_GAME) -> GameAgents:
    """What there is for a game; an empty one where it has nothing.

    Raises:
        SetupError: no such game is installed, or what its entry names is not for it.
    """
    name = find_game(game).name
    return load_of_game(GROUP, name, GameAgents) or GameAgents(name)
