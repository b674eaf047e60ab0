"""Draws coordinates, tiles, stations, probes and cards; shapes and letters tell them apart without colour."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from spacemission_env.pictures.parts import seat_number
from spacemission_env.pictures.svg import box, disc, group, path, text

BLACK, WHITE = "#10131c", "#ffffff"
Face = tuple[tuple[str, str | int], ...]  # pairs of a colour's name and a number or "?"

# The colour of a coordinate and the colour of its number.
COORDINATES: Mapping[str, tuple[str, str]] = {
    "jump": ("#2360c5", WHITE),
    "scan": ("#63c486", BLACK),
    "landing": ("#c24f18", WHITE),
}
# Shapes of 26 by 26 around (0, 0): a diamond, a disc, a shield.
_SHAPES = {
    "jump": '<path d="M0-14L14 0L0 14L-14 0Z" {}/>',
    "scan": '<circle r="12.2" {}/>',
    "landing": '<path d="M-11.5-11.5H11.5V3.5L0 13L-11.5 3.5Z" {}/>',
}
TILE_COLOURS: Mapping[str, tuple[str, str]] = {
    "mineral_red": ("#cf2f45", WHITE),
    "mineral_purple": ("#5b2d9e", WHITE),
    "mineral_green": ("#6cc972", BLACK),
    "mineral_blue": ("#5d9cf2", BLACK),
    "alien_brown": ("#8a5428", WHITE),
    "alien_blue": ("#5d9cf2", BLACK),
    "matter_green": ("#6cc972", BLACK),
    "matter_blue": ("#5d9cf2", BLACK),
    "water": ("#d7edf7", "#1f5f8a"),
    "medal": ("#f2c94c", "#6b4a00"),
    "space": (BLACK, "#f4f0e4"),
}
_CRYSTAL = "M-8-3.5L-4.5-9.5H4.5L8-3.5L0 10.5Z"


@lru_cache(maxsize=256)
def coordinate(colour: str, number: object, x: float, y: float, scale: float = 1, faded: bool = False) -> str:
    """A jump, scan or landing coordinate."""
    fill, on = COORDINATES[colour]
    opacity = ' opacity="0.35"' if faded else ""
    shape = _SHAPES[colour].format(f'fill="{fill}" stroke="{BLACK}" stroke-opacity="0.35"{opacity}')
    down = 5.2 if colour != "landing" else 4
    return group([shape, text(0, down, str(number), 15, on, weight=700)], x, y, scale=scale)


@lru_cache(maxsize=256)
def tile(kind: str, x: float, y: float, size: float) -> str:
    """A face-up tile."""
    fill, on = TILE_COLOURS[kind]
    line = f'stroke="{BLACK}" stroke-opacity="0.45"'
    if kind == "space":
        line = 'stroke="#8d9bc4" stroke-width="1.6"'
    frame = box(-15, -15, 30, 30, 6, f'fill="{fill}" {line}')
    return group([frame, _SYMBOLS[kind.split("_")[0]](kind, on)], x, y, scale=round(size / 30, 3))


def _mineral(kind: str, on: str) -> str:
    letter = kind.split("_")[1][0].upper()
    lines = f'fill="none" stroke="{on}" stroke-width="1.5" stroke-linejoin="round"'
    return path(_CRYSTAL, lines) + path("M-8-3.5H8", lines) + text(0, 5.2, letter, 8.5, on, weight=700)


def _alien(kind: str, on: str) -> str:
    """A brown alien is round with two eyes; a blue one is long with one eye and antennae."""
    line = f'fill="none" stroke="{on}" stroke-width="1.7" stroke-linecap="round"'
    if kind == "alien_brown":
        eyes = disc(-3.6, -1.5, 2.2, f'fill="{on}"') + disc(3.6, -1.5, 2.2, f'fill="{on}"')
        return disc(0, 0, 9, line) + eyes + path("M-3.5 4.2Q0 6.6 3.5 4.2", line)
    head = path("M0-6.5C7-6.5 6.5 3 0 10C-6.5 3-7-6.5 0-6.5Z", line)
    return head + disc(0, -0.8, 2.8, f'fill="{on}"') + path("M-3-7L-6-11M3-7L6-11", line)


def _matter(kind: str, on: str) -> str:
    """Green matter is a plus, blue matter a minus."""
    line = f'fill="none" stroke="{on}" stroke-width="1.3"'
    orbit = f'<ellipse rx="11" ry="4.6" transform="rotate({{}})" {line}/>'
    sign = "M-2.6 0H2.6M0-2.6V2.6" if kind == "matter_green" else "M-2.6 0H2.6"
    fill = TILE_COLOURS[kind][0]
    core = disc(0, 0, 4.8, f'fill="{fill}"') + path(sign, f'stroke="{on}" stroke-width="2"')
    return orbit.format(30) + orbit.format(-30) + core


def _water(kind: str, on: str) -> str:
    return path("M0-10.5C4-4.5 7-1 7 3.2A7 7 0 0 1-7 3.2C-7-1-4-4.5 0-10.5Z", f'fill="{on}"') + path(
        "M-3.4 3.6A3.6 3.6 0 0 0 .2 7",
        f'fill="none" stroke="{WHITE}" stroke-width="1.6" stroke-linecap="round"',
    )


def _medal(kind: str, on: str) -> str:
    ribbon = path("M-5.5-12L-1.5-3M5.5-12L1.5-3", f'stroke="{on}" stroke-width="3.4"')
    star = "M0-2.8L1.6.6L5.2 1L2.5 3.5L3.2 7.1L0 5.3L-3.2 7.1L-2.5 3.5L-5.2 1L-1.6.6Z"
    return ribbon + disc(0, 3, 8, f'fill="{on}"') + path(star, 'fill="#f2c94c"')


def _space(kind: str, on: str) -> str:
    star = "M0-9C.9-2.4 2.4-.9 9 0C2.4.9.9 2.4 0 9C-.9 2.4-2.4.9-9 0C-2.4-.9-.9-2.4 0-9Z"
    return path(star, f'fill="{on}"')


_SYMBOLS = {
    "mineral": _mineral,
    "alien": _alien,
    "matter": _matter,
    "water": _water,
    "medal": _medal,
    "space": _space,
}


def tile_back(ink: Mapping[str, str], x: float, y: float, size: float, question: bool = False) -> str:
    """A face-down tile."""
    paint = f'fill="{ink["back"]}" stroke="{ink["back_line"]}"'
    mark = text(x, y + size * 0.26, "?", size * 0.7, ink["back_line"], weight=700) if question else ""
    return box(x - size / 2, y - size / 2, size, size, size / 5, paint) + mark


def _of_seat(ink: Mapping[str, str], seat: int, width: float) -> str:
    return f'fill="{ink[f"seat_{seat}"]}" stroke="{ink["rim"]}" stroke-width="{width}"'


def seat_tile(ink: Mapping[str, str], seat: int, x: float, y: float, size: float) -> str:
    """A hidden reserved tile with its owner's probe on it."""
    drawn = box(x - size / 2, y - size / 2, size, size, size / 5, _of_seat(ink, seat, 1.2))
    return drawn + seat_number(ink, seat, x, y + size * 0.28, size * 0.78)


def station(ink: Mapping[str, str], seat: int, x: float, y: float, scale: float = 1) -> str:
    """A station: a dome with the number of its seat."""
    more = f'{_of_seat(ink, seat, 1.5)} stroke-linejoin="round"'
    mast = f'fill="none" stroke="{ink["rim"]}" stroke-width="2" stroke-linecap="round"'
    parts = [
        path("M-15 7A15 15 0 0 1 15 7Z", more),
        box(-19, 7, 38, 6.5, 3, more),
        path("M0-8V-16M-4-16H4", mast),
        seat_number(ink, seat, 0, 5, 13),
    ]
    return group(parts, x, y, scale=scale)


def probe(ink: Mapping[str, str], seat: int, x: float, y: float, r: float) -> str:
    """A probe on the gate."""
    return disc(round(x, 1), round(y, 1), r, _of_seat(ink, seat, 0.9))


CARD_WIDTH, CARD_HEIGHT = 92, 128


@lru_cache(maxsize=1024)
def card(face: Face, ink_card: str, edge: str) -> str:
    """A card with two coordinates; its upper left corner is at (0, 0)."""
    (a, first), (b, second) = face
    w, h = CARD_WIDTH, CARD_HEIGHT
    upper = f"M10 0H{w - 10}A10 10 0 0 1 {w} 10V18L0 {h - 18}V10A10 10 0 0 1 10 0Z"
    lower = f"M{w} 18V{h - 10}A10 10 0 0 1 {w - 10} {h}H10A10 10 0 0 1 0 {h - 10}V{h - 18}Z"
    return (
        box(0, 0, w, h, 10, f'fill="{ink_card}" stroke="{edge}"')
        + path(upper, f'fill="{COORDINATES[a][0]}" fill-opacity="0.16"')
        + path(lower, f'fill="{COORDINATES[b][0]}" fill-opacity="0.3"')
        + coordinate(a, first, 34, 38, 1.75)
        + coordinate(b, second, w - 34, h - 38, 1.75)
    )
