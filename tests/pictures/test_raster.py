"""Pixels have the requested size, are equal everywhere, and show this view only."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from spacemission_env.core.errors import SetupError
from spacemission_env.core.game_spec import find_game, game_names
from spacemission_env.pictures import raster
from spacemission_env.pictures.raster import check_size, frame, pixels
from spacemission_env.pictures.strokes import glyphs, strokes, texts_as_strokes
from spacemission_env.pictures.svg import box, document, text
from tests.support.played import at


@pytest.mark.parametrize("name", game_names())
def test_a_frame_has_the_size_and_the_colours_of_its_theme(name: str) -> None:
    game = at(name, find_game(name).max_players, 3, 20)
    for size, shape in ((64, (64, 64, 3)), ((300, 200), (200, 300, 3)), ((640, 480), (480, 640, 3))):
        light, dark = (frame(game, size=size, theme=theme) for theme in ("light", "dark"))
        assert light.shape == dark.shape == shape and light.dtype == np.uint8
        assert light.mean() > 140 > 90 > dark.mean()  # including the area outside the drawing
        assert light.std() > 10 and dark.std() > 10


def test_what_is_kept_of_one_game_is_not_in_the_picture_of_another() -> None:
    first, second = at("space_mission", 3, 3, 20), at("space_mission", 3, 4, 20)
    raster._kept.cache_clear()
    alone = frame(second, size=256)
    frame(first, size=256), frame(first, size=256, theme="dark")
    assert np.array_equal(frame(second, size=256), alone)
    assert not np.array_equal(frame(first, size=256), alone)
    before = frame(second, size=256)
    before[:] = 0  # the caller's own copy
    assert np.array_equal(frame(second, size=256), alone)


def test_few_pixels_get_the_simplified_drawing() -> None:
    game = at("planet_hexx", 2, 3, 20)
    drawn: list[str] = []

    class Picture:
        draw = staticmethod(lambda view, theme: drawn.append("draw") or document(100, 100, [], ""))
        draw_small = staticmethod(lambda view, theme: drawn.append("small") or document(100, 100, [], ""))

    class Shown:
        spec = type("Spec", (), {"picture": Picture})
        picture_view = staticmethod(game.picture_view)

    for size in ((1200, raster.SMALL), (raster.SMALL + 1, raster.SMALL + 1)):
        frame(Shown(), size=size)
    assert drawn == ["small", "draw"]


def test_a_drawing_lies_in_the_middle_of_other_shapes() -> None:
    svg = document(100, 100, [box(0, 0, 100, 100, 0, 'fill="#ff0000"')], "red")
    wide = pixels(svg, 200, 100)
    assert (wide[:, 51:149] == (255, 0, 0)).all() and (wide[:, :49] == 0).all() and (wide[:, 151:] == 0).all()


def test_texts_become_strokes_without_a_typeface() -> None:
    svg = document(100, 40, [text(50, 30, "H & 1", 30, "#ffffff", weight=700)], "text")
    drawn = texts_as_strokes(svg)
    assert "<text" not in drawn and drawn.count("<path") == 1
    assert pixels(svg, 100, 40).max() == 255
    for letter, (width, d) in glyphs().items():
        assert width > 0 and (d or letter == " ")
        size = pixels(document(40, 40, [strokes(20, 28, letter, 30, "#ffffff")], ""), 40, 40).sum()
        assert (size > 0) == (letter != " "), letter
    # Unknown letters are drawn without their accent, or as a box.
    assert strokes(0, 0, "é", 10, "#000000") == strokes(0, 0, "e", 10, "#000000")
    assert strokes(0, 0, "漢", 10, "#000000") != strokes(0, 0, " ", 10, "#000000")


def test_strokes_stand_where_the_text_is_anchored() -> None:
    for anchor, columns in (("start", (50, 100)), ("end", (0, 50)), ("middle", (25, 75))):
        drawn = pixels(document(100, 40, [strokes(50, 30, "HHH", 20, "#ffffff", anchor=anchor)], ""), 100, 40)
        used = np.flatnonzero(drawn.any((0, 2)))
        assert used.min() >= columns[0] - 2 and used.max() <= columns[1] + 2


@pytest.mark.parametrize("size", [8, 10**6, "big", None, (800,), (800, 600, 3), (800.0, 600), True])
def test_sizes_that_are_none_are_refused(size: object) -> None:
    with pytest.raises(SetupError, match="render_size: expected 16 to"):
        check_size(size)


def test_what_cannot_be_drawn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError, match="picture: expected a document"):
        pixels("<svg/>", 100, 100)
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install 'spacemission-env\[render\]'"):
        raster.check_pygame()


def test_a_picture_is_an_xml_document_in_each_theme() -> None:
    game = at("space_mission", 5, 1, 20)
    for theme in ("light", "dark", "page"):
        root = ElementTree.fromstring(game.picture(theme=theme))
        assert root.get("role") == "img" and root.get("aria-label")
