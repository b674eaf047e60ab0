"""Turns pictures into pixels with pygame; needs no screen and no typeface.

The ground of a drawing (`svg.document`) becomes pixels once and is kept.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
from functools import lru_cache
from typing import Any

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import PicturesError, SetupError, shown
from spacemission_env.pictures.strokes import texts_as_strokes

SIZE = (800, 600)
SMALL = 400  # pixels of the shorter side up to which the simplified drawing is taken
MOST = 8192  # pixels of a side
_HEAD = re.compile(r'<svg xmlns="[^"]*" viewBox="0 0 ([^ ]+) ([^"]+)"[^>]*>')
_GROUND = re.compile(r'<g class="ground">(.*?)</g>', re.DOTALL)


def check_size(size: Any) -> tuple[int, int]:
    """Width and height in pixels; one number: a square. SetupError for any other."""
    both = (size, size) if is_whole(size) else tuple(size) if isinstance(size, tuple | list) else ()
    if len(both) != 2 or not all(is_whole(n) and 16 <= n <= MOST for n in both):
        expected = f"16 to {MOST} pixels, or (width, height)"
        raise SetupError(f"render_size: expected {expected}, not {shown(size)}")
    return int(both[0]), int(both[1])


def has_pygame() -> bool:
    return importlib.util.find_spec("pygame") is not None


def check_pygame() -> None:
    """PicturesError that says what to install, if pygame is missing."""
    if not has_pygame():
        raise PicturesError("render_mode: pictures need pygame: pip install 'spacemission-env[render]'")


def frame(
    game: Any, seat: int | None = None, *, size: Any = SIZE, theme: str = "light"
) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A game as a seat (default: to act) sees it: uint8 (height, width, 3).

    Args:
        game: a `Game`.
        seat: whose view.
        size: (width, height) in pixels, or one number for a square.
        theme: "light" or "dark".
    """
    width, height = check_size(size)
    view, picture = game.seat_json(seat), game.spec.picture
    simple = getattr(picture, "draw_small", None) if min(width, height) <= SMALL else None
    return pixels((simple or picture.draw)(view, theme=theme), width, height)


def pixels(svg: str, width: int, height: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A drawing of the house in the middle of so many pixels: uint8 (height, width, 3)."""
    pygame = pygame_quietly()
    head = _HEAD.match(svg)
    if head is None:
        raise SetupError("picture: expected a document of spacemission_env.pictures.svg")
    root = _root(float(head[1]), float(head[2]), width, height)
    body = svg[head.end() :]
    ground = _GROUND.search(body)
    if ground is None:
        surface = pygame.Surface((width, height), pygame.SRCALPHA, 32)
    else:
        surface = _kept(root, ground[1]).copy()
        body = body[: ground.start()] + body[ground.end() :]
    surface.blit(_surface(root + texts_as_strokes(body)), (0, 0))
    bytes_ = pygame.image.tobytes(surface, "RGB")
    return np.frombuffer(bytes_, np.uint8).reshape(height, width, 3).copy()


def _root(wide: float, high: float, width: int, height: int) -> str:
    """A root of exactly these pixels, the drawing in its middle."""
    scale = min(width / wide, height / high)
    across, down = width / scale, height / scale
    box = f"{(wide - across) / 2:g} {(high - down) / 2:g} {across:g} {down:g}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="{box}">'


@lru_cache(maxsize=16)
def _kept(root: str, ground: str) -> Any:
    return _surface(f"{root}{ground}</svg>")


def _surface(svg: str) -> Any:
    return pygame_quietly().image.load(io.BytesIO(svg.encode()), "picture.svg")


def pygame_quietly() -> Any:
    """The module, without its greeting."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    return pygame
