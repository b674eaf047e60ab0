"""Gives small games their options, their one deck, and a check of states by replay."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from spacemission_env.core.batch import Batch
from spacemission_env.core.constants import ILLEGAL_MOVE
from spacemission_env.core.errors import ComponentsError, shown
from spacemission_env.core.ranges import range_problem
from spacemission_env.core.rules_options import check_options, read_options, recorded_options


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

    def to_json(self) -> dict[str, Any]:
        """Every option and its value."""
        return asdict(self)

    @classmethod
    def make(cls, rules: Any = None) -> Self:
        """Options from None, "printed", a dict, ``"ante=2"``, or themselves; RulesError names the option."""
        return read_options(rules, {"printed": cls()})

    @classmethod
    def recorded(cls, header: dict[str, Any]) -> dict[str, Any]:
        """The options in the first line of a record."""
        return recorded_options(header, cls)


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

    def to_json(self) -> dict[str, Any]:
        """As a record's first line has it."""
        return {"name": self.name, "sha256": self.sha256, "cards": list(self.cards)}

    def load(self, source: Any = None) -> OneDeck:
        """The deck; ComponentsError for any other."""
        if source is not None and source != self:
            raise ComponentsError(
                f"components: the game has one deck, {self.name}, and no file; got {shown(source)}"
            )
        return self

    def recorded(self, header: dict[str, Any]) -> OneDeck:
        """The deck of a record: what its first line says of it is compared afterwards."""
        return self


def replay_problem(batch: Batch, s: Any, t: Any, num_players: int, chance: tuple[str, ...]) -> str | None:
    """What cannot be of a state that was read, in words, or None: its moves are played again and compared.

    Args:
        batch: of the game, whose state has the moves in its field `history`.
        s: the record of one game.
        t: the box.
        num_players: how many play.
        chance: fields that the moves do not give, beside those of random numbers; the caller checks them.
    """
    problem = range_problem(s, num_players, {})
    if problem:
        return problem
    again, parameters = np.zeros(1, s.dtype), np.frombuffer(np.array(t).tobytes(), t.dtype)
    batch.deal_one(again, 0, parameters, num_players, int(s.seed))
    for name in ("rng", "salt", "seed", *chance):
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
