"""Shows pictures in a pygame window."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from spacemission_env.core.errors import PicturesError
from spacemission_env.pictures.raster import pygame_quietly

FRAMES = 4  # a second at most, so that a person can follow
_NO_SCREEN = ("dummy", "offscreen")  # drivers that show nothing


def may_have_screen() -> bool:
    """False if there certainly is no screen: on a Unix that names none."""
    named = any(os.environ.get(name) for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"))
    return named or sys.platform in ("win32", "darwin")


def check_screen() -> None:
    """PicturesError, one line that says what to do instead, if no window can be shown."""
    pygame = pygame_quietly()
    open_before = pygame.display.get_init()
    problem = ""
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
        if driver in _NO_SCREEN and "SDL_VIDEODRIVER" not in os.environ:
            problem = f"only the driver {driver}"
    except pygame.error as error:
        problem = str(error)
    if problem and not open_before:
        pygame.display.quit()
    if problem:
        raise PicturesError(f"render_mode: 'human' needs a screen ({problem}); 'rgb_array' needs none")


class Window:
    def __init__(self, title: str, size: tuple[int, int]) -> None:
        pygame = self._pygame = pygame_quietly()
        pygame.display.init()
        self._surface = pygame.display.set_mode(size)
        pygame.display.set_caption(title)
        self._clock = pygame.time.Clock()
        self.closed = False  # by the person; it is not opened again

    def show(self, pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
        if self.closed:
            return
        pygame = self._pygame
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
                return
        height, width = pixels.shape[:2]
        image = pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB")
        self._surface.blit(image, (0, 0))
        pygame.display.flip()
        self._clock.tick(FRAMES)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._pygame.display.quit()
