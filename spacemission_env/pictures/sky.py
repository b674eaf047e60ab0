"""Draws the night sky, and a distinct planet for each name."""

from __future__ import annotations

import random
from functools import lru_cache
from hashlib import sha256
from math import cos, sin

from spacemission_env.pictures.svg import box, disc, path
from spacemission_env.pictures.themes import colours

# Colours of a planet: base, light, dark. They have no meaning and are equal in both themes.
_WORLDS = (
    ("#c96f4a", "#e39a6f", "#8f4630"),
    ("#7fa3b8", "#b5cfdb", "#4d7187"),
    ("#d8a657", "#f0cf8e", "#a3742f"),
    ("#7b8f5a", "#aabd82", "#536339"),
    ("#9b7a9e", "#c5a8c8", "#6a4d6e"),
    ("#b9a78e", "#dcd0bd", "#857459"),
    ("#5f8f8a", "#93bdb6", "#3c635f"),
    ("#b0616b", "#d7949a", "#7b3c47"),
    ("#6f7fae", "#a3b0d4", "#475580"),
)

_TITLE = (0.36, 0.14)  # share of width and height at the upper left that has no stars


def chance(*seed: object) -> random.Random:
    """Random numbers for a drawing, seeded by `seed`."""
    return random.Random(sha256(repr(seed).encode()).digest())


@lru_cache(maxsize=32)
def night(width: int, height: int, theme: str, x: float, y: float, stars: int = 90) -> str:
    """The background, brightest around (x, y), with stars."""
    ink, draw = colours(theme), chance("night", width, height)
    name = f"night-{theme}-{width}-{x:g}"
    parts = [
        f'<defs><radialGradient id="{name}" gradientUnits="userSpaceOnUse" cx="{x:g}" cy="{y:g}" '
        f'r="{max(width, height) * 0.75:g}"><stop offset="0" stop-color="{ink["sky"]}"/>'
        f'<stop offset="1" stop-color="{ink["deep"]}"/></radialGradient></defs>',
        # Reach beyond the edges, for raster images with another aspect ratio.
        box(-2 * width, -2 * height, 5 * width, 5 * height, 0, f'fill="url(#{name})"'),
    ]
    small, bright = [], []
    for i in range(stars):
        sx, sy = draw.uniform(0, width), draw.uniform(0, height)
        if sx < _TITLE[0] * width and sy < _TITLE[1] * height:
            continue
        if i % 9:
            small.append(f"M{sx:.0f} {sy:.0f}h.6")
        else:
            k = draw.uniform(2, 4)
            bright.append(f"M{sx - k:.1f} {sy:.1f}h{2 * k:.1f}M{sx:.1f} {sy - k:.1f}v{2 * k:.1f}")
    paint = f'stroke="{ink["star"]}" stroke-linecap="round" fill="none"'
    parts.append(path("".join(small), f'{paint} stroke-width="1.8" stroke-opacity="0.7"'))
    parts.append(path("".join(bright), f'{paint} stroke-width="0.9" stroke-opacity="0.8"'))
    return "".join(parts)


@lru_cache(maxsize=256)
def world(name: str, x: float, y: float, r: float, ink_shade: str = "#10131c") -> str:
    """A planet whose look depends on its name, with a night side."""
    draw = chance("world", name)
    base, light, dark = _WORLDS[draw.randrange(len(_WORLDS))]
    kind = draw.choice(("bands", "seas", "craters", "bands", "seas"))
    parts = [disc(x, y, r, f'fill="{base}"')]
    parts.append({"bands": _bands, "seas": _seas, "craters": _craters}[kind](draw, x, y, r, light, dark))
    if kind != "bands" and draw.random() < 0.6:
        parts.append(_cap(x, y, r, light))
    parts.append(_night_side(x, y, r, ink_shade))
    if kind == "bands" and draw.random() < 0.7:
        parts.append(_ring(x, y, r, light, dark))
    return "".join(parts)


def _chord(y: float, r: float) -> float:
    """Half the width of a circle of radius r at height y above its centre."""
    return max(r * r - y * y, 0) ** 0.5


def _bands(draw: random.Random, x: float, y: float, r: float, light: str, dark: str) -> str:
    parts, top = [], -0.82
    while top < 0.75:
        bottom = min(top + draw.uniform(0.1, 0.24), 0.9)
        a, b = _chord(top * r, r), _chord(bottom * r, r)
        high, low, bulge = y + top * r, y + bottom * r, r * 0.1
        parts.append(
            path(
                f"M{x - a:.1f} {high:.1f}Q{x:.1f} {high + bulge:.1f} {x + a:.1f} {high:.1f}"
                f"A{r:.1f} {r:.1f} 0 0 1 {x + b:.1f} {low:.1f}"
                f"Q{x:.1f} {low + bulge:.1f} {x - b:.1f} {low:.1f}"
                f"A{r:.1f} {r:.1f} 0 0 1 {x - a:.1f} {high:.1f}Z",
                f'fill="{draw.choice((light, dark))}" fill-opacity="{draw.uniform(0.3, 0.6):.2f}"',
            )
        )
        top = bottom + draw.uniform(0.08, 0.2)
    return "".join(parts)


def _seas(draw: random.Random, x: float, y: float, r: float, light: str, dark: str) -> str:
    parts = []
    for i in range(5):
        far, turn = draw.uniform(0, 0.55) * r, draw.uniform(0, 6.28)
        sx, sy = x + far * cos(turn), y + far * sin(turn)
        rx = draw.uniform(0.16, 0.3) * r
        ry = rx * draw.uniform(0.45, 0.8)
        paint = f'fill="{(light, dark)[i % 2]}" fill-opacity="0.5"'
        parts.append(
            f'<ellipse cx="{sx:.1f}" cy="{sy:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" '
            f'transform="rotate({draw.randint(-25, 25)} {sx:.1f} {sy:.1f})" {paint}/>'
        )
    return "".join(parts)


def _craters(draw: random.Random, x: float, y: float, r: float, light: str, dark: str) -> str:
    parts = []
    for _ in range(7):
        far, turn = draw.uniform(0.1, 0.72) * r, draw.uniform(0, 6.28)
        sx, sy, sr = x + far * cos(turn), y + far * sin(turn), draw.uniform(0.06, 0.17) * r
        parts.append(disc(round(sx, 1), round(sy, 1), round(sr, 1), f'fill="{dark}" fill-opacity="0.45"'))
        parts.append(
            disc(
                round(sx + sr * 0.2, 1), round(sy + sr * 0.22, 1), round(sr * 0.8, 1),
                f'fill="{light}" fill-opacity="0.35"',
            )
        )  # fmt: skip
    return "".join(parts)


def _cap(x: float, y: float, r: float, light: str) -> str:
    top = -0.72 * r
    a = _chord(top, r)
    return path(
        f"M{x - a:.1f} {y + top:.1f}A{r:.1f} {r:.1f} 0 0 1 {x + a:.1f} {y + top:.1f}"
        f"Q{x:.1f} {y + top + 0.16 * r:.1f} {x - a:.1f} {y + top:.1f}Z",
        f'fill="{light}" fill-opacity="0.85"',
    )


def _night_side(x: float, y: float, r: float, shade: str) -> str:
    """The shaded side; light comes from the upper left."""
    return path(
        f"M{x + 0.5 * r:.1f} {y - 0.866 * r:.1f}A{r:.1f} {r:.1f} 0 1 1 {x - 0.866 * r:.1f} {y + 0.5 * r:.1f}"
        f"A{1.12 * r:.1f} {1.12 * r:.1f} 0 0 0 {x + 0.5 * r:.1f} {y - 0.866 * r:.1f}Z",
        f'fill="{shade}" fill-opacity="0.28"',
    )


def _ring(x: float, y: float, r: float, light: str, dark: str) -> str:
    """The front half of a ring."""
    rx, ry = 1.38 * r, 0.3 * r
    d = f"M{x - rx:.1f} {y:.1f}A{rx:.1f} {ry:.1f} 0 0 0 {x + rx:.1f} {y:.1f}"
    turn = f'transform="rotate(-14 {x:g} {y:g})" fill="none"'
    return path(d, f'{turn} stroke="{dark}" stroke-width="{0.13 * r:.1f}" stroke-opacity="0.8"') + path(
        d, f'{turn} stroke="{light}" stroke-width="{0.06 * r:.1f}"'
    )
