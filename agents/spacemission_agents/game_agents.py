"""Finds the `GameAgents` of a game by the entry-point group `spacemission.games.agents`."""

from __future__ import annotations

from dataclasses import dataclass

from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game, load_of_game

GROUP = "spacemission.games.agents"


@dataclass(frozen=True)
class GameAgents:
    """Names of what this package has for a game, imported when needed; None: the game has none."""

    name: str  # name of the game
    # "package:path" of a file of probes (probing.py)
    probes: str | None = None
    # module with the templates `BOT` and `TEST` of `new-bot`, such as bot_template.py
    bot_module: str = "spacemission_agents.bot_template"
    # "module:Class" of a `models.network_input.NetworkInput`
    network_input: str | None = None
    # "module:NAME" of the `afterstates.moves.Afterstates`; None: their features are the observation
    afterstates: str | None = None


def find_game_agents(game: str | GameSpec = DEFAULT_GAME) -> GameAgents:
    """The `GameAgents` of a game, with all defaults if it has no entry point.

    SetupError: no such game is installed, or the entry point names another game.
    """
    name = find_game(game).name
    return load_of_game(GROUP, name, GameAgents) or GameAgents(name)
