"""Renders pictures as pixels with pygame, without a display and without fonts.

The background of a drawing (`svg.document`) is rendered once and cached.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from spacemission_env.core.arguments import is_whole
from spacemission_env.core.errors import PicturesError, SetupError, shown
from spacemission_env.core.game import Game
from spacemission_env.pictures.strokes import texts_as_strokes

if TYPE_CHECKING:  # pygame is optional
    import pygame

SIZE = (800, 600)
SMALL = 400  # if the shorter side has at most this many pixels, use the simplified drawing
MOST = 8192  # maximum number of pixels of a side
_HEAD = re.compile(r'<svg xmlns="[^"]*" viewBox="0 0 ([^ ]+) ([^"]+)"[^>]*>')
_GROUND = re.compile(r'<g class="ground">(.*?)</g>', re.DOTALL)


def check_size(size: object) -> tuple[int, int]:
    """Width and height in pixels; one number means a square. SetupError if out of range."""
    both = (size, size) if is_whole(size) else tuple(size) if isinstance(size, tuple | list) else ()
    if len(both) != 2 or not all(is_whole(n) and 16 <= n <= MOST for n in both):
        expected = f"16 to {MOST} pixels, or (width, height)"
        raise SetupError(f"render_size: expected {expected}, not {shown(size)}")
    return int(both[0]), int(both[1])


def has_pygame() -> bool:
    return importlib.util.find_spec("pygame") is not None


def check_pygame() -> None:
    """Raise PicturesError with the command that installs pygame, if it is missing."""
    if not has_pygame():
        raise PicturesError("render_mode: pictures need pygame: pip install 'spacemission-env[render]'")


def frame(game: Game, seat: int | None = None, *, size: object = SIZE, theme: str = "light") -> np.ndarray:
    """Pixels of a game as a seat (default: the one to act) sees it: uint8 (height, width, 3).

    Args:
        game: which game.
        seat: whose view.
        size: (width, height) in pixels, or one number for a square.
        theme: "light" or "dark".
    """
    width, height = check_size(size)
    view, picture = game.picture_view(seat), game.spec.picture
    simple = getattr(picture, "draw_small", None) if min(width, height) <= SMALL else None
    return pixels((simple or picture.draw)(view, theme=theme), width, height)


def pixels(svg: str, width: int, height: int) -> np.ndarray:
    """Render an SVG document, centred; return uint8 (height, width, 3)."""
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
    """The root element for this size, with the drawing centred."""
    scale = min(width / wide, height / high)
    across, down = width / scale, height / scale
    box = f"{(wide - across) / 2:g} {(high - down) / 2:g} {across:g} {down:g}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="{box}">'


@lru_cache(maxsize=16)
def _kept(root: str, ground: str) -> pygame.Surface:
    return _surface(f"{root}{ground}</svg>")


def _surface(svg: str) -> pygame.Surface:
    return pygame_quietly().image.load(io.BytesIO(svg.encode()), "picture.svg")


def pygame_quietly() -> ModuleType:
    """Import pygame without its greeting."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    return pygame
