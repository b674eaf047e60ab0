"""Measures how soon the page and a move are shown in a browser on this machine.

`python -m studies.web_page_speed [moves]`: medians and the slowest, in milliseconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from tests.support.browser import browser, page_of
from tests.support.web_server import new_game, serving

# From a click to the picture of the position after it, on the screen: the second frame after the change.
SHOWN = """() => new Promise((done) => {
  const main = document.querySelector('main.game');
  const step = main.dataset.step;
  const began = performance.now();
  const wait = () => main.dataset.step !== step
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)))
    : requestAnimationFrame(wait);
  document.querySelector('.moves .move').click();
  wait();
})"""
FORM = """() => new Promise((done) => {
  const wait = () => document.querySelector('form') ? done(performance.now()) : requestAnimationFrame(wait);
  wait();
})"""


def told(what: str, times: list[float]) -> None:
    print(
        f"{what}: median {np.median(times):.0f} ms, slowest of {len(times)} {max(times):.0f} ms", flush=True
    )


def first_views(chrome: Any, address: str, count: int) -> list[float]:
    """From asking for the page to the form on it, each in a browser that has nothing of it."""
    times = []
    for _ in range(count):
        with page_of(chrome, address) as watched:
            watched.page.goto("/", wait_until="commit")
            times.append(watched.page.evaluate(FORM))
    return times


def moves(chrome: Any, address: str, game: str, count: int) -> list[float]:
    """Moves in a game of people in all seats; each move is made on the page of the seat to act."""
    times: list[float] = []
    with httpx.Client(base_url=address, timeout=300) as client, page_of(chrome, address) as watched:
        guests = new_game(client, game, None, None, seed=3)[:2]
        page = watched.page
        while len(times) < count:
            mover = next((one for one in guests if one.position()["legal"]), None)
            if mover is None:
                break
            at = f"/#/g/{mover.id}/{mover.token}"
            if not page.url.endswith(at):
                page.goto(at)
            page.locator("main.game[data-turn='true']").wait_for()
            if not page.locator(".moves .list > .move").count():
                page.locator(".moves summary").first.click()
                page.locator(".moves .move").first.wait_for()
            time.sleep(0.5)  # what moved has come to rest
            times.append(page.evaluate(SHOWN))
    return times


def main(count: int) -> None:
    """All figures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "g.sqlite3") as server,
        browser() as chrome,
    ):
        told("first view of the page", first_views(chrome, server.address, 20))
        for game in ("space_mission", "planet_hexx"):
            told(f"{game}: a move shown", moves(chrome, server.address, game, count))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
