"""Figures in the pages are what the commands beside them print now."""

from __future__ import annotations

import re

import pytest

from docs.generators.figures import DOCS, FIGURE, PAGES, measured, written

pytestmark = pytest.mark.slow
HEXX = "\n## Mission to Planet Hexx!\n"  # of docs/default_agent.md only this part has written figures


@pytest.mark.parametrize("page", PAGES)
def test_quick_figures_are_what_the_commands_print(page: str) -> None:
    was, now = written(page), measured(PAGES[page][:1])
    assert len(now) > 5
    assert {name: was[name] for name in now} == now, "run `python -m docs.generators.figures --write`"


@pytest.mark.parametrize("page", PAGES)
def test_shares_in_the_text_are_all_written_by_a_command(page: str) -> None:
    written_by_hand, heading, measured_part = (DOCS / page).read_text("utf-8").partition(HEXX)
    text = FIGURE.sub("", measured_part if heading else written_by_hand)
    assert re.findall(r"[\d.]+ %", text.replace("95 %", "")) == []
    assert len(FIGURE.findall((DOCS / page).read_text("utf-8"))) == len(written(page)) > 5
