"""The form of a run's networks: what is on the card of the model that comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spacemission_agents.models.reading import PLAIN_INPUT
from spacemission_env.core.game_spec import DEFAULT_GAME

ACTIVATION = "relu"


@dataclass(frozen=True)
class Form:
    """The form of a run's networks.

    Attributes:
        hidden: widths of the hidden layers, of policy and critic alike.
        input: what they read, one of the game's inputs (models/reading.py).
        planets: width of the layer that reads each planet with the same weights; 0: none.
        cards: width of layers that read cards and pairs of card and planet with the same weights, and say the
            moves by them; 0: none.
        full_critic: the critic also reads what the seat cannot see.
        game: name of the game.
    """

    hidden: tuple[int, ...] = (256, 256)
    input: str = PLAIN_INPUT
    planets: int = 0
    full_critic: bool = False
    game: str = DEFAULT_GAME
    cards: int = 0

    def card(self) -> dict[str, Any]:
        """`network` of a model card, without `value`."""
        cards = {"cards": self.cards} if self.cards else {}
        return {
            "hidden": list(self.hidden),
            "activation": ACTIVATION,
            "input": self.input,
            "planets": self.planets,
            **cards,
        }
