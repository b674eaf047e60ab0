"""The picture of Space Mission, from what a seat knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spacemission_env.games.space_mission.actions import kind_of, slots_of
from spacemission_env.games.space_mission.engine.constants import FLY_NEXT, JUMP, KIND_NAMES, RING, TAKE
from spacemission_env.pictures.boxes import draw_boxes


def draw(
    view: Mapping[str, Any], *, theme: str = "light", legal: Sequence[int] = (), changed: Sequence[str] = ()
) -> str:
    """An SVG document of a view (`Game.seat_json`)."""
    items = [("gate", "jump gate"), ("draw", f"draw pile {view['draw_pile']}"), ("discard", "discard pile")]
    for p, planet in enumerate(view["planets"]):
        items.append(
            (f"planet-{p}", f"{planet['name']} {planet['jump']} {planet['scan']} {planet['landing']}")
        )
        items.append((f"pile-{p}", f"pile {planet['tiles_left']}"))
    for j, seat in enumerate(view["seats"]):
        items.append((f"ship-{j}", f"ship of player_{j} at {seat['ship']}"))
        items.append((f"seat-{j}", f"player_{j}"))
    items += [(f"hand-{i}", card) for i, card in enumerate(view["hand"] or ())]
    items += [(f"tile-{kind}", f"{n} {kind}") for kind, n in view.get("pile_in_view", {}).items()]
    ids = {name for action in legal for name in targets(view, action)}
    return draw_boxes(view["title"], items, theme, sorted(ids), changed)


def targets(view: Mapping[str, Any], action: int) -> tuple[str, ...]:
    """What one points at for a move of the view's seat, outermost first."""
    kind, hand = kind_of(action), tuple(f"hand-{slot}" for slot in slots_of(action))
    here = view["seats"][view["seat"]]["ship"]
    if kind == "top_up":
        return ("draw", *hand)
    if kind == "jump":
        return (f"planet-{(action - JUMP) % RING}", *hand)
    if kind == "fly":
        step = 1 if action == FLY_NEXT else -1
        return (f"planet-{(here + step) % RING}", f"ship-{view['seat']}")
    if kind == "discover":
        return (f"planet-{here}", f"pile-{here}")
    if kind == "take":
        return (f"tile-{KIND_NAMES[action - TAKE]}",)
    return (f"planet-{here}", *hand)
