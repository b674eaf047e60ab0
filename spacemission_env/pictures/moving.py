"""Combines pictures of a game into one animated SVG document without a script.

Elements that do not change are stored once; ships glide from place to place. Readers who prefer reduced
motion (`prefers-reduced-motion`) see only the last picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from spacemission_env.core.errors import SetupError
from spacemission_env.pictures.svg import SANS, document
from spacemission_env.pictures.themes import style_sheet

STEP, LAST, GLIDE = 0.6, 5.0, 0.4  # seconds for each picture, for the last picture, for a ship's glide
_SVG = "http://www.w3.org/2000/svg"
_VIEW = re.compile(r'viewBox="0 0 (\S+) (\S+)"')
_SHIP = re.compile(
    r'<g [^>]*data-target="(?P<name>ship-\d+)"[^>]*><title>[^<]*</title>'
    r'<g transform="translate\((?P<x>\S+) (?P<y>\S+)\)(?: scale\((?P<scale>\S+)\))?">(?P<drawn>.*)</g></g>'
)
_FALLBACK = re.compile(r"(var\(--sm-[\w-]+), #\w+\)")  # a colour's fallback, to be removed
_FAMILY = f" font-family={quoteattr(SANS)}"


@dataclass
class _Part:
    """One element, with the numbers of the pictures that contain it and, for a ship, its place in each."""

    drawn: str
    shown: set[int] = field(default_factory=set)
    places: dict[int, str] = field(default_factory=dict)


def moving(pictures: Sequence[str], title: str, step: float = STEP) -> str:
    """Combine pictures of one game into a document that plays in a loop.

    Args:
        pictures: documents of one game in the theme "page" (`Game.picture`); SetupError if there is none.
        title: description for people who do not see the document.
        step: seconds per picture; the last one stays longer.
    """
    size = _VIEW.search(pictures[0]) if pictures else None
    if size is None:
        raise SetupError("moving: expected pictures of spacemission_env.pictures.svg")
    count = len(pictures)
    length = step * (count - 1) + LAST
    names: dict[str, str] = {}  # names of key frames; elements with equal key frames share them
    drawn, rules = [], [style_sheet(), f"text{{font-family:{SANS}}}"]
    for part in _merged(pictures):
        frames = _glides(part, count, step, length) if part.places else _shows(part, count, step, length)
        if not frames:
            drawn.append(part.drawn)
            continue
        if frames not in names:
            name = names[frames] = f"a{len(names)}"
            how = "ease-in-out" if part.places else "step-end"
            last = "" if count - 1 in part.shown else "visibility:hidden;"  # for readers who see no animation
            rules.append(f".{name}{{{last}animation:{name} {length:g}s {how} infinite}}")
            rules.append(f"@keyframes {name}{{{frames}}}")
        drawn.append(f'<g class="{names[frames]}">{part.drawn}</g>')
    rules.append("@media (prefers-reduced-motion:reduce){g{animation:none!important}}")
    return document(float(size[1]), float(size[2]), [f"<style>{''.join(rules)}</style>", *drawn], title)


def _elements(svg: str) -> Iterator[str]:
    """The smallest drawn elements of a document, from back to front."""
    ElementTree.register_namespace("", _SVG)
    for leaf in _leaves(ElementTree.fromstring(svg)):
        text = ElementTree.tostring(leaf, "unicode").replace(f' xmlns="{_SVG}"', "")
        yield _FALLBACK.sub(r"\1)", text).replace(_FAMILY, "")


def _leaves(group: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for child in group:
        if child.tag == f"{{{_SVG}}}g" and _plain(child):
            yield from _leaves(child)
        elif child.tag != f"{{{_SVG}}}title":
            yield child


def _plain(group: ElementTree.Element) -> bool:
    """Whether a group only joins its elements; ships are kept as groups."""
    ship = (group.get("data-target") or "").startswith("ship-")
    return not ship and not set(group.keys()) - {"id", "class", "data-target", "pointer-events"}


def _merged(pictures: Iterable[str]) -> list[_Part]:
    """The elements of all pictures without repeats, from back to front."""
    parts: list[_Part] = []
    by_key: dict[str, _Part] = {}
    for i, svg in enumerate(pictures):
        at = 0
        for drawn in _elements(svg):
            ship = _SHIP.match(drawn)
            key = ship["name"] if ship else drawn
            part = by_key.get(key)
            if part is None:
                part = by_key[key] = _Part(f"<g>{ship['drawn']}</g>" if ship else drawn)
                parts.insert(at, part)
            at = max(at, next(k for k, other in enumerate(parts) if other is part) + 1)
            part.shown.add(i)
            if ship:
                scale = f" scale({ship['scale']})" if ship["scale"] else ""
                part.places[i] = f"translate({ship['x']}px,{ship['y']}px){scale}"
    return parts


def _glides(part: _Part, count: int, step: float, length: float) -> str:
    at = part.places[min(part.places)]
    frames = [f"0%{{transform:{at}}}"]
    for i in range(1, count):
        to = part.places.get(i, at)
        if to != at:
            start = step * i
            frames.append(f"{100 * start / length:.3f}%{{transform:{at}}}")
            frames.append(f"{100 * (start + GLIDE) / length:.3f}%{{transform:{to}}}")
            at = to
    return f"{''.join(frames)}to{{transform:{at}}}"


def _shows(part: _Part, count: int, step: float, length: float) -> str:
    """Key frames of an element that comes and goes; empty if it is always visible."""
    if len(part.shown) == count:
        return ""
    seen = ["visible" if i in part.shown else "hidden" for i in range(count)]
    frames = [
        f"{100 * step * i / length:.3f}%{{visibility:{now}}}"
        for i, now in enumerate(seen)
        if i == 0 or now != seen[i - 1]
    ]
    return f"{''.join(frames)}to{{visibility:{seen[-1]}}}"
