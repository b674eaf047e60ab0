"""What one points at for a move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spacemission_env.games.planet_hexx.engine.constants import (
    HAND,
    PASS,
    POINTS,
    TO_ALT,
    TO_BRANCH,
    TO_CELL,
    TO_DISCARD,
    TO_KIND,
    TO_MOVE,
    TO_NUMBER,
    TO_PLAY,
    TO_POINT,
    TO_SEAT,
    TO_TURN,
    TO_UPLOAD,
    YES,
)
from spacemission_env.games.planet_hexx.engine.grid import NEIGHBOURS


def targets(view: Mapping[str, Any], action: int) -> tuple[str, ...]:
    """What one points at for a move of the view's seat, outermost first."""
    seat, n = view["seat"], view["num_players"]
    what = (view["asked"] or {"what": "main"})["what"]
    hand = f"hand-{(action - TO_PLAY) % HAND}"
    if what == "collect":  # number 0 to 6, or by the effect
        return ("choice-effect",) if action == YES else (f"choice-number-{action - TO_NUMBER}",)
    if action == PASS:
        return ("choice-no",) if what == "may" else ("choice-pass",)
    if action == YES:
        return ("choice-yes",)
    if action < TO_MOVE:
        return (f"choice-{'side' if what == 'side' else 'branch'}-{action - TO_BRANCH}",)
    if action == TO_MOVE and what in ("main", "gained"):
        return (f"ship-{seat}",)
    if action < TO_UPLOAD:
        return (hand,)
    if action < TO_DISCARD:
        return (f"seat-{seat}", hand) if action < TO_ALT else (f"seat-{seat}", hand, "choice-other-cost")
    if action < TO_CELL:
        return ("discard", hand)
    if action < TO_TURN:
        return (f"cell-{action - TO_CELL}",)
    if action < TO_SEAT:
        return (_direction(view, what, action - TO_TURN),)
    if action < TO_NUMBER:
        return (f"seat-{(seat + action - TO_SEAT) % n}",)
    if action < TO_POINT:
        return (f"choice-number-{action - TO_NUMBER}",)
    if action < TO_KIND:
        k, point = divmod(action - TO_POINT, POINTS)
        return (f"seat-{(seat + k) % n}", f"point-{(seat + k) % n}-{point}")
    return ("discard", f"choice-card-{action - TO_KIND}")


def _direction(view: Mapping[str, Any], what: str, direction: int) -> str:
    """A step is to a cell; a rotation is a number."""
    if what != "step":
        return f"choice-turn-{direction}"
    return f"cell-{NEIGHBOURS[view['seats'][view['seat']]['ship'], direction]}"


def pointed_at(view: Mapping[str, Any], legal: Iterable[int]) -> set[str]:
    """The targets of all of these moves."""
    return {name for action in legal for name in targets(view, action)}
