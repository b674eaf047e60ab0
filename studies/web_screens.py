"""Takes pictures of every page: desktop and phone, light and dark.

`python -m studies.web_screens FOLDER [space_mission planet_hexx kuhn_poker]`: writes PNG files.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from spacemission_env.core.game_spec import find_game
from tests.support.browser import DESKTOP, PHONE, browser, page_of
from tests.support.player import Clicker
from tests.support.web_server import serving

MOVES = {"space_mission": 10, "planet_hexx": 16, "kuhn_poker": 0}
AGENTS = {"space_mission": ["heuristic", "greedy"], "planet_hexx": ["greedy", "random"]}
SHORT = {"space_mission": {"max rounds": "8"}, "planet_hexx": {"max turns": "6"}}


class Screens:
    """Takes the pictures of one size and colour."""

    def __init__(self, folder: Path, name: str, page: Any) -> None:
        """`name`: what the names of the files begin with."""
        self.folder, self.name, self.page = folder, name, page

    def take(self, what: str) -> None:
        """One picture, of the whole length of the page."""
        self.page.mouse.move(0, 0)
        self.page.wait_for_timeout(700)
        self.page.screenshot(path=self.folder / f"{self.name}-{what}.png", full_page=True)

    def start(self) -> None:
        """The start page, and the links of a game of people."""
        page = self.page
        page.goto("/")
        page.locator("form").wait_for()
        self.take("start")
        page.get_by_text("Rules and seed").click()
        self.take("rules")
        page.get_by_label("Seat 2: who").select_option(label="a person")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("link", name="Sit here").first.wait_for(timeout=300_000)
        self.take("links")
        page.goto(page.get_by_role("link", name="Sit here").last.get_attribute("href") + "/hidden")
        page.get_by_role("button", name="Show the table").wait_for()
        self.take("curtain")

    def game(self, name: str) -> None:
        """A game under way, at its end, and looked back on."""
        page, player = self.page, Clicker(self.page, np.random.default_rng(4))
        player.start(find_game(name).title, ["a person", *AGENTS.get(name, ["random"])], SHORT.get(name))
        over = player.play(MOVES[name])
        if not over:
            page.locator("main.game[data-turn='true'], .result").first.wait_for()
        self.take(f"{name}-play")
        lit = page.locator(".board .can")
        if lit.count():
            lit.first.focus()
            page.keyboard.press("Enter")
            self.take(f"{name}-chosen")
        assert player.play()
        self.take(f"{name}-end")
        page.get_by_role("link", name="Look back on this game").click()
        page.locator("main.review").wait_for()
        if page.locator(".belief").count():
            page.locator(".belief summary").click()
        if name in AGENTS:  # else there is nobody to be asked
            page.locator(".chart").wait_for(timeout=300_000)
        page.locator("progress").wait_for(state="detached", timeout=300_000)
        for _ in range(7):
            page.keyboard.press("ArrowRight")
        self.take(f"{name}-review")
        page.keyboard.press("End")
        self.take(f"{name}-review-end")


def main(folder: Path, games: list[str]) -> None:
    """All pictures of these games."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {"desktop": DESKTOP, "phone": PHONE}
    with (
        tempfile.TemporaryDirectory() as data,
        serving(Path(data) / "g.sqlite3") as server,
        browser() as chrome,
    ):
        for size, t in sizes.items():
            for colours in ("light", "dark"):
                with page_of(chrome, server.address, viewport=t, color_scheme=colours) as watched:
                    screens = Screens(folder, f"{size}-{colours}", watched.page)
                    screens.start()
                    for name in games:
                        screens.game(name)
                    assert watched.wrong == [], watched.wrong


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(MOVES))
