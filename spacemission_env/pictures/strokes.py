"""Draws texts as strokes, for small drawings and raster images."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from xml.sax.saxutils import unescape

from spacemission_env.pictures.svg import stroke

UNIT = 0.0715  # length of a unit, as a share of the text size; a capital is 10 units high
GAP = 0.9  # units between letters
MONO = 8.6  # units from letter to letter in monospaced text
_UNKNOWN = (7.0, "M1-9H6V0H1Z")
_TEXT = re.compile(
    r'<text x="([^"]+)" y="([^"]+)" font-family="[^"]+" font-size="([^"]+)" font-weight="([^"]+)" '
    r'text-anchor="([^"]+)" fill="([^"]+)"([^>]*)>([^<]*)</text>'
)
_ENTITIES = {"&quot;": '"', "&apos;": "'"}


@cache
def glyphs() -> dict[str, tuple[float, str]]:
    """Width and path of every letter, so that pixels are equal on every machine and need no fonts."""
    return tomllib.loads((files("spacemission_env.pictures") / "glyphs.toml").read_text("utf-8"))


def strokes(
    x: float,
    y: float,
    words: str,
    size: float,
    colour: str,
    *,
    weight: int = 400,
    anchor: str = "middle",
    mono: bool = False,
) -> str:
    """A line of text as strokes; arguments as for `svg.text`."""
    width, d = _line(words, mono)
    unit = size * UNIT
    left = x - width * unit * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    thick = 1.75 if weight >= 600 else 1.2
    return (
        f'<path transform="translate({left:.2f} {y:g}) scale({unit:.4f})" d="{d}" {stroke(colour, thick)}/>'
    )


def texts_as_strokes(svg: str) -> str:
    """Replace all texts of a drawing by strokes."""

    def put(found: re.Match[str]) -> str:
        x, y, size, weight, anchor, fill, more, words = found.groups()
        words, mono = unescape(words, _ENTITIES), "preserve" in more
        return strokes(
            float(x), float(y), words, float(size), fill, weight=int(weight), anchor=anchor, mono=mono
        )

    return _TEXT.sub(put, svg)


@lru_cache(maxsize=4096)
def _line(words: str, mono: bool = False) -> tuple[float, str]:
    """Width and path of a line of text; `mono`: monospaced."""
    x, parts = 0.0, []
    for letter in words:
        width, d = glyphs().get(letter) or glyphs().get(_plain(letter), _UNKNOWN)
        if d:
            parts.append(_moved(d, x + (MONO - GAP - width) / 2 if mono else x))
        x += MONO if mono else width + GAP
    return max(x - GAP, 0), "".join(parts)


def _plain(letter: str) -> str:
    return unicodedata.normalize("NFKD", letter)[:1]


_COMMAND = re.compile(r"([MLHVCAZh])([^MLHVCAZh]*)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")


@lru_cache(maxsize=8192)
def _moved(d: str, dx: float) -> str:
    """The path `d`, moved to the right by `dx`."""
    out = []
    for command, rest in _COMMAND.findall(d):
        numbers = [float(n) for n in _NUMBER.findall(rest)]
        across = {"M": (0,), "L": (0,), "H": (0,), "C": (0, 2, 4), "A": (5,)}.get(command, ())
        for i in across:
            for k in range(i, len(numbers), {"C": 6, "A": 7}.get(command, 2)):
                numbers[k] += dx
        out.append(command + " ".join(f"{n:g}" for n in numbers))
    return "".join(out)
