"""Declares the flat action space: 101 indices (docs/actions.md)."""

from __future__ import annotations

from dataclasses import dataclass

from spacemission_env.games.space_mission.engine.constants import (
    ACTION_COUNT,
    DEVELOP,
    DEVELOP_PAIRS,
    DISCOVER,
    FLY_NEXT,
    JUMP,
    KIND_NAMES,
    RING,
    SCAN,
    SLOTS,
    TAKE,
    TOP_UP,
)

CARD_JOINT = "+"  # stands between the ids of cards in a move's text; no id contains it


@dataclass(frozen=True)
class ActionRange:
    """The action indices of one kind of move: ``first`` to ``last``, both included."""

    first: int
    last: int
    kind: str
    meaning: str
    rules: str


# fmt: off
ACTION_TABLE = (
    ActionRange(TOP_UP, JUMP - 1, "top_up",
                "top up, discarding the slots whose bits are set (bit i = slot i)", "SM-21"),
    ActionRange(JUMP, FLY_NEXT - 1, "jump", "jump with slot s to ring position p: 32 + 8*s + p", "SM-24"),
    ActionRange(FLY_NEXT, SCAN - 1, "fly",
                "72: fly to the next ring position, 73: to the previous one", "SM-25"),
    ActionRange(SCAN, DEVELOP - 1, "scan", "scan with slot s: 74 + s", "SM-30"),
    ActionRange(DEVELOP, DISCOVER - 1, "develop",
                "develop with slots " + " ".join(f"({a},{b})" for a, b in DEVELOP_PAIRS), "SM-40"),
    ActionRange(DISCOVER, TAKE - 1, "discover", "discover", "SM-45"),
    ActionRange(TAKE, ACTION_COUNT - 1, "take",
                "at a tile pick: " + ", ".join(KIND_NAMES), "SM-31, SM-41, SM-45"),
)
# fmt: on


def kind_of(action: int) -> str:
    """The kind of move of an action index: top_up, jump, fly, scan, develop, discover or take."""
    for entry in ACTION_TABLE:
        if entry.first <= action <= entry.last:
            return entry.kind
    raise ValueError(f"action {action}: not in 0 to {ACTION_COUNT - 1}")


@dataclass(frozen=True)
class Move:
    """A move by names: its kind, the planet or tile that it names (or ""), and the ids of its cards."""

    kind: str
    target: str
    cards: tuple[str, ...]

    def __str__(self) -> str:
        """The text as in `Game.move_text`: "jump Hazard J1S2", "top_up J1S1+J1S2", "take water"."""
        return " ".join(filter(None, (self.kind, self.target, CARD_JOINT.join(self.cards))))


def slots_of(action: int) -> tuple[int, ...]:
    """The hand slots whose cards a move discards or plays."""
    kind = kind_of(action)
    if kind == "top_up":
        return tuple(i for i in range(SLOTS) if action >> i & 1)
    if kind == "jump":
        return ((action - JUMP) // RING,)
    if kind == "scan":
        return (action - SCAN,)
    if kind == "develop":
        return DEVELOP_PAIRS[action - DEVELOP]
    return ()
