"""What an agent is told before it plays, `GameInfo`, and what it is asked, `Decisions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spacemission_env.core.errors import AgentError
from spacemission_env.core.game_spec import DEFAULT_GAME, Components, GameSpec, Rules, find_game

if TYPE_CHECKING:
    from spacemission_env.core.agents import Agent


@dataclass(frozen=True)
class GameInfo:
    """What an agent is told before its first game: public facts, the same for all seats.

    Attributes:
        num_players: of a game; where games of different sizes are played side by side, the most.
        rules: every option, as in force for `num_players`.
        components: what is in the box.
        observation: "perfect_recall" or "table".
        parameters: components and options as compiled code reads them: one record (1,), read-only.
        game: name of the game.
    """

    num_players: int
    rules: Any
    components: Any
    observation: str
    parameters: np.ndarray
    game: str = DEFAULT_GAME

    @classmethod
    def of(
        cls, num_players: int, rules: Rules, components: Components, game: str | GameSpec = DEFAULT_GAME
    ) -> GameInfo:
        """Of games with perfect recall, for front ends that have made none yet (else `Game.info`)."""
        spec = find_game(game)
        parameters = spec.make_parameters(components, rules)
        return cls(
            num_players, rules.for_players(num_players), components, "perfect_recall", parameters, spec.name
        )


@dataclass(frozen=True)
class Decisions:
    """A batch of decisions, one a row; all that an agent gets to see.

    Attributes:
        observations: float32 (n, observation_size), each from the acting seat; (n, 0) for agents that do not
            read them.
        masks: int8 (n, actions), 1 for a legal action.
        keys: int64 (n,), one fresh random number a decision. An agent draws all its chance from
            these, so that it plays the same in every front end, alone or in a batch.
        worlds: only for agents with `wants_worlds`: records of the game's state (n,), in each row a full
            state that the acting seat cannot tell from the true one, drawn by `determinize`. Drawing
            again from such a world gives what drawing from the true state would: that one is not needed.
        parameters: the box and options that are played with, public facts: one record (1,), read-only.
            Decisions made by hand without it are taken to be of the box that ships.
        game: name of the game.
    """

    observations: np.ndarray
    masks: np.ndarray
    keys: np.ndarray
    worlds: np.ndarray | None = None
    parameters: np.ndarray | None = None
    game: str = DEFAULT_GAME
    # Of the front end, never handed to an agent: draws the worlds of some rows (`part`).
    draw: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Fill in the default box where none is given."""
        if self.parameters is None:
            object.__setattr__(self, "parameters", find_game(self.game).default_parameters())

    def __len__(self) -> int:
        """Number of decisions."""
        return len(self.keys)

    def cut(self, first: int, stop: int) -> Decisions:
        """The rows from `first` to before `stop`, not copied, without worlds: for what acts `in_parts`."""
        rows = slice(first, stop)
        return Decisions(
            self.observations[rows],
            self.masks[rows],
            self.keys[rows],
            parameters=self.parameters,
            game=self.game,
        )

    def part(self, agent: Agent, rows: np.ndarray) -> Decisions:
        """Those rows as this agent may see them: with worlds if it wants them, without their source.

        Raises:
            AgentError: the agent wants worlds and nothing here can draw them.
        """
        chosen = self.observations[rows], self.masks[rows], self.keys[rows]
        if not agent.wants_worlds:
            return Decisions(*chosen, parameters=self.parameters, game=self.game)
        if self.worlds is not None:
            return Decisions(*chosen, self.worlds[rows], self.parameters, self.game)
        if self.draw is None:
            raise AgentError(
                f"agent {type(agent).__name__}: wants sampled worlds, which are not offered here"
            )
        return Decisions(*chosen, self.draw(rows), self.parameters, self.game)
