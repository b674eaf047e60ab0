"""Sampled worlds as games: what an agent that searches plays on in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacemission_env.core.decisions import GameInfo
from spacemission_env.core.game_spec import find_game

if TYPE_CHECKING:
    from spacemission_env.core.game import Game


class Worlds:
    """Makes a `Game` of a world (`Decisions.worlds`), with the box and the options that an agent was told."""

    def __init__(self, info: GameInfo) -> None:
        """`info`: of the games that the worlds are of."""
        self._info = info
        self._templates: dict[int, Any] = {}  # a `Game` by number of players, made when first needed

    def are_of(self, info: GameInfo) -> bool:
        """Whether the agent was told this very game."""
        was = self._info
        return info is was or (
            (info.game, info.num_players, info.observation) == (was.game, was.num_players, was.observation)
            and info.rules == was.rules
            and info.components == was.components
        )

    def game(self, world: np.record) -> Game:
        """The world as a game of its own, for as many players as it has."""
        info, players = self._info, int(world["num_players"])
        template = self._templates.get(players)
        if template is None:
            template = find_game(info.game).game(players, info.rules, info.components, info.observation)
            # `info.rules` are those in force for `info.num_players`; the box has them for every number.
            template.parameters, template.t = info.parameters, info.parameters[0]
            self._templates[players] = template
        return template.from_world(world)
