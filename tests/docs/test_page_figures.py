"""Figures in the pages are what the commands beside them print now."""

from __future__ import annotations

import re

import pytest

from docs.generators.figures import DOCS, FIGURE, PAGES, measured, written

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("page", PAGES)
def test_quick_figures_are_what_the_commands_print(page: str) -> None:
    was, now = written(page), measured(PAGES[page][:1])
    assert len(now) > 5
    assert {name: was[name] for name in now} == now, "run `python -m docs.generators.figures --write`"


@pytest.mark.parametrize("page", PAGES)
def test_shares_in_the_text_are_all_written_by_a_command(page: str) -> None:
    text = FIGURE.sub("", (DOCS / page).read_text("utf-8"))
    assert re.findall(r"[\d.]+ %", text.replace("95 %", "")) == []
    assert len(FIGURE.findall((DOCS / page).read_text("utf-8"))) == len(written(page)) > 5
