"""The pictures of games in README and pages are as their generator makes them."""

from __future__ import annotations

from docs.generators.pictures import DOCS, pictures


def test_pictures_in_pages_are_up_to_date() -> None:
    for name, svg in pictures().items():
        assert (DOCS / name).read_text("utf-8") == svg, f"docs/{name}: run `make docs`"
