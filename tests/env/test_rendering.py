"""Front ends render text, pixels and a window, also without a display."""

import os
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from IPython.core.formatters import SVGFormatter
from pettingzoo.test import render_test

from spacemission_env.core.errors import PicturesError, SetupError
from spacemission_env.core.game import make_game
from spacemission_env.core.game_spec import game_names
from spacemission_env.core.reading import Json
from spacemission_env.frontends import aec, rendering
from spacemission_env.pictures import raster
from spacemission_env.pictures.raster import frame
from tests.support.front_ends import make_vector


def gym_id(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_")) + "-v0"


@pytest.fixture
def no_window(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A window on a dummy display, without waiting."""
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "FRAMES", 1000)
    pygame.display.quit()
    yield pygame
    pygame.display.quit()


@pytest.mark.parametrize("name", game_names())
def test_pettingzoos_own_test_of_rendering(name: str, no_window: ModuleType) -> None:
    render_test(lambda render_mode=None: aec.env(name, render_mode=render_mode))


@pytest.mark.filterwarnings("ignore")  # other tests check the spaces
@pytest.mark.parametrize("name", game_names())
def test_gymnasiums_own_test_with_rendering(name: str, no_window: ModuleType) -> None:
    check_env(gymnasium.make(gym_id(name), illegal="lose", render_mode="rgb_array", render_size=64).unwrapped)


@pytest.mark.parametrize("name", game_names())
def test_pixels_show_the_seat_to_act_or_a_fixed_one(name: str) -> None:
    for seat in (None, 1):
        env = aec.env(name, num_players=2, render_mode="rgb_array", render_seat=seat, render_size=(320, 240))
        env.reset(seed=3)
        game = env.unwrapped.game
        for _ in range(3):
            if game.over:
                break
            shown = frame(game, game.player if seat is None else seat, size=(320, 240))
            assert np.array_equal(env.render(), shown)
            env.step(game.legal_actions()[-1])
        env.close()


def test_a_learner_is_shown_its_own_view_in_every_front_end() -> None:
    options: Json = {"num_players": 3, "seat": 2, "render_mode": "rgb_array", "render_size": 128}
    single = gymnasium.make("SpaceMission-v0", **options)
    single.reset(seed=5)
    game = single.unwrapped.game  # type: ignore[attr-defined]
    assert np.array_equal(single.render(), frame(game, 2, size=128))
    assert not np.array_equal(single.render(), frame(game, 0, size=128))
    vector = make_vector(2, **options)
    vector.reset(seed=[5, 6])
    first, second = vector.render()
    assert np.array_equal(first, single.render()) and not np.array_equal(first, second)


def test_a_vector_environment_gives_texts_too() -> None:
    vector = make_vector(3, "KuhnPoker-v0", render_mode="ansi", seat=0)
    vector.reset(seed=1)
    assert [board.startswith("You are player_0") for board in vector.render()] == [True] * 3
    with pytest.raises(SetupError, match="render_mode: expected None or one of ansi, rgb_array, not 'human'"):
        make_vector(3, "KuhnPoker-v0", render_mode="human")


def test_a_window_follows_the_game(no_window: ModuleType) -> None:
    env = aec.env("space_mission", num_players=2, render_mode="human", render_size=(200, 160))
    env.reset(seed=1)
    game = env.unwrapped.game
    window = env.unwrapped._rendering._window
    for _ in range(2):
        assert np.array_equal(shown_in(window), frame(game, size=(200, 160)))
        env.step(game.legal_actions()[-1])
    assert env.render() is None
    # After a person closes the window, the game continues without it.
    no_window.event.post(no_window.event.Event(no_window.WINDOWCLOSE, window=window._window))
    env.step(game.legal_actions()[-1])
    env.render()
    assert window.closed
    env.close()


def shown_in(window: rendering.Window) -> np.ndarray:
    return window._pygame.surfarray.array3d(window._window.get_surface()).swapaxes(0, 1)


@pytest.mark.parametrize("how", ["environment", "person", "pygame"])
def test_a_window_that_closes_leaves_the_others_open(no_window: ModuleType, how: str) -> None:
    envs = [
        aec.env("space_mission", num_players=2, render_mode="human", render_size=size) for size in (200, 160)
    ]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    kept, closing = (env.unwrapped._rendering._window for env in envs)
    if how == "environment":
        envs[1].close()
    elif how == "person":
        no_window.event.post(no_window.event.Event(no_window.WINDOWCLOSE, window=closing._window))
    else:
        no_window.display.quit()  # as other environments do when they close
    game = envs[0].unwrapped.game
    envs[0].step(game.legal_actions()[-1])
    assert np.array_equal(shown_in(kept), frame(game, size=200))
    if how == "person":
        envs[1].render()
    assert (closing.closed, kept.closed) == (how != "pygame", False)
    for env in envs:
        env.close()


def test_a_learner_sees_every_move_in_its_window(
    no_window: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[int] = []
    monkeypatch.setattr(rendering.Window, "show", lambda self, pixels: frames.append(len(pixels)))
    env = gymnasium.make("SpaceMission-v0", num_players=3, seat=0, render_mode="human", render_size=100)
    env.reset(seed=2)
    started = len(frames)
    game = env.unwrapped.game  # type: ignore[attr-defined]
    before = int(game.states[0].decisions)
    for _ in range(4):
        env.step(np.int64(game.legal_actions()[-1]))
    assert len(frames) - started == int(game.states[0].decisions) - before >= 8  # moves of all seats
    env.close()


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_screen_there_is_one_clear_line(no_screen: None) -> None:
    import pygame

    pygame.display.quit()
    if os.name == "nt" or os.uname().sysname == "Darwin":
        pytest.skip("there is always a screen")
    with pytest.raises(PicturesError, match=r"render_mode: 'human' needs a screen .*'rgb_array' needs none"):
        aec.env("space_mission", render_mode="human")


def test_only_what_this_machine_can_show_is_offered(no_screen: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering.sys, "platform", "linux")
    assert aec.env("kuhn_poker").metadata["render_modes"] == ["ansi", "rgb_array"]
    monkeypatch.setenv("DISPLAY", ":0")
    assert gymnasium.make("KuhnPoker-v0").metadata["render_modes"] == ["ansi", "rgb_array", "human"]
    assert make_vector(2, "KuhnPoker-v0").metadata["render_modes"] == ["ansi", "rgb_array"]
    monkeypatch.setattr(raster.importlib.util, "find_spec", lambda name: None)
    assert aec.env("kuhn_poker").metadata["render_modes"] == ["ansi"]


def test_notebooks_show_environments() -> None:
    env = aec.env("space_mission", num_players=3, render_seat=2, render_theme="dark")
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert SVGFormatter()(env) == env.unwrapped.game.picture(2, theme="dark")  # IPython's formatter
    learner = gymnasium.make("KuhnPoker-v0", seat=1).unwrapped
    assert learner._repr_svg_() is None  # type: ignore[attr-defined]
    learner.reset(seed=1)
    assert SVGFormatter()(learner) == learner.game.picture(1)  # type: ignore[attr-defined]


def test_a_game_without_a_picture_is_drawn_as_its_text_board() -> None:
    """Also one with a JSON view of its own, which has no board."""
    game = make_game("kuhn_poker", 2)
    game.spec = replace(game.spec, picture_module=None)
    game.reset(1)
    assert "board" not in game.seat_json(0)
    drawn = ElementTree.fromstring(game.picture(0)).itertext()
    assert [line.strip() for line in drawn if line.strip()][1:] == [
        line.strip() for line in game.board(0).splitlines() if line.strip()
    ]
