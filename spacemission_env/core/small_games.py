"""Gives small games their options, their one deck, and a check of states by replay."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Self

import numpy as np

from spacemission_env.core.batch import Batch
from spacemission_env.core.constants import ILLEGAL_MOVE
from spacemission_env.core.errors import ComponentsError, SetupError, shown
from spacemission_env.core.game import Contents, Game, Place
from spacemission_env.core.layout import range_problem
from spacemission_env.core.reading import Json
from spacemission_env.core.rules_options import check_options, read_options


@dataclass(frozen=True)
class WholeNumberRules:
    """Rules options that are whole numbers, checked when made; a game adds its fields and their `RANGES`."""

    RANGES: ClassVar[Mapping[str, tuple[int, int]]]  # the lowest and the highest value

    def __post_init__(self) -> None:
        """Refuse a value out of its range."""
        check_options(self, self.RANGES)

    def for_players(self, num_players: int) -> Self:
        """The same: nothing depends on the number of players."""
        return self

    def to_json(self) -> Json:
        """Every option and its value."""
        return asdict(self)

    @classmethod
    def make(cls, rules: object = None) -> Self:
        """Options from None, "printed", a dict, ``"ante=2"``, or themselves; RulesError names the option."""
        return read_options(rules, {"printed": cls()})


@dataclass(frozen=True)
class OneDeck:
    """The box of a game that has one deck of cards and no file.

    Attributes:
        name: for people.
        cards: what is in it.
    """

    name: str
    cards: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Digest of the cards."""
        return hashlib.sha256(" ".join(self.cards).encode()).hexdigest()

    def to_json(self) -> Json:
        """As a record's first line has it."""
        return {"name": self.name, "sha256": self.sha256, "cards": list(self.cards)}

    def load(self, source: object = None) -> OneDeck:
        """The deck; ComponentsError for any other."""
        if source is not None and source != self:
            raise ComponentsError(
                f"components: the game has one deck, {self.name}, and no file; got {shown(source)}"
            )
        return self

    def recorded(self, header: Json) -> OneDeck:
        """The deck of a record: what its first line says of it is compared afterwards."""
        return self


class OneDeckGame(Game):
    """A game whose set-up is how the deck lies: field `cards` of its state, one of each seat, then those that
    stay out, -1 where there is none. As JSON: `{"cards": ["K", "J", "Q"]}`.
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
        """The cards as they were dealt: of each seat, and those that stay out."""
        return {"cards": self._names(self._started().cards)}

    def contents(self) -> list[Contents]:
        """One card a seat, and those that stay out."""
        n, cards = self.num_players, self._started().cards
        names = self._names(np.sort(cards))
        places = [Place(f"card-{j}", f"card of player_{j}") for j in range(n)]
        places += [Place("deck", "card that stays out")] * (len(names) - n)
        counts = np.eye(len(names), dtype=np.int64)[cards[: len(names)]]
        return [Contents("cards", tuple(names), tuple(places), counts)]


def replay_problem(batch: Batch, deck: str, s: np.record, t: np.record, num_players: int) -> str | None:
    """What cannot be of a state that was read, in words, or None: its moves are played again and compared.

    Args:
        batch: of the game, whose state has the moves in its field `history`.
        deck: the field of the cards as they were dealt, -1 where there is none.
        s: the record of one game.
        t: the parameters.
        num_players: how many play.
    """
    problem = range_problem(s, num_players, {})
    if problem:
        return problem
    again, parameters = np.zeros(1, s.dtype), np.frombuffer(np.array(t).tobytes(), t.dtype)
    batch.deal_one(again, 0, parameters, num_players, int(s.seed))
    cards, dealt = s[deck], again[0][deck]
    if sorted(cards) != sorted(dealt) or ((cards < 0) != (dealt < 0)).any():
        return f"{deck} are not those of the deck"
    for name in ("rng", "salt", "seed", deck):  # which the moves do not give
        again[0][name] = s[name]
    made = int(s.decisions)
    if not 0 <= made <= len(s.history):
        return "decisions are out of range"
    for action in s.history[:made]:
        if batch.step_checked(again, parameters, int(action)) == ILLEGAL_MOVE:
            return "history has a move that cannot be"
    for name in again.dtype.names or ():
        if not np.array_equal(again[0][name], s[name]):
            return f"{name} does not follow from the moves"
    return None
