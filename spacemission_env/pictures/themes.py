"""Defines the colours of pictures in light and dark themes.

Colour-blind readers can tell elements apart too: colours that carry meaning differ in lightness
(tests/pictures/test_colours.py), and the elements that have them differ in shape or letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from spacemission_env.core.game_spec import check_choice

THEMES = ("light", "dark", "page")

# Colours by name: in the light theme, in the dark theme. `X_on` is the colour of text on X.
_WHITE, _BLACK = "#ffffff", "#10131c"
GROUND: Mapping[str, tuple[str, str]] = {
    "sky": ("#f5f1e6", "#151d33"),
    "deep": ("#e9e2d0", "#080b15"),  # the sky towards the edge
    "star": ("#b9ad90", "#8d9bc4"),
    "line": ("#cbc1a8", "#33405f"),
    "panel": ("#fffdf7", "#151b2c"),
    "edge": ("#d8cfb8", "#2b3652"),
    "ink": ("#1e2430", "#eef1fa"),
    "soft": ("#585d69", "#a8b2cd"),
    "faint": ("#e2dac6", "#222b42"),
    "rim": ("#1e2430", "#e6ebf8"),  # edge of ships and other pieces
    "card": ("#fffefa", "#f4f0e4"),
    "card_ink": ("#1e2430", "#1e2430"),
    "card_soft": ("#585d69", "#585d69"),
    "back": ("#27406b", "#3a5387"),
    "back_line": ("#8ea6d0", "#a9bfe8"),
    "gate": ("#27406b", "#8fb4ff"),
    "gate_glow": ("#d9d3e6", "#1d2c52"),
    "hex": ("#fffdf7", "#202b4d"),  # ground of hexes with a planet
    "space": ("#2b3550", "#2c3a63"),  # ground of hexes that are empty space
    "space_ink": ("#f3f0e6", "#eef1fa"),
    "space_star": ("#7f90bf", "#7489c4"),
    "shade": ("#1e2430", "#000000"),
    "legal": ("#006a45", "#63e6ae"),
    "changed": ("#9c4300", "#ffb454"),
}
# Colours of the seats and of text on them, equal in both themes.
SEATS = (
    ("#2a68dc", _WHITE),
    ("#d2440c", _WHITE),
    ("#35c4b5", _BLACK),
    ("#f5d04a", _BLACK),
    ("#7d1f5f", _WHITE),
)
COLOURS: Mapping[str, tuple[str, str]] = {
    **GROUND,
    **{f"seat_{j}": (colour, colour) for j, (colour, _) in enumerate(SEATS)},
    **{f"seat_{j}_on": (on, on) for j, (_, on) in enumerate(SEATS)},
}


@lru_cache(maxsize=len(THEMES))
def colours(theme: str) -> Mapping[str, str]:
    """Colours by name; for "page", custom properties `--sm-NAME` with the light colour as fallback.

    Raises:
        SetupError: the theme is unknown.
    """
    which = check_choice("theme", theme, THEMES)
    if theme == "page":
        return {name: f"var(--sm-{name}, {light})" for name, (light, _) in COLOURS.items()}
    return {name: both[which] for name, both in COLOURS.items()}


def style_sheet() -> str:
    """A style sheet for pages with pictures in the theme "page"; it follows the reader's preferred scheme.

    The root element's attribute `data-theme="light"` or `"dark"` overrides the preference.
    """
    sets = [";".join(f"--sm-{name}:{both[i]}" for name, both in COLOURS.items()) for i in (0, 1)]
    return (
        f":root{{{sets[0]}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{sets[1]}}}}}\n"
        f':root[data-theme="light"]{{{sets[0]}}}\n:root[data-theme="dark"]{{{sets[1]}}}\n'
    )
