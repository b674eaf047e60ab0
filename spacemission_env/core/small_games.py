"""Provides what small card games share: components of one deck, and checks of their states."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from spacemission_env.core.batch_template import Batch
from spacemission_env.core.constants import ILLEGAL_MOVE
from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.game import Contents, Game, Place
from spacemission_env.core.layout import range_problem
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


def replay_problem(batch: Batch, deck: str, s: np.record, t: np.record, num_players: int) -> str | None:
    """Replay the moves of a state that was read; return why it is impossible, or None.

    Args:
        batch: the game's functions; its state has the moves in the field `history`.
        deck: the field with the dealt cards; -1 marks an unused place.
        s: the record of one game.
        t: the parameters.
        num_players: number of players.
    """
    problem = range_problem(s, num_players, {})
    if problem:
        return problem
    again, parameters = np.zeros(1, s.dtype), np.frombuffer(np.array(t).tobytes(), t.dtype)
    batch.deal_one(again, 0, parameters, num_players, int(s.seed))
    cards, dealt = s[deck], again[0][deck]
    if sorted(cards) != sorted(dealt) or ((cards < 0) != (dealt < 0)).any():
        return f"{deck} are not those of the deck"
    for name in ("rng", "salt", "seed", deck):  # the moves do not determine these
        again[0][name] = s[name]
    made = int(s.decisions)
    if not 0 <= made <= len(s.history):
        return "decisions are out of range"
    for action in s.history[:made]:
        if batch.step_checked(again, parameters, int(action)) == ILLEGAL_MOVE:
            return "history has an impossible move"
    for name in again.dtype.names or ():
        if not np.array_equal(again[0][name], s[name]):
            return f"{name} does not follow from the moves"
    return None
