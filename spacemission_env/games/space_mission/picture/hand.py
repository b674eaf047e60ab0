"""Below the ring: draw pile, discard pile, the own hand, the own tiles."""

from __future__ import annotations

from collections.abc import Mapping
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

_TOP = 752
_HAND, _TILES = 262, 800  # where they begin


def below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """The lower edge of the picture."""
    parts = [_draw_pile(view, ink, marks), _discard_pile(view, ink, marks)]
    if view["hand"] is not None:
        parts += [_card(view, i, ink, marks) for i in range(len(view["hand"]))]
        parts.append(_tiles(view, ink))
    else:
        parts.append(
            text(
                _HAND, _TOP + 70, "You look on: hands and tiles are hidden.", 16, ink["soft"], anchor="start"
            )
        )
    return "".join(parts)


def _draw_pile(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    count, x = view["draw_pile"], 32
    depth = min(4, 1 + count // 12) if count else 0
    parts = [card_back(ink, x + 2.5 * i, _TOP + 8 - 2.5 * i, 78, 108) for i in range(depth)]
    if not count:
        parts.append(
            box(x, _TOP + 8, 78, 108, 8, f'fill="none" stroke="{ink["line"]}" stroke-dasharray="4 5"')
        )
    parts.append(text(x + 39, _TOP + 135, f"draw {count}", 13, ink["soft"]))
    edge = f'<rect x="{x - 3}" y="{_TOP - 4}" width="92" height="124" rx="11"/>'
    return marks.target("draw", f"Draw pile: {count} cards", parts, edge)


def _discard_pile(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """Which cards lie there is public, in which order is not told: so none is on top."""
    count, x = sum(view["discard"].values()), 136
    depth = min(4, 1 + count // 12) if count else 0
    paint = f'fill="{ink["card"]}" stroke="{ink["edge"]}"'
    parts = [box(x + 2.5 * i, _TOP + 8 - 2.5 * i, 78, 108, 8, paint) for i in range(depth)]
    if not count:
        parts.append(
            box(x, _TOP + 8, 78, 108, 8, f'fill="none" stroke="{ink["line"]}" stroke-dasharray="4 5"')
        )
    else:
        over = 2.5 * (depth - 1)
        parts.append(text(x + 39 + over, _TOP + 72 - over, str(count), 30, ink["card_soft"], weight=600))
    parts.append(text(x + 39, _TOP + 135, "discarded", 13, ink["soft"]))
    names = ", ".join(f"{n} {name}" if n > 1 else name for name, n in view["discard"].items()) or "empty"
    edge = f'<rect x="{x - 3}" y="{_TOP - 4}" width="92" height="124" rx="11"/>'
    return marks.target("discard", f"Discard pile: {names}", parts, edge)


def face_of(view: Mapping[str, Any], name: str) -> tuple[tuple[str, Any], ...]:
    """What a card shows; of cards that look alike the first."""
    return tuple((colour, number) for colour, number in view["faces"][name.split("/")[0]])


def _card(view: Mapping[str, Any], i: int, ink: Mapping[str, str], marks: Marks) -> str:
    name = view["hand"][i]
    face = face_of(view, name)
    x = _HAND + (CARD_WIDTH + 11) * i
    drawn = group([card(face, ink["card"], ink["edge"])], x, _TOP)
    edge = f'<rect x="{x - 3}" y="{_TOP - 3}" width="{CARD_WIDTH + 6}" height="{CARD_HEIGHT + 6}" rx="12"/>'
    words = ", ".join(f"{colour} {'any' if number == '?' else number}" for colour, number in face)
    return marks.target(f"hand-{i}", f"Card {name}: {words}", [drawn], edge)


def _tiles(view: Mapping[str, Any], ink: Mapping[str, str]) -> str:
    """The own tiles by kind, five in a row."""
    kinds = [kind for kind in KIND_NAMES if view["tiles"].get(kind)]
    if not kinds:
        return text(_TILES, _TOP + 70, "You have no tiles yet.", 14, ink["soft"], anchor="start")
    step = 74 if len(kinds) <= 10 else 62
    parts = [text(_TILES - 16, _TOP + 6, "Your tiles", 13, ink["soft"], anchor="start")]
    for i, kind in enumerate(kinds):
        row, column = divmod(i, 5 if step == 74 else 6)
        x, y = _TILES + step * column, _TOP + 38 + 54 * row
        parts.append(tile(kind, x, y, 38))
        parts.append(
            text(x + 23, y + 6, str(view["tiles"][kind]), 18, ink["ink"], weight=600, anchor="start")
        )
    return f'<g id="tiles">{"".join(parts)}</g>'
