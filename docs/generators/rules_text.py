"""Writes the rules for language models, `rules.md` in a game's data folder, from the page of its rules.

So the page and the text of `TextSeat.rules` have one source. The first sections are the short form.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
DATA = "../spacemission_env/games/{}/data/rules.md"

# Sections by heading, with the words at which a section is left: what follows is about the environment.
SPACE_MISSION = (
    {"The game in five sentences": "", "A turn": "[Actions](", "Points": "An example with Ana"},
    {"What is in the box": "", "Cards and planets": "", "Your turn": "", "Scan": "", "Develop": "",
     "Discover": "", "The end": "Then points are counted", "Who knows what": "*From memory* means"},
)  # fmt: skip
PLANET_HEXX = (
    {"In five sentences": "", "A turn in short": ""},
    {"Words": "", "Set-up": "", "Turn": "", "Map": "", "Move": "", "Upload": "", "Refresh": "", "Events": "",
     "Cards that are known": "[The observation](", "End": ""},
)  # fmt: skip


def plain(text: str) -> str:
    """A text without links, bold and italic letters."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(\*{1,2})(?=\S)([^*\n]+?(?:\n[^*\n]+?)?)(?<=\S)\1", r"\2", text)


def sections(page: str) -> dict[str, str]:
    """The sections of a page by heading; the sections below them belong to them."""
    parts = re.split(r"^## (.+)\n", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rules_of(page: str, short: dict[str, str], more: dict[str, str]) -> str:
    """The short form, a line "---", and the rest."""
    found = sections(page)

    def some(wanted: dict[str, str]) -> str:
        texts = [f"## {head}\n\n{cut(found[head], end)}" for head, end in wanted.items()]
        return plain("\n\n".join(texts))

    return f"{some(short)}\n\n---\n\n{some(more)}\n"


def cut(text: str, end: str) -> str:
    """A section up to some words, which must stand in it."""
    if end and end not in text:
        raise ValueError(f"not in the page: {end}")
    return (text.partition(end)[0] if end else text).strip()


PAGES = {
    DATA.format("space_mission"): lambda: rules_of("rules.md", *SPACE_MISSION),
    DATA.format("planet_hexx"): lambda: rules_of("planet_hexx_rules.md", *PLANET_HEXX),
}
