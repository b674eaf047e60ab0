"""Loads the web server: malformed requests, many games at once, kills, games played by clicks.

python -m studies.web_load requests [count] [games at once]
python -m studies.web_load kills [count]
python -m studies.web_load page [games of each kind]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
import psutil

from spacemission_env.core.game_spec import find_game
from tests.support.browser import browser, page_of
from tests.support.web_server import serving
from tests.web.test_fuzz import at_once, fuzz
from tests.web.test_kill import kill_at_moments


def requests(folder: Path, count: int = 20_000, games: int = 200) -> None:
    """Malformed requests, then many games at once, twice: the memory must not grow."""
    own = psutil.Process()
    with (
        serving(folder / "g.sqlite3") as server,
        httpx.Client(base_url=server.address, timeout=120) as client,
    ):
        fuzz(server, client, 200, 0)
        began, memory = time.time(), own.memory_info().rss
        statuses = fuzz(server, client, count, 1)
        print(f"{count} rough requests: statuses {statuses}, {time.time() - began:.0f} s", flush=True)
        began = time.time()
        asyncio.run(at_once(server, games))
        print(f"{games} games at once, all to their ends: {time.time() - began:.0f} s", flush=True)
        asyncio.run(at_once(server, games))
        grown = (own.memory_info().rss - memory) / 1e6
        print(f"once more; games in memory {len(server.registry._matches)}, memory grown by {grown:.0f} MB")


def kills(folder: Path, count: int = 10) -> None:
    """Kills of the server while games are played."""
    moves, unanswered = kill_at_moments(folder, count, 1)
    print(f"{count} kills, {moves} moves, none lost; {unanswered} were kept that had not been answered yet")


def page(folder: Path, count: int = 20) -> None:
    """Whole games of each game with each number of seats, clicked in the browser."""
    from tests.web.test_page import TITLES, finish

    with serving(folder / "g.sqlite3", pause=0.4) as server, browser() as chrome:
        for name, title in TITLES.items():
            spec, moves, began = find_game(name), 0, time.time()
            ways: Counter[str] = Counter()
            others = ["random"] if name == "kuhn_poker" else ["greedy", "heuristic", "random"]
            for number in range(count):
                players = spec.min_players + number % (spec.max_players - spec.min_players + 1)
                seats = [others[(number + j) % len(others)] for j in range(players)]
                seats[number % players] = "a person"
                with page_of(chrome, server.address) as watched:
                    player = finish(server, watched, name, seats, number, None)
                moves += player.moves
                ways.update(player.ways)
            took = time.time() - began
            print(f"{title}: {count} games, {moves} moves clicked ({dict(ways)}), {took:.0f} s", flush=True)


if __name__ == "__main__":
    what = {"requests": requests, "kills": kills, "page": page}[sys.argv[1]]
    with tempfile.TemporaryDirectory() as place:
        what(Path(place), *map(int, sys.argv[2:]))
