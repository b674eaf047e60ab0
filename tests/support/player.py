"""Somebody who plays in a browser, and clicks only what the page offers."""

from __future__ import annotations

from typing import Any

import numpy as np

READY = "main.game[data-turn='true'], .result"


class Clicker:
    """Plays one game on a page: by the list of moves, by the board with the mouse, by the board with keys."""

    def __init__(self, page: Any, rng: np.random.Generator) -> None:
        """`page`: of Playwright."""
        self.page, self.rng = page, rng
        self.moves = 0
        self.ways = {"list": 0, "mouse": 0, "keys": 0}

    def start(self, title: str, seats: list[str], rules: dict[str, str] | None = None) -> None:
        """A new game: "a person", or the name of an agent, for each seat."""
        page = self.page
        page.goto("/")
        page.locator("form").wait_for()
        if page.locator("h1").inner_text() != title:
            page.get_by_role("button", name=title).click()
        page.locator(".sizes label", has_text=str(len(seats))).click() if page.locator(
            ".sizes"
        ).count() else 0
        for number, seat in enumerate(seats, 1):
            page.get_by_label(f"Seat {number}: who").select_option(label=seat)
        if rules:
            page.get_by_text("Rules and seed").click()
            for name, value in rules.items():
                page.locator(".option", has_text=name).locator("input").fill(value)
        page.get_by_role("button", name="Start").click()
        page.locator("main.game").wait_for(timeout=300_000)
        page.locator(".pace select").select_option("none")

    def play(self, most: int = 100_000) -> bool:
        """Play until the end or so many moves; whether it is over."""
        for _ in range(most):
            self.page.locator(READY).first.wait_for(timeout=300_000)
            if self.page.locator(".result").count():
                return True
            self.move()
        return False

    def move(self) -> None:
        """One move, made in one of the three ways."""
        step = self.page.locator("main.game").get_attribute("data-step")
        way = ["list", "mouse", "keys"][self.rng.integers(3)]
        if way == "list" or not self.page.locator(".board .can").count():
            way = "list"
            self.by_list()
        else:
            self.by_board(step, way)
        self.ways[way] += 1
        self.moves += 1
        self.page.locator(f"main.game:not([data-step='{step}'])").wait_for(timeout=60_000)

    def by_list(self) -> None:
        """Click a move of the list; where it is in groups, open one first."""
        groups = self.page.locator(".moves details:not([open]) summary")
        alone = self.page.locator(".moves .list > .move, .moves > .move")
        count = groups.count() + alone.count()
        if not count:  # the move is on its way
            return
        pick = int(self.rng.integers(count))
        if pick < alone.count():
            alone.nth(pick).click()
            return
        groups.nth(pick - alone.count()).click()
        inside = self.page.locator(".moves details[open] .move")
        inside.first.wait_for()
        inside.nth(int(self.rng.integers(max(inside.count(), 1)))).click()

    def by_board(self, step: str, way: str) -> None:
        """Point at what is lit until a move is made; where words are needed to decide, take them."""
        for _ in range(12):
            lit = self.page.locator(".board .can:not(.chosen)")
            if not lit.count():
                break
            one = lit.nth(int(self.rng.integers(lit.count())))
            if way == "mouse":
                box = one.bounding_box()
                self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            else:
                one.focus()
                self.page.keyboard.press("Enter")
            self.page.wait_for_timeout(30)
            main = self.page.locator("main.game")
            if main.get_attribute("data-step") != step or main.get_attribute("data-turn") == "false":
                return
            said = self.page.locator(".moves > .move.main")
            if said.count() and self.rng.random() < 0.6:
                said.click()
                return
        self.by_list()

    def scores(self) -> list[list[int]]:
        """The points in the table of the result, by seats as they stand there."""
        rows = self.page.locator(".result tbody tr")
        lines = [rows.nth(i).locator("td").all_inner_texts() for i in range(rows.count())]
        return [[int(points) for points in column] for column in zip(*lines, strict=True)]

    def seats_of_scores(self) -> list[int]:
        """Which seats these are."""
        heads = self.page.locator(".result thead th")
        return [int(heads.nth(i).get_attribute("data-seat")) for i in range(heads.count())]
