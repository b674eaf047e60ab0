"""What the agents' storey knows of a game: its networks' inputs, probes and the template of a new bot.

A game has it in `games/NAME/spec.py` of this storey, found through the entry-point group
`spacemission.games.agents`. A game without it plays with the agents that play every game: `random`, and
`policy` with networks that read the observation as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game

GROUP = "spacemission.games.agents"


@dataclass(frozen=True)
class GameAgents:
    """A game as the agents' storey sees it.

    Attributes:
        name: of the game.
        reading: makes what the game's networks read (`models.reading.Reading`); None: the observation.
    """

    name: str
    reading: Callable[[], Any] | None = None


def find_game_agents(game: str | GameSpec = DEFAULT_GAME) -> GameAgents:
    """What this storey knows of a game; SetupError where there is no such game."""
    return _loaded(find_game(game).name)


@lru_cache(maxsize=64)
def _loaded(name: str) -> GameAgents:
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            found: GameAgents = entry.load()
            return found
    return GameAgents(name)
