"""What one points at for a move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.engine.constants import FLY_NEXT, JUMP, KIND_NAMES, RING, TAKE


def targets(view: Mapping[str, Any], action: int) -> tuple[str, ...]:
    """Ids of the elements that one points at for a move of the view's seat, outermost first."""
    kind, hand = kind_of(action), tuple(f"hand-{slot}" for slot in slots_of(action))
    here = view["seats"][view["seat"]]["ship"]
    if kind == "top_up":
        return ("draw", *hand)
    if kind == "jump":
        return (f"planet-{(action - JUMP) % RING}", *hand)
    if kind == "fly" and here is None:  # it cannot, and that is what one may ask about
        return (f"ship-{view['seat']}",)
    if kind == "fly":
        step = 1 if action == FLY_NEXT else -1
        return (f"planet-{(here + step) % RING}", f"ship-{view['seat']}")
    if kind == "discover" and here is not None:
        return (f"planet-{here}", f"pile-{here}")
    if kind == "take":
        return (f"tile-{KIND_NAMES[action - TAKE]}",)
    if here is None:  # as little can it scan or develop
        return (f"ship-{view['seat']}", *hand)
    return (f"planet-{here}", *hand)


def pointed_at(view: Mapping[str, Any], legal: Iterable[int]) -> set[str]:
    """The targets of all of these moves."""
    return {name for action in legal for name in targets(view, action)}
