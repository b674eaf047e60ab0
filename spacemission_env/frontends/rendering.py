"""Renders an environment as text, as pixels, or in a pygame window."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import numpy as np

from spacemission_env.core.errors import PicturesError, SetupError, shown
from spacemission_env.core.game import Game
from spacemission_env.core.game_spec import check_choice
from spacemission_env.core.reading import Json
from spacemission_env.pictures.raster import (
    SIZE,
    check_pygame,
    check_size,
    frame,
    has_pygame,
    pygame_quietly,
)

MODES = ("ansi", "rgb_array", "human")
THEMES = ("light", "dark")
FRAMES = 4  # maximum frames per second, so that a person can follow
_NO_SCREEN = ("dummy", "offscreen")  # drivers without a display


def modes_here() -> list[str]:
    """The render modes that this machine supports, found without opening a display."""
    if not has_pygame():
        return ["ansi"]
    return [mode for mode in MODES if mode != "human" or may_have_screen()]


class Rendering:
    """Renders the game of an environment.

    Args:
        mode: None, "ansi" (text), "rgb_array" (pixels) or "human" (a window).
        size: size of pictures in pixels: (width, height), or one number for a square.
        theme: colours of pictures, "light" or "dark".
        modes: render modes that the environment supports.

    Raises:
        SetupError: an argument is wrong.
        PicturesError: pygame is not installed, or there is no display for a window.
    """

    def __init__(
        self, mode: str | None, size: object = SIZE, theme: str = "light", modes: tuple[str, ...] = MODES
    ) -> None:
        if mode is not None and not (isinstance(mode, str) and mode in modes):
            expected = f"None or one of {', '.join(modes)}"
            raise SetupError(f"render_mode: expected {expected}, not {shown(mode)}")
        self.mode: str | None = mode
        self.size = check_size(size)
        check_choice("render_theme", theme, THEMES)
        self.theme = theme
        self.live = mode == "human"  # drawn after every move
        self._window: Window | None = None
        if mode in ("rgb_array", "human"):
            check_pygame()
        if self.live:
            check_screen()

    def __getstate__(self) -> Json:
        """A copy opens its own window."""
        return {**self.__dict__, "_window": None}

    def show(self, game: Game, seat: int | None) -> str | np.ndarray | None:
        """The game as a seat (None: the one to act) sees it: text, uint8 (height, width, 3), or None."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return game.board(seat)
        pixels = frame(game, seat, size=self.size, theme=self.theme)
        if not self.live:
            return pixels
        if self._window is None:
            self._window = Window(game.spec.title, self.size)
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()
            self._window = None


def may_have_screen() -> bool:
    """Whether a window may be possible; False only on a Unix without any display variable."""
    named = any(os.environ.get(name) for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"))
    return named or sys.platform in ("win32", "darwin")


def check_screen() -> None:
    """Raise PicturesError with an alternative if no window can be shown."""
    pygame = pygame_quietly()
    if not hasattr(pygame, "Window"):
        raise PicturesError("render_mode: 'human' needs pygame-ce from 2.5.2: pip install -U pygame-ce")
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
    """A separate window that shows pixels; other windows and other users of pygame do not disturb it."""

    def __init__(self, title: str, size: tuple[int, int]) -> None:
        self._pygame, self._title, self._size = pygame_quietly(), title, size
        self._clock = self._pygame.time.Clock()
        self._open()
        self.closed = False  # whether the person has closed it; it stays closed

    def _open(self) -> None:
        self._pygame.display.init()
        self._window = self._pygame.Window(self._title, self._size)

    def show(self, pixels: np.ndarray) -> None:
        if self.closed:
            return
        try:
            self._draw(pixels)
        except self._pygame.error:  # somebody else has ended pygame's display, with all windows
            self._window = None  # drop the old window first: SDL may give the new one its place in memory
            self._open()
            self._draw(pixels)

    def _draw(self, pixels: np.ndarray) -> None:
        pygame = self._pygame
        surface = self._window.get_surface()
        for event in pygame.event.get(pygame.WINDOWCLOSE):
            if event.window is self._window:
                self.close()
                return
            pygame.event.post(event)  # for another window
        pygame.event.get(exclude=(pygame.WINDOWCLOSE, pygame.QUIT))  # so that the queue does not fill up
        height, width = pixels.shape[:2]
        surface.blit(pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB"), (0, 0))
        self._window.flip()
        self._clock.tick(FRAMES)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            with suppress(self._pygame.error):  # somebody else may have ended the display, with this window
                self._window.destroy()
