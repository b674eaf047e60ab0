"""Rules options and the deck of Kuhn poker."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from spacemission_env.core.errors import ComponentsError, RecordError, RulesError, shown
from spacemission_env.games.kuhn_poker.engine import state
from spacemission_env.games.kuhn_poker.engine.constants import MOST_ANTE

CARD_NAMES = ("J", "Q", "K", "A")  # lowest first; the ace only with three players


@dataclass(frozen=True)
class Rules:
    """Options, checked when made.

    Attributes:
        ante: chips that each player puts in before the cards are dealt (KP-2).
    """

    ante: int = 1

    def __post_init__(self) -> None:
        """Refuse an ante that is none."""
        if type(self.ante) is not int or not 1 <= self.ante <= MOST_ANTE:
            raise RulesError(f"rules: ante: expected 1 to {MOST_ANTE}, not {shown(self.ante)}")

    def for_players(self, num_players: int) -> Rules:
        """The same: nothing depends on the number of players."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Every option and its value."""
        return asdict(self)


def make_rules(rules: Any = None) -> Rules:
    """Options from None or "printed", a dict, ``"ante=2"``, or themselves.

    Raises:
        RulesError: naming the option.
    """
    if isinstance(rules, Rules):
        return rules
    given = rules
    if rules is None or rules == "printed":
        given = {}
    elif isinstance(rules, str):
        parts = [part.strip() for part in rules.removeprefix("printed,").split(",")]
        if not all(
            name and value.lstrip("-").isdigit() for name, _, value in (p.partition("=") for p in parts)
        ):
            raise RulesError(f"rules: expected printed or ante=NUMBER, not {shown(rules)}")
        given = {name: int(value) for name, _, value in (part.partition("=") for part in parts)}
    if not isinstance(given, dict):
        raise RulesError(f"rules: expected a preset name or a dict of options, not {shown(rules)}")
    for name in given:
        if name not in {option.name for option in fields(Rules)}:
            raise RulesError(f"rules: unknown option {shown(name)}; known: ante")
    return Rules(**given)


@dataclass(frozen=True)
class Deck:
    """The only box that there is."""

    name: str = "kuhn deck"

    @property
    def sha256(self) -> str:
        """Digest of the cards."""
        return hashlib.sha256(" ".join(CARD_NAMES).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """As a record's first line has it."""
        return {"name": self.name, "sha256": self.sha256, "cards": list(CARD_NAMES)}


def load_components(source: Any = None) -> Deck:
    """The deck; ComponentsError for any other."""
    if source is not None and not isinstance(source, Deck):
        raise ComponentsError(f"components: Kuhn poker has one deck, and no file; got {shown(source)}")
    return source or Deck()


@lru_cache(maxsize=16)
def make_box(deck: Deck, rules: Rules) -> np.ndarray:
    """The options as compiled code reads them: one `BOX` record (1,), read-only."""
    return state.make_box(rules.ante)


def recorded_rules(header: dict[str, Any]) -> Any:
    """The options in the first line of a record."""
    rules = header.get("rules")
    if not isinstance(rules, dict) or set(rules) != {"ante"}:
        raise RecordError(f"rules: expected an object with the option ante, not {shown(rules)}")
    return rules


def recorded_components(header: dict[str, Any]) -> Deck:
    """The deck: what the line says of it is compared afterwards."""
    return Deck()
