"""Colours are distinguishable for everyone, and texts are legible."""

from itertools import combinations
from math import dist

import numpy as np
import pytest

from spacemission_env.core.errors import SetupError
from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS
from spacemission_env.games.space_mission.picture.pieces import COORDINATES, TILE_COLOURS
from spacemission_env.pictures.themes import COLOURS, SEATS, colours, style_sheet

SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900],
    ]),
}  # fmt: skip
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> np.ndarray:
    """ "#rrggbb" as linear RGB, 0 to 1."""
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast: 1 to 21."""
    a, b = sorted((float(_TO_XYZ[1] @ linear(c)) for c in (one, other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def lab(colour: str, sight: str = "usual") -> tuple[float, float, float]:
    """The colour in CIELAB for this kind of vision."""
    seen = np.clip(SIGHTS[sight] @ linear(colour), 0, 1)
    xyz = _TO_XYZ @ seen / _WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return float(116 * f[1] - 16), float(500 * (f[0] - f[1])), float(200 * (f[1] - f[2]))


def distance(one: str, other: str, sight: str = "usual") -> float:
    """CIE 1976 distance of two colours for this kind of vision; about 2 can just be told apart."""
    return dist(lab(one, sight), lab(other, sight))


# Groups of colours that must be distinguishable; all elements also differ in shape or letter.
TOGETHER = {
    "seats": [fill for fill, _ in SEATS],
    "coordinates": [fill for fill, _ in COORDINATES.values()],
    "minerals": [fill for kind, (fill, _) in TILE_COLOURS.items() if kind.startswith("mineral")],
    "aliens": [fill for kind, (fill, _) in TILE_COLOURS.items() if kind.startswith("alien")],
    "matter": [fill for kind, (fill, _) in TILE_COLOURS.items() if kind.startswith("matter")],
    "types": [fill for fill, _ in TYPE_COLOURS.values()],
}
LEAST = {"usual": 40, "protanopia": 25, "deuteranopia": 20, "tritanopia": 16}
MARKED = [*SEATS, *COORDINATES.values(), *TILE_COLOURS.values(), *TYPE_COLOURS.values()]


def test_distance_and_contrast_are_those_of_black_and_white() -> None:
    assert distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert distance("#777777", "#777777") == 0
    assert distance("#ff0000", "#00ff00", "deuteranopia") < distance("#ff0000", "#0000ff", "deuteranopia")
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("group", TOGETHER)
def test_colours_are_told_apart(group: str, sight: str) -> None:
    near = min((distance(a, b, sight), a, b) for a, b in combinations(TOGETHER[group], 2))
    assert near[0] >= LEAST[sight], near


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(theme: str) -> None:
    ink = colours(theme)
    grounds = [ink[name] for name in ("sky", "deep", "panel", "hex", "faint")]
    for name in ("ink", "soft", "legal", "changed"):
        for ground in grounds:
            assert contrast(ink[name], ground) >= 4.5, (name, ground)
    assert contrast(ink["space_ink"], ink["space"]) >= 7
    for name in ("card_ink", "card_soft"):
        assert contrast(ink[name], ink["card"]) >= 4.5


def test_numbers_on_marks_can_be_read() -> None:
    for fill, on in MARKED:
        assert contrast(fill, on) >= 4.5, (fill, on)


def test_a_page_sets_every_colour_by_a_property() -> None:
    ink, sheet = colours("page"), style_sheet()
    for name, (light, dark) in COLOURS.items():
        assert ink[name] == f"var(--sm-{name}, {light})"
        assert f"--sm-{name}:{light}" in sheet and f"--sm-{name}:{dark}" in sheet
    assert colours("light")["ink"] != colours("dark")["ink"]
    with pytest.raises(SetupError, match="theme: expected one of light, dark, page, not 'sepia'"):
        colours("sepia")
