"""Below the map: deck and Discard, and the own hand; above, what is being played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS, data, effect, emblem
from spacemission_env.pictures.svg import Marks, box, lines, path, text
from spacemission_env.pictures.table import card_back

CARD_WIDTH, CARD_HEIGHT = 112, 128
MOST_ON_TABLE, ON_TABLE = 4, 34  # cards being played that are told; height of each


@dataclass(frozen=True)
class Places:
    """Where the upper left corner of each is, and where the hand ends."""

    piles: tuple[float, float]
    hand: tuple[float, float]
    right: float


def below(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, at: Places) -> str:
    """Deck, Discard and hand."""
    parts = [_deck(view, ink, marks, *at.piles), _discard(view, ink, marks, *at.piles)]
    left, top = at.hand
    if view["hand"] is None:
        parts.append(text(left, top + 70, "You look on: hands are hidden.", 16, ink["soft"], anchor="start"))
        return "".join(parts)
    n = len(view["hand"])
    step = min(CARD_WIDTH + 11, (at.right - left + 9) / max(n, 1))
    for i, name in enumerate(view["hand"]):
        parts.append(
            _card(view["cards"][name], i, left + step * i, top, min(CARD_WIDTH, step - 8), ink, marks)
        )
    return "".join(parts)


def _deck(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, x: float, top: float) -> str:
    count = view["deck"]
    depth = min(4, 1 + count // 25) if count else 0
    parts = [card_back(ink, x + 2.5 * i, top + 8 - 2.5 * i, 78, 108) for i in range(depth)]
    if not count:
        parts.append(_nothing(x, top, ink))
    parts.append(text(x + 39, top + 135, f"deck {count}", 13, ink["soft"]))
    words = f"Deck: {count} cards"
    if view["deck_top"]:
        card = view["cards"][view["deck_top"][0]]
        words += f", on top {card['name']}"
        parts.append(emblem(card["type"], x + 64, top + 24, 24))
    return marks.target(
        "deck", words, parts, f'<rect x="{x - 3}" y="{top - 4}" width="92" height="124" rx="11"/>'
    )


def _discard(view: Mapping[str, Any], ink: Mapping[str, str], marks: Marks, left: float, top: float) -> str:
    """All may look through it (HX-52), so no card of it is on top."""
    count, x = sum(view["discard"].values()), left + 104
    depth = min(4, 1 + count // 25) if count else 0
    paint = f'fill="{ink["card"]}" stroke="{ink["edge"]}"'
    parts = [box(x + 2.5 * i, top + 8 - 2.5 * i, 78, 108, 8, paint) for i in range(depth)]
    if count:
        over = 2.5 * (depth - 1)
        parts.append(text(x + 39 + over, top + 72 - over, str(count), 30, ink["card_soft"], weight=600))
    else:
        parts.append(_nothing(x, top, ink))
    parts.append(text(x + 39, top + 135, "discarded", 13, ink["soft"]))
    counts = view["discard"].items()
    names = ", ".join(
        f"{n} × {view['cards'][c]['name']}" if n > 1 else view["cards"][c]["name"] for c, n in counts
    )
    edge = f'<rect x="{x - 3}" y="{top - 4}" width="92" height="124" rx="11"/>'
    return marks.target("discard", f"Discard: {names or 'empty'}", parts, edge)


def _nothing(x: float, top: float, ink: Mapping[str, str]) -> str:
    return box(x, top + 8, 78, 108, 8, f'fill="none" stroke="{ink["line"]}" stroke-dasharray="4 5"')


def _card(
    card: Mapping[str, Any], i: int, x: float, y: float, width: float, ink: Mapping[str, str], marks: Marks
) -> str:
    """A card of the hand: its type above, its name, and what it has or does below."""
    fill, on = TYPE_COLOURS[card["type"]]
    dark, h = ink["card_ink"], CARD_HEIGHT
    band = f"M{x:g} {y + 36}v-27a9 9 0 0 1 9-9h{width - 18:g}a9 9 0 0 1 9 9v27Z"
    parts = [
        box(x, y, width, h, 9, f'fill="{ink["card"]}" stroke="{ink["edge"]}"'),
        path(band, f'fill="{fill}"'),
        emblem(card["type"], x + 20, y + 18, 25),
    ]
    if width > 84:
        parts.append(
            text(
                x + 38,
                y + 23,
                card["type"].capitalize(),
                13,
                on,
                weight=600,
                anchor="start",
                within=width - 44,
            )
        )
    for size in (13.5, 12.3, 11.2):  # smaller, rather than over what stands below
        rows = lines(card["name"], size, width - 10, 9, 600)
        if len(rows) <= 3:
            break
    for k, row in enumerate(rows[:4]):
        parts.append(text(x + width / 2, y + 54 + 16 * k, row, size, dark, weight=600, within=width - 10))
    if card["type"] == "planet":
        parts.append(data(x + 17, y + h - 15, str(card["data"]), 0.9, dark, ""))
    elif card["surprise"]:
        parts.append(text(x + width / 2, y + h - 9, "Surprise", 12, ink["card_soft"], weight=600))
    for k, mark in enumerate(card["effects"]):
        parts.append(effect(mark, x + width - 15 - 21 * k, y + h - 15, 0.85, ink["card"]))
    words = f"{card['name']}, {card['type'].capitalize()}" + (f": {card['text']}" if card["text"] else "")
    edge = f'<rect x="{x - 3:g}" y="{y - 3}" width="{width + 6:g}" height="{h + 6}" rx="11"/>'
    return marks.target(f"hand-{i}", words, parts, edge)


def on_table(view: Mapping[str, Any], ink: Mapping[str, str], right: float, top: float) -> str:
    """What is being played, at the upper right: the latest below."""
    parts = []
    for i, name in enumerate(view["table"][-MOST_ON_TABLE:]):
        card, y = view["cards"][name], top + ON_TABLE * i
        parts.append(emblem(card["type"], right - 14, y, 26))
        parts.append(
            text(right - 34, y + 5, card["name"], 15, ink["ink"], weight=600, anchor="end", within=260)
        )
    return f'<g id="table">{"".join(parts)}</g>' if parts else ""
