"""Below the ring: draw pile, discard pile, the own hand, the own tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spacemission_env.games.space_mission.engine.constants import KIND_NAMES
from spacemission_env.games.space_mission.picture.pieces import (
    CARD_HEIGHT,
    CARD_WIDTH,
    card,
    tile,
)
from spacemission_env.pictures.svg import Marks, box, group, text
from spacemission_env.pictures.table import card_back


@dataclass(frozen=True)
class Places:
    """Where the upper left corner of each is; how many kinds of tiles lie in a row."""

    piles: tuple[float, float]
    hand: tuple[float, float]
    tiles: tuple[float, float]
    across: int


def below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, at: Places) -> str:
    """The piles of cards, hand and tiles."""
    parts = [_draw_pile(view, ink, marks, *at.piles), _discard_pile(view, ink, marks, *at.piles)]
    if view["hand"] is not None:
        parts += [_card(view, i, ink, marks, at) for i in range(len(view["hand"]))]
        parts.append(_tiles(view, ink, at))
    else:
        parts.append(
            text(
                at.hand[0],
                at.hand[1] + 70,
                "You look on: hands and tiles are hidden.",
                16,
                ink["soft"],
                anchor="start",
            )
        )
    return "".join(parts)


def _draw_pile(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, x: float, top: float) -> str:
    count = view["draw_pile"]
    depth = min(4, 1 + count // 12) if count else 0
    parts = [card_back(ink, x + 2.5 * i, top + 8 - 2.5 * i, 78, 108) for i in range(depth)]
    if not count:
        parts.append(
            box(x, top + 8, 78, 108, 8, f'fill="none" stroke="{ink["line"]}" stroke-dasharray="4 5"')
        )
    parts.append(text(x + 39, top + 135, f"draw {count}", 13, ink["soft"]))
    edge = f'<rect x="{x - 3}" y="{top - 4}" width="92" height="124" rx="11"/>'
    return marks.target("draw", f"Draw pile: {count} cards", parts, edge)


def _discard_pile(
    view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, left: float, top: float
) -> str:
    """Which cards lie there is public, in which order is not told: so none is on top."""
    count, x = sum(view["discard"].values()), left + 104
    depth = min(4, 1 + count // 12) if count else 0
    paint = f'fill="{ink["card"]}" stroke="{ink["edge"]}"'
    parts = [box(x + 2.5 * i, top + 8 - 2.5 * i, 78, 108, 8, paint) for i in range(depth)]
    if not count:
        parts.append(
            box(x, top + 8, 78, 108, 8, f'fill="none" stroke="{ink["line"]}" stroke-dasharray="4 5"')
        )
    else:
        over = 2.5 * (depth - 1)
        parts.append(text(x + 39 + over, top + 72 - over, str(count), 30, ink["card_soft"], weight=600))
    parts.append(text(x + 39, top + 135, "discarded", 13, ink["soft"]))
    names = ", ".join(f"{n} {name}" if n > 1 else name for name, n in view["discard"].items()) or "empty"
    edge = f'<rect x="{x - 3}" y="{top - 4}" width="92" height="124" rx="11"/>'
    return marks.target("discard", f"Discard pile: {names}", parts, edge)


def face_of(view: Mapping[str, Any], name: str) -> tuple[tuple[str, Any], ...]:
    """What a card shows; of cards that look alike the first."""
    return tuple((colour, number) for colour, number in view["faces"][name.split("/")[0]])


def _card(view: Mapping[str, Any], i: int, ink: Mapping[str, str], marks: Marks, at: Places) -> str:
    name = view["hand"][i]
    face = face_of(view, name)
    x, top = at.hand[0] + (CARD_WIDTH + 11) * i, at.hand[1]
    drawn = group([card(face, ink["card"], ink["edge"])], x, top)
    edge = f'<rect x="{x - 3}" y="{top - 3}" width="{CARD_WIDTH + 6}" height="{CARD_HEIGHT + 6}" rx="12"/>'
    words = ", ".join(f"{colour} {'any' if number == '?' else number}" for colour, number in face)
    return marks.target(f"hand-{i}", f"Card {name}: {words}", [drawn], edge)


def _tiles(view: Mapping[str, Any], ink: Mapping[str, str], at: Places) -> str:
    """The own tiles by kind."""
    kinds = [kind for kind in KIND_NAMES if view["tiles"].get(kind)]
    left, top = at.tiles
    if not kinds:
        return text(left, top + 70, "You have no tiles yet.", 14, ink["soft"], anchor="start")
    step, across = (74, at.across) if len(kinds) <= 2 * at.across else (62, at.across + 1)
    parts = [text(left - 16, top + 6, "Your tiles", 13, ink["soft"], anchor="start")]
    for i, kind in enumerate(kinds):
        row, column = divmod(i, across)
        x, y = left + step * column, top + 38 + 54 * row
        parts.append(tile(kind, x, y, 38))
        parts.append(
            text(x + 23, y + 6, str(view["tiles"][kind]), 18, ink["ink"], weight=600, anchor="start")
        )
    return f'<g id="tiles">{"".join(parts)}</g>'
