"""`Game`: one game of Kuhn poker; what only it has, beside what every game has (`core/game.py`)."""

from __future__ import annotations

from typing import Any

from spacemission_env.core import game as core
from spacemission_env.core.errors import IllegalActionError, SetupError, shown
from spacemission_env.games.kuhn_poker.engine.constants import BET, NOBODY
from spacemission_env.games.kuhn_poker.options import CARD_NAMES
from spacemission_env.games.kuhn_poker.seen import seen
from spacemission_env.games.kuhn_poker.spec import SPEC


class Game(core.Game):
    """One game of Kuhn poker; arguments as for `core.game.Game`.

    A `setup` is `{"cards": ["K", "J", "Q"]}`: the card of each seat, and the one that stays out.
    """

    spec = SPEC

    def _lay(self, seed: int, setup: dict[str, Any]) -> None:
        deck = CARD_NAMES[: self.num_players + 1]
        cards = setup["cards"] if isinstance(setup, dict) and set(setup) == {"cards"} else []
        named = isinstance(cards, list | tuple) and all(isinstance(card, str) for card in cards)
        if not named or sorted(cards) != sorted(deck):
            raise SetupError(f"setup: cards: expected {', '.join(deck)} in any order, not {shown(setup)}")
        self.spec.batch.deal_one(self.states, 0, self.boxes, self.num_players, seed)
        self.states[0].cards[: len(deck)] = [CARD_NAMES.index(card) for card in cards]

    def _seen(self, seat: int | None) -> dict[str, Any]:
        return seen(self, seat)

    def setup_json(self) -> dict[str, Any]:
        """The cards as they were dealt: of each seat, and the one that stays out."""
        return {"cards": [CARD_NAMES[card] for card in self._started().cards[: self.num_players + 1]]}

    def move(self, action: int) -> dict[str, Any]:
        """Check or bet, and after a bet fold or call (KP-4, KP-5)."""
        refused = self._not_an_action(action)
        if refused:
            raise IllegalActionError(refused)
        answering = self._started().bet_at != NOBODY
        words = ("fold", "call") if answering else ("check", "bet")
        return {"kind": words[action == BET]}
