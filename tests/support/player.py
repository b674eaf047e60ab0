"""Plays in a browser by clicking or typing what the page offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # playwright is optional
    from playwright.sync_api import Page

READY = "main.game[data-turn='true'], .result"


class Clicker:
    """Plays a game on a page: with the list of moves, or on the board with mouse or keys."""

    def __init__(self, page: Page, rng: np.random.Generator) -> None:
        self.page, self.rng = page, rng
        self.moves = 0
        self.ways = {"list": 0, "mouse": 0, "keys": 0}

    def start(self, title: str, seats: list[str], rules: dict[str, str] | None = None) -> None:
        """Start a game: "a person" or an agent's name for each seat."""
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
        """Play to the end or for some moves; return whether the game is over."""
        for _ in range(most):
            self.page.locator(READY).first.wait_for(timeout=300_000)
            if self.page.locator(".result").count():
                return True
            self.move()
        return False

    def move(self) -> None:
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
        """Click a move in the list; open a group first if there are groups."""
        groups = self.page.locator(".moves details:not([open]) summary")
        alone = self.page.locator(".moves .list > .move, .moves > .move")
        count = groups.count() + alone.count()
        if not count:  # a move was just sent
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
        """Click highlighted elements until a move is made; use the list if that does not decide."""
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
                said.evaluate_all("(found) => found[0]?.click()")  # none if a move was just sent
                return
        self.by_list()

    def scores(self) -> list[list[int]]:
        """The points in the result table, by column."""
        rows = self.page.locator(".result tbody tr")
        lines = [rows.nth(i).locator("td").all_inner_texts() for i in range(rows.count())]
        return [[int(points) for points in column] for column in zip(*lines, strict=True)]

    def seats_of_scores(self) -> list[int]:
        heads = self.page.locator(".result thead th")
        return [int(heads.nth(i).get_attribute("data-seat")) for i in range(heads.count())]


class KeyPlayer:
    """Plays with the keyboard alone."""

    def __init__(self, page: Page, rng: np.random.Generator) -> None:
        self.page, self.rng, self.pressed = page, rng, 0

    def press(self, key: str) -> None:
        self.pressed += 1
        self.page.keyboard.press(key)

    def tab_to(self, selector: str, text: str = "", most: int = 80) -> None:
        """Press Tab until an element has the focus; fail if it is not reachable."""
        here = """([selector, text]) => document.activeElement.matches(selector)
            && (document.activeElement.closest('label') || document.activeElement)
            .textContent.includes(text)"""
        for _ in range(most):
            if self.page.evaluate(here, [selector, text]):
                return
            self.press("Tab")
        raise AssertionError(f"{selector} {text!r} cannot be reached by Tab")

    def start(self, title: str, rules: dict[str, str]) -> None:
        page = self.page
        page.goto("/")
        page.locator("form").wait_for()
        if page.locator("h1").inner_text() != title:
            self.tab_to("button", title)
            self.press("Enter")
        self.tab_to("summary", "Rules")
        self.press("Enter")
        for name, value in rules.items():
            self.tab_to("input", name)
            self.press("Control+a")
            page.keyboard.type(value)
        self.tab_to("button.start")
        self.press("Enter")
        page.locator("main.game").wait_for(timeout=300_000)

    def play(self) -> int:
        """Play to the end; return the number of moves."""
        moves = 0
        while True:
            self.page.locator(READY).first.wait_for(timeout=300_000)
            if self.page.locator(".result").count():
                return moves
            self.move()
            moves += 1

    def move(self) -> None:
        """Make a move on the board if that decides it, otherwise in the list."""
        main = self.page.locator("main.game")
        step = main.get_attribute("data-step")
        lit = self.page.locator(".board .can").count()
        if lit and self.rng.random() < 0.5:
            self.press("b")
            for _ in range(int(self.rng.integers(lit))):
                self.press("ArrowRight")
            self.press("Enter")
            self.page.locator(
                f".board .chosen, main:not([data-step='{step}'][data-turn='true'])"
            ).first.wait_for()
        if main.get_attribute("data-step") == step and main.get_attribute("data-turn") == "true":
            self.press("m")
            self.tab_to(".move, .moves summary")
            if self.page.evaluate("() => document.activeElement.matches('summary')"):
                self.press("Enter")
                self.page.locator(".moves details[open] .move").first.wait_for()
            self.tab_to(".move")
            self.press("Enter")
        self.page.locator(f"main.game:not([data-step='{step}'])").wait_for(timeout=60_000)
