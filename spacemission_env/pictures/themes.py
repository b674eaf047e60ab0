"""Colours of pictures by name, in light and dark, and as custom properties of a page's style sheet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from spacemission_env.core.game_spec import check_choice

THEMES = ("light", "dark", "page")

# Name: light, dark.
COLOURS: Mapping[str, tuple[str, str]] = {
    "paper": ("#f6f4ee", "#10131c"),
    "card": ("#ffffff", "#1c2130"),
    "line": ("#c9c5ba", "#3a4258"),
    "ink": ("#1f2430", "#e9ecf5"),
    "soft": ("#5c6272", "#a3abc2"),
    "legal": ("#0a7d4f", "#5fe0a5"),
    "changed": ("#b3560a", "#ffb35c"),
}


@lru_cache(maxsize=len(THEMES))
def colours(theme: str) -> Mapping[str, str]:
    """Colours by name: literal ones, or for "page" custom properties `--sm-NAME` with the light ones behind.

    Raises:
        SetupError: there is no such theme.
    """
    which = check_choice("theme", theme, THEMES)
    if theme == "page":
        return {name: f"var(--sm-{name}, {light})" for name, (light, _) in COLOURS.items()}
    return {name: both[which] for name, both in COLOURS.items()}


def style_sheet() -> str:
    """For a page with pictures of the theme "page": the colours by what the reader prefers.

    An attribute `data-theme="light"` or `"dark"` of the root element overrides that.
    """
    sets = [";".join(f"--sm-{name}:{both[i]}" for name, both in COLOURS.items()) for i in (0, 1)]
    return (
        f":root{{{sets[0]}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{sets[1]}}}}}\n"
        f':root[data-theme="light"]{{{sets[0]}}}\n:root[data-theme="dark"]{{{sets[1]}}}\n'
    )
