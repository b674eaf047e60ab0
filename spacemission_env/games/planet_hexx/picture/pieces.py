"""Draws the pieces: emblems of the five types, Data, and marks of effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from spacemission_env.pictures.svg import box, disc, group, path, stroke, text

BLACK, WHITE = "#10131c", "#ffffff"
# Colours of background and symbol.
TYPE_COLOURS: Mapping[str, tuple[str, str]] = {
    "alien": ("#5f2c9d", WHITE),
    "dilemma": ("#c24f18", WHITE),
    "object": ("#eac452", BLACK),
    "planet": ("#3d8ae8", BLACK),
    "space": ("#63d0c1", BLACK),
}
STAR = "M0-11C1-3 3-1 11 0C3 1 1 3 0 11C-1 3-3 1-11 0C-3-1-1-3 0-11Z"


@lru_cache(maxsize=512)
def emblem(kind: str, x: float, y: float, size: float, hollow: str = "") -> str:
    """The emblem of a type; `hollow`: the colour of the lines of a pale emblem, or "" for a filled one."""
    fill, on = TYPE_COLOURS[kind]
    if hollow:
        paint = (
            f'fill="{fill}" fill-opacity="0.22" stroke="{hollow}" stroke-width="1.5" stroke-dasharray="4.2 3"'
        )
        symbol = _SYMBOLS[kind](hollow)
    else:
        paint, symbol = f'fill="{fill}" stroke="{BLACK}" stroke-opacity="0.4"', _SYMBOLS[kind](on)
    return group([box(-15, -15, 30, 30, 7, paint), symbol], x, y, scale=round(size / 30, 3))


def _alien(on: str) -> str:
    head = path("M0-9.5C8.5-9.5 8 2 0 11C-8 2-8.5-9.5 0-9.5Z", stroke(on, 2))
    eyes = "M-4.6-3.4L-1.6-.4M4.6-3.4L1.6-.4"
    return head + path(eyes, f'stroke="{on}" stroke-width="3" stroke-linecap="round"')


def _planet(on: str) -> str:
    ring = f'<ellipse rx="12.5" ry="4" transform="rotate(-20)" {stroke(on, 2)}/>'
    return disc(0, 0, 7.2, f'fill="{on}"') + ring


_BOLT = "M3-11L-6 1.5H0L-3 11L6.5-2.5H.5Z"
_BOX = "M0-10L9-5V5L0 10L-9 5V-5ZM-9-5L0 0L9-5M0 0V10"
_SYMBOLS: Mapping[str, Callable[[str], str]] = {
    "alien": _alien,
    "dilemma": lambda on: path(_BOLT, f'fill="{on}" stroke="{on}" stroke-linejoin="round"'),
    "object": lambda on: path(_BOX, stroke(on, 2)),
    "planet": _planet,
    "space": lambda on: path(STAR, f'fill="{on}"'),
}


@lru_cache(maxsize=512)
def data(x: float, y: float, amount: str, size: float, ink: str) -> str:
    """Data: a cube and a number."""
    cube = "M0-9L8-4.5V4.5L0 9L-8 4.5V-4.5Z"
    faces = path(cube, f'fill="#f29d38" stroke="{BLACK}" stroke-opacity="0.6"') + path(
        "M-8-4.5L0 0L8-4.5M0 0V9", f'fill="none" stroke="{BLACK}" stroke-opacity="0.6"'
    )
    return group([faces, text(12, 5.6, amount, 16, ink, weight=700, anchor="start")], x, y, scale=size)


# Shape and colour of the marks of effects.
_MARKS = {
    "collect": ("M0-7L6.2-3.5V3.5L0 7L-6.2 3.5V-3.5Z", "#2873d4"),
    "through": ("M-7-5L-1 0L-7 5M0-5L6 0L0 5", "#c24f18"),
    "stop": ("M-2.9-7H2.9L7-2.9V2.9L2.9 7H-2.9L-7 2.9V-2.9Z", "#cf2f45"),
    "start": ("M-5.5-7L7 0L-5.5 7Z", "#2f8f5b"),
    "enter": ("M0-7V4M-5-1L0 5L5-1M-6 8H6", "#5f2c9d"),
}


@lru_cache(maxsize=512)
def effect(name: str, x: float, y: float, size: float, paper: str) -> str:
    """The mark of an effect, on a small disc."""
    d, colour = _MARKS[name]
    paint = stroke(colour, 2.8) if name in ("through", "enter") else f'fill="{colour}"'
    return group([disc(0, 0, 11, f'fill="{paper}" fill-opacity="0.92"'), path(d, paint)], x, y, scale=size)
