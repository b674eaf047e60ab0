"""What games on a table share: card backs, chips, marks of seats, buttons for choices that lie nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spacemission_env.pictures.svg import Marks, box, disc, group, lines, path, text, wide

BUTTON_HEIGHT = 40


def ship(ink: Mapping[str, str], seat: int, x: float, y: float, scale: float = 1) -> str:
    """A ship with the number of its seat."""
    more = f'fill="{ink[f"seat_{seat}"]}" stroke="{ink["rim"]}" stroke-width="1.4" stroke-linejoin="round"'
    hull = path("M0-16C6.5-10 9-2 9 6L13 13L4.5 11H-4.5L-13 13L-9 6C-9-2-6.5-10 0-16Z", more)
    return group([hull, text(0, 6.5, str(seat), 13, ink[f"seat_{seat}_on"], weight=700)], x, y, scale=scale)


def card_back(ink: Mapping[str, str], x: float, y: float, width: float, height: float) -> str:
    """A card lying face down."""
    cx, cy, line = x + width / 2, y + height / 2, f'fill="none" stroke="{ink["back_line"]}"'
    thin = f'{line} stroke-width="{width * 0.035:.2f}"'
    return (
        box(
            x,
            y,
            width,
            height,
            width / 9,
            f'fill="{ink["back"]}" stroke="{ink["back_line"]}" stroke-width="0.8"',
        )
        + disc(cx, cy, width * 0.28, thin)
        + f'<ellipse cx="{cx:g}" cy="{cy:g}" rx="{width * 0.4:g}" ry="{width * 0.12:g}" '
        f'transform="rotate(-24 {cx:g} {cy:g})" {thin}/>'
    )


def chips(fill: str, rim: str, x: float, y: float, count: int, width: float = 20) -> str:
    """A stack of chips; (x, y) is the middle of the lowest."""
    more = f'fill="{fill}" stroke="{rim}" stroke-width="{width / 22:.2f}"'
    return "".join(
        f'<ellipse cx="{x:g}" cy="{y - 0.225 * width * i:g}" rx="{width / 2:g}" ry="{width / 4:g}" {more}/>'
        for i in range(count)
    )


def seat_dot(ink: Mapping[str, str], seat: int, x: float, y: float, r: float = 8) -> str:
    """The number of a seat in its colour."""
    dot = disc(round(x, 1), round(y, 1), r, f'fill="{ink[f"seat_{seat}"]}" stroke="{ink["rim"]}"')
    return dot + text(
        round(x, 1), round(y + r * 0.45, 1), str(seat), r * 1.3, ink[f"seat_{seat}_on"], weight=700
    )


def _words(words: str, x: float, y: float, room: float, colour: str, high: float) -> list[str]:
    """What a button says, around (x, y): in two lines where one would be too small."""
    if wide(words, 15, 600) <= 1.3 * room or high < BUTTON_HEIGHT:
        return [text(x, y + 5.5, words, 15, colour, weight=600, within=room)]
    size = next((s for s in (13, 12, 11, 10) if len(lines(words, s, room, 9, 600)) <= 2), 10)
    rows = lines(words, size, room, 2, 600)
    return [text(x, y - 3 + 15 * k, row, size, colour, weight=600, within=room) for k, row in enumerate(rows)]


def buttons(
    marks: Marks,
    labels: Iterable[tuple[str, str]],
    x: float,
    y: float,
    width: float,
    across: int = 1,
    high: float = BUTTON_HEIGHT,
) -> str:
    """Choices that lie nowhere on the table: name and words of each, in rows from (x, y)."""
    ink, parts = marks.ink, []
    for i, (name, words) in enumerate(labels):
        row, column = divmod(i, across)
        left, top = x + (width + 12) * column, y + (high + 10) * row
        shape = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{high:g}" rx="10"/>'
        drawn = [
            shape.replace("/>", f' fill="{ink["panel"]}" stroke="{ink["edge"]}"/>'),
            *_words(words, left + width / 2, top + high / 2, width - 16, ink["ink"], high),
        ]
        parts.append(marks.target(name, words, drawn, shape))
    return "".join(parts)
