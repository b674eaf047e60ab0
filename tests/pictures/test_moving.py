"""An animated picture shows at each time what the picture of that time shows."""

import re
from xml.etree import ElementTree

import pytest

from spacemission_env.core.errors import SetupError
from spacemission_env.pictures.moving import GLIDE, LAST, STEP, _elements, moving
from tests.support.played import positions

SVG = "{http://www.w3.org/2000/svg}"
RULE = re.compile(
    r"\.(a\d+)\{(?P<last>visibility:hidden;)?animation:\1 (?P<length>\S+)s (?P<how>\S+) infinite\}"
)
FRAMES = re.compile(r"@keyframes (a\d+)\{((?:[^{}]+\{[^{}]*\})*)\}")
FRAME = re.compile(r"([^{}]+)\{([^{}]*)\}")


def played(svg: str) -> tuple[float, dict[str, list[tuple[float, str]]]]:
    """The duration, and the key frames of every class."""
    length = float(RULE.search(svg)["length"])  # type: ignore[index]
    frames = {
        name: [(1.0 if at == "to" else float(at[:-1]) / 100, what) for at, what in FRAME.findall(listed)]
        for name, listed in FRAMES.findall(svg)
    }
    return length, frames


def drawn_at(svg: str, time: float) -> set[str]:
    """The elements visible at a time, without ships."""
    length, frames = played(svg)
    seen = set()
    for element in ElementTree.fromstring(svg):
        name = element.get("class", "")
        now = next((what for at, what in reversed(frames.get(name, [])) if at * length <= time + 1e-3), "")
        inside = element[0] if name in frames else element
        if element.tag not in (f"{SVG}title", f"{SVG}style") and not now.startswith("transform"):
            seen |= {as_text(inside)} if now != "visibility:hidden" else set()
    return seen


def as_text(element: ElementTree.Element) -> str:
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(element, "unicode").replace(f' xmlns="{SVG[1:-1]}"', "")


def pictures_of(name: str) -> list[str]:
    """The pictures of a game, one after each move."""
    return [game.picture(0, theme="page") for game in positions(name, 2, 3, 1)]


@pytest.mark.parametrize("name", ["space_mission", "planet_hexx", "kuhn_poker"])
def test_at_any_time_it_draws_what_the_picture_of_then_draws(name: str) -> None:
    pictures = pictures_of(name)[-40:]
    svg = moving(pictures, "A game")
    length, _ = played(svg)
    assert length == pytest.approx(STEP * (len(pictures) - 1) + LAST)
    for i in {*range(0, len(pictures), 5), len(pictures) - 1}:
        wanted = {element for element in _elements(pictures[i]) if 'data-target="ship-' not in element}
        assert drawn_at(svg, STEP * i) == wanted, i
        assert drawn_at(svg, STEP * (i + 0.99)) == wanted, i


def test_ships_glide_from_place_to_place() -> None:
    svg = moving(pictures_of("space_mission"), "A game")
    length, frames = played(svg)
    glides = [listed for listed in frames.values() if "transform" in listed[0][1]]
    assert len(glides) == 2
    for listed in glides:
        moves = listed[1:-1]
        assert moves and len(moves) % 2 == 0
        for (start, was), (end, then) in zip(moves[::2], moves[1::2], strict=True):
            assert (end - start) * length == pytest.approx(GLIDE, abs=0.01) and was != then


def test_it_holds_still_for_who_wants_that_and_loads_nothing() -> None:
    svg = moving(pictures_of("kuhn_poker"), "A game & more")
    assert "@media (prefers-reduced-motion:reduce){g{animation:none!important}}" in svg
    assert "<title>A game &amp; more</title>" in svg
    assert not re.search(r"<script|href=|@import|url\((?!#)", svg)
    with pytest.raises(SetupError, match="moving: expected pictures"):
        moving([], "nothing")
