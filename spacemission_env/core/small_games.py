"""Provides what small card games share: the components and the game of one deck."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.game import Contents, Game, Place
from spacemission_env.core.reading import Json


@dataclass(frozen=True)
class OneDeck:
    """The components of a game with one fixed deck of cards.

    Attributes:
        name: the deck's name, which people see.
        cards: names of the cards.
    """

    name: str
    cards: tuple[str, ...]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(" ".join(self.cards).encode()).hexdigest()

    def to_json(self) -> Json:
        """The entry in a record's first line."""
        return {"name": self.name, "sha256": self.sha256, "cards": list(self.cards)}

    def load(self, source: object = None) -> OneDeck:
        """Return the deck; ComponentsError for any other source."""
        if source is not None and source != self:
            raise ComponentsError(
                f"components: the game has one deck, {self.name}, and takes no file; got {shown(source)}"
            )
        return self

    def recorded(self, header: Json) -> OneDeck:
        """The deck, whatever the record says; the reader later compares the record's deck with it."""
        return self


class OneDeckGame(Game):
    """A game whose set-up is the order of the deck: `{"cards": ["K", "J", "Q"]}`.

    The state's field `cards` holds each seat's card, then the cards left out; -1 marks an unused place.
    """

    components: OneDeck

    def _names(self, cards: np.ndarray) -> list[str]:
        return [self.components.cards[card] for card in cards if card >= 0]

    def _lay(self, seed: int, setup: object) -> None:
        dealt = self.spec.new_states(1)
        self.spec.batch.deal_one(dealt, 0, self.parameters, self.num_players, seed)
        deck = self._names(np.sort(dealt[0].cards))
        cards = setup["cards"] if isinstance(setup, dict) and set(setup) == {"cards"} else None
        if not isinstance(cards, list | tuple) or sorted(map(str, cards)) != sorted(deck):
            raise SetupError(f"setup: cards: expected {', '.join(deck)} in any order, not {shown(setup)}")
        dealt[0].cards[: len(deck)] = [self.components.cards.index(str(card)) for card in cards]
        self.states[:] = dealt

    def setup_json(self) -> Json:
        """The cards as dealt: one per seat, then those left out."""
        return {"cards": self._names(self._started().cards)}

    def contents(self) -> list[Contents]:
        """One card per seat, then those left out."""
        n, cards = self.num_players, self._started().cards
        names = self._names(np.sort(cards))
        places = [Place(f"card-{j}", f"card of player_{j}") for j in range(n)]
        places += [Place("deck", "card that stays out")] * (len(names) - n)
        counts = np.eye(len(names), dtype=np.int64)[cards[: len(names)]]
        return [Contents("cards", tuple(names), tuple(places), counts)]
