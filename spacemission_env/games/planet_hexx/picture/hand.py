"""Draws deck, Discard and hand below the map, and the cards being played above it."""

from __future__ import annotations

from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS, data, effect, emblem
from spacemission_env.pictures.parts import Drawing, View, pile
from spacemission_env.pictures.svg import box, lines, path, text

CARD_WIDTH, CARD_HEIGHT = 112, 128
MOST_ON_TABLE, ON_TABLE = 4, 34  # cards being played: how many are listed at most, and the height of each


def below(d: Drawing, piles: tuple[float, float], left: float, top: float, right: float) -> str:
    """Draw the card piles at `piles`, and the hand from (left, top) to `right`."""
    parts = [_deck(d, *piles), _discard(d, *piles)]
    if d.view["hand"] is None:
        parts.append(d.left(left, top + 70, "You look on: hands are hidden.", 16, "soft"))
        return "".join(parts)
    names = d.view["hand"]
    step = min(CARD_WIDTH + 11, (right - left + 9) / max(len(names), 1))
    width = min(CARD_WIDTH, step - 8)
    parts += [_card(d, d.view["cards"][name], i, left + step * i, top, width) for i, name in enumerate(names)]
    return "".join(parts)


def _deck(d: Drawing, x: float, top: float) -> str:
    count, words, more = d.view["deck"], f"Deck: {d.view['deck']} cards", ""
    if d.view["deck_top"]:
        card = d.view["cards"][d.view["deck_top"][0]]
        words += f", on top {card['name']}"
        more = emblem(card["type"], x + 64, top + 24, 24)
    return pile(d, "deck", words, x, top, count, f"deck {count}", step=25, more=more)


def _discard(d: Drawing, x: float, top: float) -> str:
    """Draw the Discard without a top card, because all players may look through it (HX-52)."""
    names = [(d.view["cards"][card]["name"], n) for card, n in d.view["discard"].items()]
    words = ", ".join(f"{n} × {name}" if n > 1 else name for name, n in names) or "empty"
    count = sum(n for _, n in names)
    return pile(d, "discard", f"Discard: {words}", x + 104, top, count, "discarded", step=25, face_up=True)


def _card(d: Drawing, card: View, i: int, x: float, y: float, width: float) -> str:
    """A card of the hand: type, name, then Data and marks of effects."""
    fill, on = TYPE_COLOURS[card["type"]]
    h, kind, middle = CARD_HEIGHT, card["type"].capitalize(), x + width / 2
    band = f"M{x:g} {y + 36}v-27a9 9 0 0 1 9-9h{width - 18:g}a9 9 0 0 1 9 9v27Z"
    parts = [
        box(x, y, width, h, 9, d.paint("card", "edge")),
        path(band, f'fill="{fill}"'),
        emblem(card["type"], x + 20, y + 18, 25),
    ]
    if width > 84:
        parts.append(text(x + 38, y + 23, kind, 13, on, weight=600, anchor="start", within=width - 44))
    for size in (13.5, 12.3, 11.2):  # a long name gets smaller letters, not more lines
        rows = lines(card["name"], size, width - 10, 9, 600)
        if len(rows) <= 3:
            break
    for k, row in enumerate(rows[:4]):
        parts.append(d.text(middle, y + 54 + 16 * k, row, size, "card_ink", weight=600, within=width - 10))
    if card["type"] == "planet":
        parts.append(data(x + 17, y + h - 15, str(card["data"]), 0.9, d.ink["card_ink"]))
    elif card["surprise"]:
        parts.append(d.text(middle, y + h - 9, "Surprise", 12, "card_soft", weight=600))
    for k, mark in enumerate(card["effects"]):
        parts.append(effect(mark, x + width - 15 - 21 * k, y + h - 15, 0.85, d.ink["card"]))
    words = f"{card['name']}, {kind}" + (f": {card['text']}" if card["text"] else "")
    edge = f'<rect x="{x - 3:g}" y="{y - 3}" width="{width + 6:g}" height="{h + 6}" rx="11"/>'
    return d.marks.target(f"hand-{i}", words, parts, edge)


def on_table(d: Drawing, right: float, top: float) -> str:
    """The cards being played, at the upper right, the latest at the bottom."""
    parts = []
    for i, name in enumerate(d.view["table"][-MOST_ON_TABLE:]):
        card, y = d.view["cards"][name], top + ON_TABLE * i
        parts.append(emblem(card["type"], right - 14, y, 26))
        parts.append(d.text(right - 34, y + 5, card["name"], 15, weight=600, anchor="end", within=260))
    return f'<g id="table">{"".join(parts)}</g>' if parts else ""
