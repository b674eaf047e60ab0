"""Colours are distinguishable for everyone, and texts are legible."""

from __future__ import annotations

from itertools import combinations

import pytest

from spacemission_env.core.errors import SetupError
from spacemission_env.games.planet_hexx.picture.pieces import TYPE_COLOURS
from spacemission_env.games.space_mission.picture.pieces import COORDINATES, TILE_COLOURS
from spacemission_env.pictures.themes import COLOURS, SEATS, colours, style_sheet
from tests.support.colour_vision import SIGHTS, contrast, distance

# Groups of colours that must be distinguishable; all elements also differ in shape or letter.
TOGETHER = {
    "seats": [fill for fill, _ in SEATS],
    "coordinates": [fill for fill, _ in COORDINATES.values()],
    "minerals": [fill for kind, (fill, _) in TILE_COLOURS.items() if kind.startswith("mineral")],
    "aliens": [fill for kind, (fill, _) in TILE_COLOURS.items() if kind.startswith("alien")],
    "matter": [fill for kind, (fill, _) in TILE_COLOURS.items() if kind.startswith("matter")],
    "types": [fill for fill, _ in TYPE_COLOURS.values()],
}
LEAST = {"usual": 25, "protanopia": 15, "deuteranopia": 15, "tritanopia": 12}
MARKED = [*SEATS, *COORDINATES.values(), *TILE_COLOURS.values(), *TYPE_COLOURS.values()]


def test_the_distance_is_that_of_the_published_examples() -> None:
    """Reference distances near those of Sharma, Wu and Dalal (2005), here in sRGB."""
    assert distance("#000000", "#ffffff") == pytest.approx(100, abs=0.1)
    assert distance("#777777", "#777777") == 0
    assert distance("#ff0000", "#00ff00") == pytest.approx(86.6, abs=0.3)
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
