"""Below the map: deck and Discard, and the own hand; above, what is being played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS, data, effect, emblem
from spacemission_env.pictures.svg import Marks, box, lines, path, text
from spacemission_env.pictures.table import card_back

_TOP = 752
_HAND, _RIGHT = 250, 1174  # the hand lies between
CARD_WIDTH, CARD_HEIGHT = 112, 128


def below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """The lower edge of the picture."""
    parts = [_deck(view, ink, marks), _discard(view, ink, marks)]
    if view["hand"] is None:
        parts.append(
            text(_HAND, _TOP + 70, "You look on: hands are hidden.", 16, ink["soft"], anchor="start")
        )
        return "".join(parts)
    n = len(view["hand"])
    step = min(CARD_WIDTH + 11, (_RIGHT - _HAND + 9) / max(n, 1))
    for i, name in enumerate(view["hand"]):
        parts.append(_card(view["cards"][name], i, _HAND + step * i, min(CARD_WIDTH, step - 8), ink, marks))
    return "".join(parts)


def _deck(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    count, x = view["deck"], 32
    depth = min(4, 1 + count // 25) if count else 0
    parts = [card_back(ink, x + 2.5 * i, _TOP + 8 - 2.5 * i, 78, 108) for i in range(depth)]
    if not count:
        parts.append(_nothing(x, ink))
    parts.append(text(x + 39, _TOP + 135, f"deck {count}", 13, ink["soft"]))
    words = f"Deck: {count} cards"
    if view["deck_top"] is not None:
        top = view["cards"][view["deck_top"]]
        words += f", on top {top['name']}"
        parts.append(emblem(top["type"], x + 64, _TOP + 24, 24))
    return marks.target(
        "deck", words, parts, f'<rect x="{x - 3}" y="{_TOP - 4}" width="92" height="124" rx="11"/>'
    )


def _discard(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks) -> str:
    """All may look through it (HX-52), so no card of it is on top."""
    count, x = sum(view["discard"].values()), 136
    depth = min(4, 1 + count // 25) if count else 0
    paint = f'fill="{ink["card"]}" stroke="{ink["edge"]}"'
    parts = [box(x + 2.5 * i, _TOP + 8 - 2.5 * i, 78, 108, 8, paint) for i in range(depth)]
    if count:
        over = 2.5 * (depth - 1)
        parts.append(text(x + 39 + over, _TOP + 72 - over, str(count), 30, ink["card_soft"], weight=600))
    else:
        parts.append(_nothing(x, ink))
    parts.append(text(x + 39, _TOP + 135, "discarded", 13, ink["soft"]))
    counts = view["discard"].items()
    names = ", ".join(
        f"{n} × {view['cards'][c]['name']}" if n > 1 else view["cards"][c]["name"] for c, n in counts
    )
    edge = f'<rect x="{x - 3}" y="{_TOP - 4}" width="92" height="124" rx="11"/>'
    return marks.target("discard", f"Discard: {names or 'empty'}", parts, edge)


def _nothing(x: float, ink: Mapping[str, str]) -> str:
    return box(x, _TOP + 8, 78, 108, 8, f'fill="none" stroke="{ink["line"]}" stroke-dasharray="4 5"')


def _card(
    card: Mapping[str, Any], i: int, x: float, width: float, ink: Mapping[str, str], marks: Marks
) -> str:
    """A card of the hand: its type above, its name, and what it has or does below."""
    fill, on = TYPE_COLOURS[card["type"]]
    dark, y, h = ink["card_ink"], _TOP, CARD_HEIGHT
    band = f"M{x:g} {y + 36}v-27a9 9 0 0 1 9-9h{width - 18:g}a9 9 0 0 1 9 9v27Z"
    parts = [
        box(x, y, width, h, 9, f'fill="{ink["card"]}" stroke="{ink["edge"]}"'),
        path(band, f'fill="{fill}"'),
        emblem(card["type"], x + 20, y + 18, 25),
    ]
    if width > 84:
        parts.append(text(x + 38, y + 23, card["type"].capitalize(), 13, on, weight=600, anchor="start"))
    for k, row in enumerate(lines(card["name"], 13.5, width - 12, 4, 600)):
        parts.append(text(x + width / 2, y + 55 + 16 * k, row, 13.5, dark, weight=600, within=width - 10))
    if card["type"] == "planet":
        parts.append(data(x + 17, y + h - 15, str(card["data"]), 0.9, dark, ""))
    elif card["surprise"]:
        parts.append(text(x + width / 2, y + h - 9, "Surprise", 12, ink["card_soft"], weight=600))
    for k, mark in enumerate(card["effects"]):
        parts.append(effect(mark, x + width - 15 - 21 * k, y + h - 15, 0.85, ink["card"]))
    words = f"{card['name']}, {card['type'].capitalize()}" + (f": {card['text']}" if card["text"] else "")
    edge = f'<rect x="{x - 3:g}" y="{y - 3}" width="{width + 6:g}" height="{h + 6}" rx="11"/>'
    return marks.target(f"hand-{i}", words, parts, edge)


def on_table(view: Mapping[str, Any], ink: Mapping[str, str]) -> str:
    """What is being played, at the upper right of the map: the latest below."""
    parts = []
    for i, name in enumerate(view["table"][-4:]):
        card, y = view["cards"][name], 44 + 34 * i
        parts.append(emblem(card["type"], 808, y, 26))
        parts.append(text(788, y + 5, card["name"], 15, ink["ink"], weight=600, anchor="end", within=260))
    return f'<g id="table">{"".join(parts)}</g>' if parts else ""
